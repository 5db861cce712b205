// SPDX-License-Identifier: GPL-2.0
/*
 * What a packet costs: feed RoCEv2 or Ultra Ethernet packets of many jobs and
 * flows through the qdiscs of some devices, one device after the other, round
 * after round, and tell the time.
 *
 * Write a line of words to /sys/kernel/debug/symphony_bench, then read the
 * result from the same open file:
 *
 *	path=qdisc dev=d0,d1 rounds=100 packets=2048 jobs=64 flows=2
 *
 * gives a line for each device, queue and round: device, queue, round,
 * packets, time of enqueue() and of dequeue() in ns, packets that were lost.
 * The first time is that of both with alternate=1 and another path.
 *
 * path=qdisc calls enqueue() and dequeue() of the root qdisc of each of the
 * device's first "queues" queues, one kernel thread and one CPU a queue; only
 * these calls are timed. path=xmit hands packets to dev_queue_xmit(),
 * path=receive to the device's receive side: both time all up to there.
 *
 * path=qdisc holds the RTNL all the time, so that nobody replaces a qdisc. The
 * others do not: qdiscs can be changed while packets pass.
 *
 * Every packet is new and writable. Its headers are in the cache, since they
 * have just been written, unless cold=1 evicts them.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/etherdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/net_namespace.h>
#include <net/pkt_sched.h>

#define BENCH_DEVS	16
#define BENCH_QUEUES	8
#define BENCH_BATCH	2048
#define BENCH_LINE	80		/* bytes of a line of the result, at most */
#define BENCH_OUTPUT	SZ_1M
#define BENCH_FLOWS	SZ_8M
#define BENCH_LINEAR	192		/* bytes of headers in the linear area */

#define BENCH_PORT_ROCEV2	4791
#define BENCH_PORT_UET		4793
#define BENCH_PORT_OTHER	9
#define BENCH_STEP_PORTS	0xc000
#define BENCH_STEP_MASK		0x3fff

enum bench_path {
	BENCH_QDISC,
	BENCH_XMIT,
	BENCH_RECEIVE,
};

static const char * const bench_paths[] = {
	[BENCH_QDISC] = "qdisc",
	[BENCH_XMIT] = "xmit",
	[BENCH_RECEIVE] = "receive",
};

enum bench_kind {
	BENCH_DATA,		/* a job's WRITE */
	BENCH_NOJOB,		/* a WRITE without job */
	BENCH_CONTROL,		/* ACK */
	BENCH_OTHER,		/* UDP to another port */
	BENCH_TCP,
	BENCH_UET,		/* a job's Ultra Ethernet request */
};

static const char * const bench_kinds[] = {
	[BENCH_DATA] = "data",
	[BENCH_NOJOB] = "nojob",
	[BENCH_CONTROL] = "control",
	[BENCH_OTHER] = "other",
	[BENCH_TCP] = "tcp",
	[BENCH_UET] = "uet",
};

/* What to do; all of it can be set by the user. */
struct bench_spec {
	char *devs[BENCH_DEVS];
	u32 nr_devs;
	u32 path;		/* enum bench_path */
	u32 kind;		/* enum bench_kind */
	u32 family;		/* IP version */
	u32 rounds;
	u32 streak;		/* rounds of a device before the next device */
	u32 packets;		/* a round and a queue */
	u32 batch;		/* packets enqueued, then dequeued, at once */
	u32 queues;
	u32 jobs;
	u32 flows;		/* a job */
	u32 message;		/* packets of a message, one a step */
	u32 size;		/* bytes of a packet with all headers */
	u32 warmup;		/* packets before the first round */
	u32 alternate;		/* dequeue each packet before the next comes */
	u32 cold;		/* headers are not in the cache */
	u32 hashed;		/* as from a NIC that computes flow hashes */
};

struct bench_option {
	const char *name;
	size_t offset;
	u32 min;
	u32 max;
};

