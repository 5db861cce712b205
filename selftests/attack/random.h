/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers that depend on a seed alone, so that a run can be repeated. */
#ifndef _ATTACK_RANDOM_H
#define _ATTACK_RANDOM_H

#include <linux/types.h>

/* Not 0. */
static __u64 state;

/* A number below @below. */
static __u32 rnd(__u32 below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 16) % below;
}

#endif
