/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How tc calls a plugin and what it offers for output, in place of the header
 * of the same name in the iproute2 source: distributions do not package that.
 * Holds for iproute2 5.9, which added has_block, to 7.1. The callbacks got
 * their const in 6.9, which changes nothing in the binary.
 */
#ifndef _SYMPHONY_PLUGIN_TC_UTIL_H
#define _SYMPHONY_PLUGIN_TC_UTIL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/types.h>

struct qdisc_util {
	struct qdisc_util *next;	/* tc links its plugins here */
	const char *id;
	int (*parse_qopt)(const struct qdisc_util *qu, int argc, char **argv,
			  struct nlmsghdr *n, const char *dev);
	int (*print_qopt)(const struct qdisc_util *qu, FILE *f,
			  struct rtattr *opt);
	int (*print_xstats)(const struct qdisc_util *qu, FILE *f,
			    struct rtattr *xstats);
	int (*parse_copt)(const struct qdisc_util *qu, int argc, char **argv,
			  struct nlmsghdr *n, const char *dev);
	int (*print_copt)(const struct qdisc_util *qu, FILE *f,
			  struct rtattr *opt);
	int (*has_block)(const struct qdisc_util *qu, struct rtattr *opt,
			 __u32 block_idx, bool *p_has);
};

enum output_type {
	PRINT_FP = 1,
	PRINT_JSON = 2,
	PRINT_ANY = 4,
};

/* The colours before it are those of device names and addresses. */
enum color_attr {
	COLOR_NONE = 6
};

struct json_writer;

struct json_writer *get_json_writer(void);
void jsonw_name(struct json_writer *self, const char *name);
void jsonw_printf(struct json_writer *self, const char *fmt, ...);

bool is_json_context(void);
void print_nl(void);
int print_color_string(enum output_type t, enum color_attr color,
		       const char *key, const char *fmt, const char *value);
int print_color_u64(enum output_type t, enum color_attr color,
		    const char *key, const char *fmt, uint64_t value);

static inline int print_string(enum output_type t, const char *key,
			       const char *fmt, const char *value)
{
	return print_color_string(t, COLOR_NONE, key, fmt, value);
}

static inline int print_u64(enum output_type t, const char *key,
			    const char *fmt, uint64_t value)
{
	return print_color_u64(t, COLOR_NONE, key, fmt, value);
}

#endif
