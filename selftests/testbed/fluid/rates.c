// SPDX-License-Identifier: GPL-2.0
/* Who gets how much of which link. */
#include <float.h>
#include <stdlib.h>

#include "fluid.h"

/* Shares that differ by rounding alone are the same. */
#define SLACK	0.000000001

static double tightest(const struct fluid *fluid)
{
	const struct fluid_link *link;
	double share = DBL_MAX;

	for (link = fluid->links; link < fluid->links + fluid->nlinks; link++)
		if (link->users && link->left / link->users < share)
			share = link->left / link->users;
	return share;
}

static bool is_held_back(const struct fluid_msg *msg, double share)
{
	const struct fluid_link *link;
	unsigned int i;

	for (i = 0; i < msg->hops; i++) {
		link = msg->links[i];
		if (link->left <= link->users * share * (1 + SLACK) + SLACK)
			return true;
	}
	return false;
}

static void fix(struct fluid_msg *msg, double rate)
{
	struct fluid_link *link;
	unsigned int i;

	msg->rate = rate;
	msg->fixed = true;
	for (i = 0; i < msg->hops; i++) {
		link = msg->links[i];
		link->users--;
		link->left = link->left > rate ? link->left - rate : 0;
	}
}

/* Max-min fair shares of what is left: the tightest link decides first. */
static void share_fairly(struct fluid *fluid, struct fluid_msg **msgs,
			 size_t n)
{
	size_t i, open = n;
	double share;
	unsigned int j;

	for (i = 0; i < n; i++) {
		msgs[i]->fixed = false;
		for (j = 0; j < msgs[i]->hops; j++)
			msgs[i]->links[j]->users++;
	}
	while (open) {
		share = tightest(fluid);
		for (i = 0; i < n; i++) {
			if (msgs[i]->fixed || !is_held_back(msgs[i], share))
				continue;
			fix(msgs[i], share);
			open--;
		}
	}
}

static int by_rank(const void *a, const void *b)
{
	const struct fluid_msg *x = *(struct fluid_msg *const *)a;
	const struct fluid_msg *y = *(struct fluid_msg *const *)b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

static int by_step(const void *a, const void *b)
{
	const struct fluid_msg *x = *(struct fluid_msg *const *)a;
	const struct fluid_msg *y = *(struct fluid_msg *const *)b;

	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	return (x->step > y->step) - (x->step < y->step);
}

/* How many steps of its job are ahead of each. */
static void rank(struct fluid_msg **active, size_t n)
{
	size_t i;

	qsort(active, n, sizeof(*active), by_step);
	for (i = 0; i < n; i++) {
		if (!i || active[i]->job != active[i - 1]->job)
			active[i]->rank = 0;
		else
			active[i]->rank = active[i - 1]->rank +
					  (active[i]->step != active[i - 1]->step);
	}
}

/**
 * fluid_share() - find the rates of what is under way
 * @fluid: the run
 * @active: messages under way, put in another order
 * @n: number of them
 * @policy: who goes first
 */
void fluid_share(struct fluid *fluid, struct fluid_msg **active, size_t n,
		 enum fluid_policy policy)
{
	size_t first, last, i;

	for (i = 0; i < fluid->nlinks; i++)
		fluid->links[i].left = fluid->links[i].rate;
	rank(active, n);
	if (policy == FLUID_FAIR) {
		share_fairly(fluid, active, n);
		return;
	}
	qsort(active, n, sizeof(*active), by_rank);
	for (first = 0; first < n; first = last) {
		last = first;
		while (last < n && active[last]->rank == active[first]->rank)
			last++;
		share_fairly(fluid, active + first, last - first);
	}
}
