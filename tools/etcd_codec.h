/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the client of etcd know of its JSON. */
#ifndef _SYMPHONY_ETCD_CODEC_H
#define _SYMPHONY_ETCD_CODEC_H

#include "etcd.h"

/**
 * etcd_int() - a member that is a number, which the gateway writes as text
 * @object: object
 * @name: of the member
 *
 * Return: the number, 0 without.
 */
__s64 etcd_int(struct json_object *object, const char *name);

/**
 * etcd_kv_read() - read a key
 * @object: key
 * @kv: result, to be released with etcd_kv_release() in any case
 *
 * Return: 0 or -ENOMEM.
 */
int etcd_kv_read(struct json_object *object, struct etcd_kv *kv);

/**
 * etcd_kv_release() - free what etcd_kv_read() has allocated
 * @kv: key
 */
void etcd_kv_release(struct etcd_kv *kv);

#endif
