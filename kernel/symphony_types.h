/* SPDX-License-Identifier: GPL-2.0 */
/* The few kernel types that the algorithm and the parser need anywhere. */
#ifndef _SYMPHONY_TYPES_H
#define _SYMPHONY_TYPES_H

#ifdef __KERNEL__
#include <linux/compiler.h>
#include <linux/math64.h>
#include <linux/types.h>
#else
#include <stdbool.h>
#include <sys/cdefs.h>

#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __s32 s32;
typedef __u64 u64;
typedef __s64 s64;

#define noinline	__attribute_noinline__

#ifndef likely
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#endif

/* a * mul >> shift without losing the high bits; 0 <= shift <= 32 */
static inline u64 mul_u64_u32_shr(u64 a, u32 mul, unsigned int shift)
{
	u64 high = (a >> 32) * mul;
	u64 low = (u64)(u32)a * mul;

	return (high << (32 - shift)) + (low >> shift);
}

static inline u64 div64_u64_rem(u64 dividend, u64 divisor, u64 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}
#endif /* !__KERNEL__ */

#endif