#define BENCH_OPTION(member, low, high) \
	{ #member, offsetof(struct bench_spec, member), low, high }

static const struct bench_option bench_options[] = {
	BENCH_OPTION(rounds, 1, 1000),
	BENCH_OPTION(streak, 1, 1000),
	BENCH_OPTION(packets, 1, 100000000),
	BENCH_OPTION(batch, 1, BENCH_BATCH),
	BENCH_OPTION(queues, 1, BENCH_QUEUES),
	BENCH_OPTION(jobs, 1, 65535),
	BENCH_OPTION(flows, 1, BENCH_FLOWS),
	BENCH_OPTION(message, 2, 1 << 20),
	BENCH_OPTION(size, BENCH_LINEAR, BENCH_LINEAR + PAGE_SIZE),
	BENCH_OPTION(warmup, 0, 100000000),
	BENCH_OPTION(alternate, 0, 1),
	BENCH_OPTION(cold, 0, 1),
	BENCH_OPTION(hashed, 0, 1),
	BENCH_OPTION(family, 4, 6),
};

/* A queue of a device, and the thread that feeds it. */
struct bench_feeder {
	const struct bench_spec *spec;
	struct net_device *dev;
	struct Qdisc *qdisc;	/* NULL if the device has no queue, or not needed */
	struct completion done;
	struct sk_buff *skbs[BENCH_BATCH];
	u32 queue;
	u64 next;		/* packets made so far */
	u32 todo;
	u64 enqueue_ns;
	u64 dequeue_ns;
	u32 lost;
	int err;
};

static struct page *bench_payload;
static struct dentry *bench_file;

/* ---- Packets ---- */

/* Where packet number n stands in the traffic: every flow in turn. */
struct bench_place {
	u32 flow;
	u32 job;
	u32 step;
	u32 psn;
	bool first;
	bool last;
};

static void bench_place_of(const struct bench_spec *spec, u64 n,
			   struct bench_place *place)
{
	u32 flows = spec->jobs * spec->flows, turn, in_message, step;
	u64 turns;

	turns = div_u64_rem(n, flows, &place->flow);
	place->job = place->flow % spec->jobs + 1;
	/* a step takes every flow of the job equally long */
	step = div_u64_rem(turns, spec->message, &in_message);
	turn = turns;
	/* every second flow of a job is a step ahead */
	place->step = (step + (place->flow / spec->jobs & 1)) & BENCH_STEP_MASK;
	place->psn = turn & 0xffffff;
	place->first = !in_message;
	place->last = in_message == spec->message - 1;
}

static void bench_put_bth(struct sk_buff *skb, const struct bench_spec *spec,
			  const struct bench_place *place)
{
	u32 job = spec->kind == BENCH_NOJOB ? 0 : place->job;
	u8 *bth = skb_put_zero(skb, 12);

	if (spec->kind == BENCH_CONTROL)
		bth[0] = 0x11;			/* RC ACK */
	else if (place->first)
		bth[0] = 0x06;			/* RC WRITE FIRST */
	else
		bth[0] = place->last ? 0x08 : 0x07;
	put_unaligned_be32((job & 0x1f80) << 17 | (place->flow & 0xffffff),
			   bth + 4);
	put_unaligned_be32((job & 0x7f) << 24 | place->psn, bth + 8);
}

static void bench_put_uet(struct sk_buff *skb, const struct bench_place *place)
{
	u8 *pds = skb_put_zero(skb, 12);
	u8 *ses = skb_put_zero(skb, 44);

	put_unaligned_be16(2 << 11 | 3 << 7, pds);	/* RUD, SES standard */
	put_unaligned_be32(place->psn, pds + 4);
	put_unaligned_be16(place->step, pds + 8);
	ses[0] = 1;					/* WRITE */
	ses[1] = place->first | place->last << 1;
	put_unaligned_be32(place->job, ses + 4);
}

static void bench_put_ip4(struct sk_buff *skb, const struct bench_spec *spec,
			  const struct bench_place *place)
{
	struct iphdr *ip = skb_put_zero(skb, sizeof(*ip));

	ip->version = 4;
	ip->ihl = 5;
	ip->tos = 2;					/* ECT(0) */
	ip->tot_len = htons(spec->size - ETH_HLEN);
	ip->frag_off = htons(IP_DF);
	ip->ttl = 64;
	ip->protocol = spec->kind == BENCH_TCP ? IPPROTO_TCP : IPPROTO_UDP;
	ip->saddr = htonl(0x0a010001 + (place->flow & 0xff));
	ip->daddr = htonl(0x0a020001 + (place->flow >> 8 & 0xff));
	ip->check = ip_fast_csum(ip, ip->ihl);
}

static void bench_put_ip6(struct sk_buff *skb, const struct bench_spec *spec,
			  const struct bench_place *place)
{
	struct ipv6hdr *ip = skb_put_zero(skb, sizeof(*ip));

	ip->version = 6;
	ip->priority = 0;
	ip->flow_lbl[0] = 0x20;				/* ECT(0) */
	ip->payload_len = htons(spec->size - ETH_HLEN - sizeof(*ip));
	ip->nexthdr = spec->kind == BENCH_TCP ? IPPROTO_TCP : IPPROTO_UDP;
	ip->hop_limit = 64;
	ip->saddr.s6_addr32[0] = htonl(0xfd000001);
	ip->saddr.s6_addr32[3] = htonl(1 + (place->flow & 0xff));
	ip->daddr.s6_addr32[0] = htonl(0xfd000002);
	ip->daddr.s6_addr32[3] = htonl(1 + (place->flow >> 8 & 0xff));
}

static void bench_put_udp(struct sk_buff *skb, const struct bench_spec *spec,
			  const struct bench_place *place)
{
	u32 len = spec->size - skb->len;
	struct udphdr *udp = skb_put_zero(skb, sizeof(*udp));

	udp->source = htons(BENCH_STEP_PORTS | place->step);
	udp->len = htons(len);
	switch (spec->kind) {
	case BENCH_UET:
		udp->dest = htons(BENCH_PORT_UET);
		bench_put_uet(skb, place);
		break;
	case BENCH_OTHER:
	case BENCH_TCP:
		udp->dest = htons(BENCH_PORT_OTHER);
		break;
	default:
		udp->dest = htons(BENCH_PORT_ROCEV2);
		bench_put_bth(skb, spec, place);
		break;
	}
}

static struct sk_buff *bench_packet(struct bench_feeder *f)
{
	const struct bench_spec *spec = f->spec;
	struct bench_place place;
	struct sk_buff *skb;
	struct ethhdr *eth;

	skb = alloc_skb(LL_MAX_HEADER + BENCH_LINEAR, GFP_KERNEL);
	if (!skb)
		return NULL;
	skb_reserve(skb, LL_MAX_HEADER);
	bench_place_of(spec, f->next++, &place);
	/* queues carry different flows of the same jobs */
	place.flow += (u32)f->queue * spec->jobs * spec->flows;

	skb_reset_mac_header(skb);
	eth = skb_put_zero(skb, sizeof(*eth));
	ether_addr_copy(eth->h_dest, f->dev->dev_addr);
	skb_set_network_header(skb, skb->len);
	if (spec->family == 4)
		bench_put_ip4(skb, spec, &place);
	else
		bench_put_ip6(skb, spec, &place);
	eth->h_proto = htons(spec->family == 4 ? ETH_P_IP : ETH_P_IPV6);
	skb_set_transport_header(skb, skb->len);
	bench_put_udp(skb, spec, &place);
	if (skb->len < BENCH_LINEAR)
		skb_put_zero(skb, BENCH_LINEAR - skb->len);
	if (spec->size > skb->len) {
		get_page(bench_payload);
		skb_add_rx_frag(skb, 0, bench_payload, 0, spec->size - skb->len,
				PAGE_SIZE);
	}

	skb->dev = f->dev;
	skb->protocol = eth->h_proto;
	qdisc_skb_cb(skb)->pkt_len = skb->len;
	if (spec->path == BENCH_XMIT)
		skb_record_rx_queue(skb, f->queue);	/* is sent there */
	else
		skb_set_queue_mapping(skb, f->queue);
	if (spec->hashed)
		skb_set_hash(skb, place.flow * 0x9e3779b9, PKT_HASH_TYPE_L4);
	return skb;
}

static void bench_evict(const struct sk_buff *skb)
{
#if defined(__x86_64__)
	u8 *p = skb->data, *end = p + BENCH_LINEAR;

	for (; p < end; p += L1_CACHE_BYTES)
		asm volatile("clflush %0" : "+m" (*p));
	asm volatile("mfence" ::: "memory");
#endif
}

/* ---- Feeding ---- */

static u64 bench_enqueue(struct bench_feeder *f, u32 count,
			 struct sk_buff **to_free)
{
	struct Qdisc *q = f->qdisc;
	spinlock_t *lock = qdisc_lock(q);
	u64 start;
	u32 i;

	spin_lock(lock);
	start = ktime_get_ns();
	for (i = 0; i < count; i++)
		q->enqueue(f->skbs[i], q, to_free);
	start = ktime_get_ns() - start;
	spin_unlock(lock);
	return start;
}

static u64 bench_dequeue(struct bench_feeder *f, u32 *count)
{
	u32 i = 0, max = *count;
	struct Qdisc *q = f->qdisc;
	spinlock_t *lock = qdisc_lock(q);
	u64 start;

	spin_lock(lock);
	start = ktime_get_ns();
	while (i < max) {
		struct sk_buff *skb = q->dequeue(q);

		/* queue order may hold some for a while */
		if (skb)
			f->skbs[i++] = skb;
		else if (!qdisc_qlen(q) || ktime_get_ns() - start > NSEC_PER_SEC)
			break;
	}
	start = ktime_get_ns() - start;
	spin_unlock(lock);
	*count = i;
	return start;
}

static u64 bench_alternate(struct bench_feeder *f, u32 *count,
			   struct sk_buff **to_free)
{
	struct Qdisc *q = f->qdisc;
	spinlock_t *lock = qdisc_lock(q);
	u32 back = 0, i;
	u64 start;

	spin_lock(lock);
	start = ktime_get_ns();
	for (i = 0; i < *count; i++) {
		struct sk_buff *skb;

		q->enqueue(f->skbs[i], q, to_free);
		skb = q->dequeue(q);
		if (likely(skb))
			f->skbs[back++] = skb;
	}
	start = ktime_get_ns() - start;
	spin_unlock(lock);
	*count = back;
	return start;
}

static void bench_through_qdisc(struct bench_feeder *f, u32 count)
{
	struct sk_buff *to_free = NULL;
	u32 back = count, i;

	local_bh_disable();
	if (f->qdisc && f->spec->alternate) {
		f->enqueue_ns += bench_alternate(f, &back, &to_free);
	} else if (f->qdisc) {
		f->enqueue_ns += bench_enqueue(f, count, &to_free);
		f->dequeue_ns += bench_dequeue(f, &back);
	}
	local_bh_enable();
	f->lost += count - back;
	kfree_skb_list(to_free);
	for (i = 0; i < back; i++)
		consume_skb(f->skbs[i]);
}

static void bench_through_stack(struct bench_feeder *f, u32 count)
{
	bool receive = f->spec->path == BENCH_RECEIVE;
	u32 i;

	local_bh_disable();
	for (i = 0; i < count; i++) {
		struct sk_buff *skb = f->skbs[i];

		if (receive) {
			skb->protocol = eth_type_trans(skb, f->dev);
			netif_receive_skb(skb);
		} else {
			dev_queue_xmit(skb);
		}
	}
	local_bh_enable();
}

static int bench_fill(struct bench_feeder *f, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		f->skbs[i] = bench_packet(f);
		if (!f->skbs[i])
			goto nomem;
	}
	if (f->spec->cold)
		for (i = 0; i < count; i++)
			bench_evict(f->skbs[i]);
	return 0;

nomem:
	while (i--)
		kfree_skb(f->skbs[i]);
	return -ENOMEM;
}

