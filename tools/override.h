/* SPDX-License-Identifier: GPL-2.0 */
/* Overrides of a job as words. */
#ifndef _SYMPHONY_OVERRIDE_H
#define _SYMPHONY_OVERRIDE_H

#include "symphony.h"

/**
 * override_find() - which override has this name
 * @name: as k
 *
 * Return: its attribute, 0 if there is none.
 */
unsigned int override_find(const char *name);

/**
 * override_read() - an override's value
 * @attr: of &enum symphony_override_attr
 * @word: what was typed
 * @value: result
 *
 * Return: 0, or -EINVAL if the value is not what override_wants() says.
 */
int override_read(unsigned int attr, const char *word, __u64 *value);

/**
 * override_wants() - what a value must be, for complaints
 * @attr: of &enum symphony_override_attr
 *
 * Return: words that follow "not".
 */
const char *override_wants(unsigned int attr);

#endif
