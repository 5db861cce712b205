/* SPDX-License-Identifier: GPL-2.0 */
/* Names that the kernel has for types. */
#ifndef _NAMES_H
#define _NAMES_H

#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef unsigned long long u64;

#endif