static int bench_feed(struct bench_feeder *f)
{
	const struct bench_spec *spec = f->spec;
	u64 start = ktime_get_ns();

	f->enqueue_ns = 0;
	f->dequeue_ns = 0;
	f->lost = 0;
	while (f->todo) {
		u32 count = min(f->todo, spec->batch);
		int err = bench_fill(f, count);

		if (err)
			return err;
		f->todo -= count;
		if (spec->path == BENCH_QDISC)
			bench_through_qdisc(f, count);
		else
			bench_through_stack(f, count);
		cond_resched();
	}
	if (spec->path != BENCH_QDISC)
		f->enqueue_ns = ktime_get_ns() - start;
	return 0;
}

static int bench_thread(void *data)
{
	struct bench_feeder *f = data;

	f->err = bench_feed(f);
	/* the feeder may be gone after this */
	kthread_complete_and_exit(&f->done, 0);
}

/* Feed all queues of a device at the same time. */
static int bench_feed_all(struct bench_feeder *feeders, u32 queues, u32 packets)
{
	u32 i, started;
	int err = 0;

	for (i = 0; i < queues; i++)
		feeders[i].todo = packets;
	if (queues == 1)
		return bench_feed(feeders);

	for (started = 0; started < queues; started++) {
		struct bench_feeder *f = &feeders[started];
		struct task_struct *task;

		init_completion(&f->done);
		f->err = 0;
		task = kthread_create(bench_thread, f, "bench/%u", started);
		if (IS_ERR(task)) {
			err = PTR_ERR(task);
			break;
		}
		kthread_bind(task, started % num_online_cpus());
		wake_up_process(task);
	}
	for (i = 0; i < started; i++) {
		wait_for_completion(&feeders[i].done);
		err = err ?: feeders[i].err;
	}
	return err;
}

