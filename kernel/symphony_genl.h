/* SPDX-License-Identifier: GPL-2.0 */
/* Generic netlink family "symphony". */
#ifndef _SYMPHONY_GENL_H
#define _SYMPHONY_GENL_H

struct genl_family;

extern struct genl_family symphony_genl_family;

int symphony_genl_register(void);
void symphony_genl_unregister(void);

#endif
