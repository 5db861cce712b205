// SPDX-License-Identifier: GPL-2.0
/* Lists of qdiscs and their sums. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

/* Who changes qdiscs more often than this stands in his own way. */
#define DUMP_TRIES	10

static int add(const struct symphony_qdisc *qdisc, void *arg)
{
	struct qdiscs *list = arg;
	struct symphony_qdisc *grown;

	grown = reallocarray(list->qdisc, list->nr + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	list->qdisc = grown;
	list->qdisc[list->nr++] = *qdisc;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct symphony_qdisc *x = a, *y = b;

	if (x->ifindex != y->ifindex)
		return x->ifindex < y->ifindex ? -1 : 1;
	return x->handle < y->handle ? -1 : x->handle > y->handle;
}

void qdiscs_free(struct qdiscs *list)
{
	free(list->qdisc);
	memset(list, 0, sizeof(*list));
}

int qdiscs_get(struct context *ctx, unsigned int ifindex, struct qdiscs *list)
{
	int tries, err = -EINTR;

	memset(list, 0, sizeof(*list));
	for (tries = 0; err == -EINTR && tries < DUMP_TRIES; tries++) {
		qdiscs_free(list);
		err = symphony_qdiscs(ctx->sym, ifindex, add, list);
	}
	if (err) {
		qdiscs_free(list);
		return cmd_kernel(ctx, "qdiscs");
	}
	if (list->nr)
		qsort(list->qdisc, list->nr, sizeof(*list->qdisc), compare);
	return 0;
}

static bool shared_before(const struct symphony_qdisc *qdisc, size_t i)
{
	__u64 domain = symphony_get(&qdisc[i].options, TCA_SYMPHONY_DOMAIN);
	size_t j;

	for (j = 0; domain && j < i; j++) {
		if (symphony_get(&qdisc[j].options, TCA_SYMPHONY_DOMAIN) == domain)
			return true;
	}
	return false;
}

static __u64 sum_of(const struct symphony_qdisc *qdisc, size_t nr, unsigned int attr)
{
	__u64 sum = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		__u64 value = symphony_get(&qdisc[i].stats, attr);

		switch (attr) {
		case TCA_SYMPHONY_STATS_JOBS:
		case TCA_SYMPHONY_STATS_MEMORY:
			sum += shared_before(qdisc, i) ? 0 : value;
			break;
		case TCA_SYMPHONY_STATS_ORDER_WAIT_MAX:
			sum = value > sum ? value : sum;
			break;
		default:
			sum += value;
		}
	}
	return sum;
}

void qdiscs_sum(const struct symphony_qdisc *qdisc, size_t nr, struct symphony_values *sum)
{
	unsigned int attr;
	size_t i;

	memset(sum, 0, sizeof(*sum));
	for (attr = 0; attr < SYMPHONY_VALUES_MAX; attr++) {
		for (i = 0; i < nr; i++) {
			if (symphony_has(&qdisc[i].stats, attr)) {
				symphony_put(sum, attr, sum_of(qdisc, nr, attr));
				break;
			}
		}
	}
}