static int bench_attach(struct bench_feeder *f, const struct bench_spec *spec,
			struct net_device *dev, u32 queue)
{
	struct Qdisc *q = NULL;

	if (queue >= dev->real_num_tx_queues) {
		pr_err("%s has no queue %u\n", dev->name, queue);
		return -ENXIO;
	}
	if (!netif_running(dev)) {
		pr_err("%s is down\n", dev->name);
		return -ENETDOWN;
	}
	if (spec->path == BENCH_QDISC)
		q = rtnl_dereference(netdev_get_tx_queue(dev, queue)->qdisc);
	f->spec = spec;
	f->dev = dev;
	f->queue = queue;
	f->qdisc = q && q->enqueue ? q : NULL;
	return 0;
}

/* ---- A run ---- */

struct bench_run {
	struct bench_spec spec;
	struct net_device *devs[BENCH_DEVS];
	struct bench_feeder *feeders;	/* spec.queues of each device */
	char *output;
	size_t len;
	size_t size;
};

static struct bench_feeder *bench_feeders_of(struct bench_run *run, u32 dev)
{
	return &run->feeders[dev * run->spec.queues];
}

static void bench_print(struct bench_run *run, u32 dev, u32 round)
{
	const struct bench_feeder *f = bench_feeders_of(run, dev);
	u32 i;

	for (i = 0; i < run->spec.queues; i++, f++)
		run->len += scnprintf(run->output + run->len,
				      run->size - run->len,
				      "%s %u %u %u %llu %llu %u\n",
				      f->dev->name, i, round,
				      run->spec.packets, f->enqueue_ns,
				      f->dequeue_ns, f->lost);
}

