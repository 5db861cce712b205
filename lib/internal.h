/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of libsymphony share. */
#ifndef _SYMPHONY_INTERNAL_H
#define _SYMPHONY_INTERNAL_H

#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>

#include "symphony.h"

#define ROWS(table)	(sizeof(table) / sizeof((table)[0]))

#define __printf(format, first)	__attribute((__format__(printf, format, first)))

struct symphony {
	struct nl_sock *route;
	struct nl_sock *genl;
	struct nl_sock *events;
	int family;
	int group;
	char error[256];
};

/**
 * symphony_fail() - remember why something failed
 * @sym: connection
 * @err: negative errno
 * @format: sentence as for printf(), NULL for that of @err
 *
 * Return: @err.
 */
int symphony_fail(struct symphony *sym, int err, const char *format, ...)
	__printf(3, 4);

/**
 * symphony_socket() - a netlink socket whose errors come with sentences
 * @protocol: %NETLINK_ROUTE or another
 * @sock: where it goes
 *
 * Return: 0 or a negative errno.
 */
int symphony_socket(int protocol, struct nl_sock **sock);

/**
 * symphony_errno() - a negative errno of an error of libnl
 * @nl_err: this error
 *
 * Return: 0 of 0.
 */
int symphony_errno(int nl_err);

/**
 * symphony_talk() - send a request and read the answer to its end
 * @sym: connection
 * @sock: one of its sockets
 * @msg: request, which is freed; NULL is a failed allocation
 * @flags: of &struct nlmsghdr, beyond %NLM_F_REQUEST
 * @valid: called for each message of the answer, or NULL. What it returns, if not 0,
 *	is the result, and it is called no more
 * @arg: for @valid
 *
 * Return: 0, a negative errno, or what @valid returned.
 */
int symphony_talk(struct symphony *sym, struct nl_sock *sock, struct nl_msg *msg, int flags,
		  int (*valid)(const struct nlmsghdr *nlh, void *arg), void *arg);

/**
 * symphony_family() - find the family, with a socket to talk to it
 * @sym: connection; family, group and genl are set
 *
 * Return: 0 or a negative errno.
 */
int symphony_family(struct symphony *sym);

/**
 * symphony_place_read() - read which table a message is about
 * @place: result
 * @tb: attributes by &enum symphony_attr
 */
void symphony_place_read(struct symphony_place *place, struct nlattr **tb);

/**
 * symphony_values_put() - put values into a message, those that are given
 * @msg: message
 * @values: values
 * @attr_of: describes an attribute, NULL of what has none
 *
 * Return: 0, -EINVAL of a value for which there is no attribute, -ERANGE of one with
 * too many bits, -EMSGSIZE.
 */
int symphony_values_put(struct nl_msg *msg, const struct symphony_values *values,
			const struct symphony_field *(*attr_of)(unsigned int attr));

/**
 * symphony_values_take() - read numbers; those of attributes unknown so far, too
 * @values: result
 * @first: first of the attributes
 * @len: of all of them
 */
void symphony_values_take(struct symphony_values *values, struct nlattr *first, int len);

/**
 * symphony_values_read() - read nested numbers
 * @values: result
 * @nest: attribute around them, or NULL
 */
void symphony_values_read(struct symphony_values *values, struct nlattr *nest);

#endif
