/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The netlink helpers that tc exports to its plugins, in place of the header
 * of the same name in the iproute2 source: distributions do not package that.
 * Holds for iproute2 5.9 to 7.1.
 */
#ifndef _SYMPHONY_PLUGIN_UTILS_H
#define _SYMPHONY_PLUGIN_UTILS_H

#include <string.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/types.h>

int addattr32(struct nlmsghdr *n, int maxlen, int type, __u32 data);
int addattr64(struct nlmsghdr *n, int maxlen, int type, __u64 data);
struct rtattr *addattr_nest(struct nlmsghdr *n, int maxlen, int type);
int addattr_nest_end(struct nlmsghdr *n, struct rtattr *nest);
int parse_rtattr_flags(struct rtattr *tb[], int max, struct rtattr *rta,
		       int len, unsigned short flags);

static inline int parse_rtattr_nested(struct rtattr *tb[], int max,
				      struct rtattr *rta)
{
	return parse_rtattr_flags(tb, max, RTA_DATA(rta), RTA_PAYLOAD(rta),
				  NLA_F_NESTED);
}

static inline __u32 rta_getattr_u32(const struct rtattr *rta)
{
	return *(const __u32 *)RTA_DATA(rta);
}

/* Attributes are aligned to 4 bytes only. */
static inline __u64 rta_getattr_u64(const struct rtattr *rta)
{
	__u64 value;

	memcpy(&value, RTA_DATA(rta), sizeof(value));
	return value;
}

#endif