static int bench_rounds(struct bench_run *run)
{
	const struct bench_spec *spec = &run->spec;
	u32 round, dev, i;
	int err;

	for (dev = 0; dev < spec->nr_devs; dev++) {
		err = bench_feed_all(bench_feeders_of(run, dev), spec->queues,
				     spec->warmup);
		if (err)
			return err;
	}
	for (i = 0; i < roundup(spec->rounds, spec->streak) * spec->nr_devs; i++) {
		/* streak after streak, device after device */
		round = i / (spec->streak * spec->nr_devs) * spec->streak +
			i % spec->streak;
		dev = i / spec->streak % spec->nr_devs;
		if (round >= spec->rounds)
			continue;
		err = bench_feed_all(bench_feeders_of(run, dev), spec->queues,
				     spec->packets);
		if (err)
			return err;
		bench_print(run, dev, round);
		if (signal_pending(current))
			return -EINTR;
	}
	return 0;
}

/* Finds the devices, and holds them. */
static int bench_find_devices(struct bench_run *run)
{
	struct net *net = current->nsproxy->net_ns;
	struct bench_spec *spec = &run->spec;
	u32 dev, i;
	int err;

	for (dev = 0; dev < spec->nr_devs; dev++) {
		struct bench_feeder *f = bench_feeders_of(run, dev);

		run->devs[dev] = dev_get_by_name(net, spec->devs[dev]);
		if (!run->devs[dev]) {
			pr_err("there is no device %s\n", spec->devs[dev]);
			return -ENODEV;
		}
		for (i = 0; i < spec->queues; i++) {
			err = bench_attach(&f[i], spec, run->devs[dev], i);
			if (err)
				return err;
		}
	}
	return 0;
}

static void bench_put_devices(struct bench_run *run)
{
	u32 dev;

	for (dev = 0; dev < run->spec.nr_devs && run->devs[dev]; dev++)
		dev_put(run->devs[dev]);
}

static int bench_execute(struct bench_run *run)
{
	struct bench_spec *spec = &run->spec;
	int err;

	run->size = min_t(size_t, BENCH_OUTPUT, (size_t)spec->rounds *
			  spec->nr_devs * spec->queues * BENCH_LINE + 1);
	run->output = kvmalloc(run->size, GFP_KERNEL);
	run->feeders = kvcalloc(spec->nr_devs * spec->queues,
				sizeof(*run->feeders), GFP_KERNEL);
	if (!run->output || !run->feeders)
		return -ENOMEM;

	rtnl_lock();
	err = bench_find_devices(run);
	if (spec->path != BENCH_QDISC)
		rtnl_unlock();
	if (!err)
		err = bench_rounds(run);
	if (spec->path == BENCH_QDISC)
		rtnl_unlock();
	bench_put_devices(run);
	return err;
}

/* ---- The file ---- */

static int bench_match(const char * const *names, u32 count, const char *value,
		       u32 *result)
{
	int i = match_string(names, count, value);

	if (i < 0) {
		pr_err("'%s' is not known\n", value);
		return -EINVAL;
	}
	*result = i;
	return 0;
}

static int bench_set_number(struct bench_spec *spec, const char *name,
			    const char *value)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bench_options); i++) {
		const struct bench_option *o = &bench_options[i];
		u32 *number = (void *)spec + o->offset;

		if (strcmp(o->name, name))
			continue;
		if (kstrtou32(value, 10, number) || *number < o->min ||
		    *number > o->max) {
			pr_err("%s=%s is not from %u to %u\n", name, value,
			       o->min, o->max);
			return -EINVAL;
		}
		return 0;
	}
	pr_err("there is no option %s\n", name);
	return -EINVAL;
}

static int bench_set(struct bench_spec *spec, char *word)
{
	char *name = strsep(&word, "=");

	if (!word) {
		pr_err("'%s' is not NAME=VALUE\n", name);
		return -EINVAL;
	}
	if (!strcmp(name, "dev")) {
		while (word && spec->nr_devs < BENCH_DEVS)
			spec->devs[spec->nr_devs++] = strsep(&word, ",");
		if (word) {
			pr_err("more than %u devices\n", BENCH_DEVS);
			return -EINVAL;
		}
		return 0;
	}
	if (!strcmp(name, "path"))
		return bench_match(bench_paths, ARRAY_SIZE(bench_paths), word,
				   &spec->path);
	if (!strcmp(name, "kind"))
		return bench_match(bench_kinds, ARRAY_SIZE(bench_kinds), word,
				   &spec->kind);
	return bench_set_number(spec, name, word);
}

static int bench_parse(struct bench_spec *spec, char *line)
{
	char *word;

	*spec = (struct bench_spec) {
		.family = 4,
		.rounds = 100,
		.streak = 1,
		.packets = 2048,
		.batch = 64,
		.queues = 1,
		.jobs = 64,
		.flows = 2,
		.message = 512,
		.size = 4096 + 58,
		.warmup = 4096,
	};
	while ((word = strsep(&line, "\n "))) {
		int err = *word ? bench_set(spec, word) : 0;

		if (err)
			return err;
	}
	if (!spec->nr_devs || spec->family == 5 ||
	    (u64)spec->jobs * spec->flows > BENCH_FLOWS) {
		pr_err("no dev, family=5, or more than %u flows\n", BENCH_FLOWS);
		return -EINVAL;
	}
	return 0;
}

static int bench_open(struct inode *inode, struct file *file)
{
	struct bench_run *run = kzalloc(sizeof(*run), GFP_KERNEL);

	file->private_data = run;
	return run ? 0 : -ENOMEM;
}

static int bench_release(struct inode *inode, struct file *file)
{
	struct bench_run *run = file->private_data;

	kvfree(run->feeders);
	kvfree(run->output);
	kfree(run);
	return 0;
}

static ssize_t bench_write(struct file *file, const char __user *buf,
			   size_t size, loff_t *pos)
{
	struct bench_run *run = file->private_data;
	char *line;
	int err;

	if (run->output)
		return -EBUSY;
	if (size >= PAGE_SIZE)
		return -EINVAL;
	line = memdup_user_nul(buf, size);
	if (IS_ERR(line))
		return PTR_ERR(line);
	err = bench_parse(&run->spec, line);
	if (!err)
		err = bench_execute(run);
	kfree(line);
	return err ?: size;
}

static ssize_t bench_read(struct file *file, char __user *buf, size_t size,
			  loff_t *pos)
{
	struct bench_run *run = file->private_data;

	return simple_read_from_buffer(buf, size, pos, run->output, run->len);
}

static const struct file_operations bench_fops = {
	.owner = THIS_MODULE,
	.open = bench_open,
	.release = bench_release,
	.write = bench_write,
	.read = bench_read,
};

static int __init bench_init(void)
{
	bench_payload = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!bench_payload)
		return -ENOMEM;
	bench_file = debugfs_create_file("symphony_bench", 0600, NULL, NULL,
					 &bench_fops);
	return 0;
}

static void __exit bench_exit(void)
{
	debugfs_remove(bench_file);
	put_page(bench_payload);
}

module_init(bench_init);
module_exit(bench_exit);

MODULE_DESCRIPTION("Cost of a packet in queueing disciplines");
MODULE_LICENSE("GPL");
