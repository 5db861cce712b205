// SPDX-License-Identifier: GPL-2.0
/* symphony doctor: where a qdisc stands, and what its counters say. */
#include <string.h>

#include "doctor.h"

/* Less than this share of packets is what every network has, in percent. */
#define SHARE_NOTE	1
#define SHARE_WRONG	50

static __u64 stat(const struct doctor *doctor, unsigned int attr)
{
	return symphony_get(&doctor->qdisc->stats, attr);
}

static __u64 option(const struct doctor *doctor, unsigned int attr)
{
	return symphony_get(&doctor->qdisc->options, attr);
}

static bool is_above(__u64 part, __u64 whole, unsigned int percent)
{
	return part && part >= whole / 100 * percent;
}

static enum result result_of(__u64 part, __u64 whole)
{
	return is_above(part, whole, SHARE_WRONG) ? WRONG : NOTE;
}

/* The command that changes this qdisc. */
static const char *to_change(const struct doctor *doctor, const char *options, char *buf,
			     size_t size)
{
	char handle[TEXT_MAX], parent[TEXT_MAX];
	bool root = doctor->qdisc->parent == UINT32_MAX;

	snprintf(buf, size, "tc qdisc change dev %s %s%s handle %s symphony %s",
		 doctor->qdisc->dev, root ? "" : "parent ",
		 text_handle(doctor->qdisc->parent, parent),
		 text_handle(doctor->qdisc->handle, handle), options);
	return buf;
}

static void examine_device(struct doctor *doctor, const struct link *link)
{
	if (!(link->flags & IFF_UP))
		found(doctor, WRONG, "place", "ip link set DEV up", "%s is down", link->name);
	else if (!strcmp(link->kind, "bridge"))
		found(doctor, WRONG, "place", "Put symphony on the ports of the bridge.",
		      "%s is a bridge: what it forwards leaves by its ports", link->name);
	else if (!strcmp(link->kind, "bond") || !strcmp(link->kind, "team"))
		found(doctor, NOTE, "place",
		      "Put symphony on the devices below, with one domain, where the queues are.",
		      "%s is a %s, which has no queue of its own", link->name, link->kind);
	else if (link->flags & IFF_LOOPBACK)
		found(doctor, WRONG, "place", "Put symphony where packets leave the host.",
		      "%s is the loopback device", link->name);
	else if (link->queues > 1 && doctor->qdisc->parent == UINT32_MAX && !*link->kind)
		found(doctor, NOTE, "place",
		      "Put symphony below mq, one a queue, with one domain: see tc-symphony(8).",
		      "%s has %u queues, and symphony as its root makes one of all", link->name,
		      link->queues);
	else
		found(doctor, FINE, "place", NULL, "%s is up", link->name);
}

/* What leaves or is forwarded below all qdiscs. */
static void examine_bypass(struct doctor *doctor, const struct link *links, int nr)
{
	bool any = false;
	int i;

	for (i = 0; i < nr; i++) {
		if (links[i].xdp) {
			any = true;
			found(doctor, NOTE, "offload", "ip -details link show dev DEV",
			      "an XDP program on %s may send packets past all qdiscs",
			      links[i].name);
		}
	}
	if (link_feature(doctor->qdisc->dev, "hw-tc-offload")) {
		any = true;
		found(doctor, NOTE, "offload", "ethtool -K DEV hw-tc-offload off, for a try",
		      "%s may forward in hardware (hw-tc-offload), past all qdiscs",
		      doctor->qdisc->dev);
	}
	if (!any)
		found(doctor, FINE, "offload", NULL, "nothing is known to go past the qdisc");
}

void examine_place(struct doctor *doctor, const struct link *links, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		if (links[i].ifindex == doctor->qdisc->ifindex)
			examine_device(doctor, &links[i]);
	}
	examine_bypass(doctor, links, nr);
}

static __u64 tagged(const struct doctor *doctor)
{
	return stat(doctor, TCA_SYMPHONY_STATS_DATA) + stat(doctor, TCA_SYMPHONY_STATS_NO_STEP) +
	       stat(doctor, TCA_SYMPHONY_STATS_TABLE_FULL);
}

static bool examine_parsed(struct doctor *doctor)
{
	__u64 data = tagged(doctor) + stat(doctor, TCA_SYMPHONY_STATS_NO_JOB);
	__u64 unparsable = stat(doctor, TCA_SYMPHONY_STATS_UNPARSABLE);
	__u64 all = data + unparsable + stat(doctor, TCA_SYMPHONY_STATS_CONTROL) +
		    stat(doctor, TCA_SYMPHONY_STATS_OTHER);
	const char *proto = text_option(&doctor->qdisc->options, TCA_SYMPHONY_PROTO);
	char share[TEXT_MAX];

	if (!all) {
		found(doctor, WRONG, "traffic",
		      "It sees what the kernel sends out of its device, not what comes in there nor what hardware forwards. Wait for traffic, or put it where packets leave.",
		      "no packet has passed");
		return false;
	}
	if (!data) {
		found(doctor, WRONG, "parsed",
		      "RoCEv2 is UDP port 4791 and Ultra Ethernet 4793 (proto uet). In other tunnels than VXLAN and Geneve packets cannot be read: put symphony on the tunnel's device.",
		      "%llu packets, but none with data of %s", all, proto);
		return false;
	}
	found(doctor, FINE, "parsed", NULL, "%s of %llu packets carry data of %s",
	      text_share(data, all, share), all, proto);
	if (is_above(unparsable, all, SHARE_NOTE))
		found(doctor, result_of(unparsable, all), "parsed",
		      "Look at them: tcpdump -i DEV udp port 4791",
		      "%s are cut short or malformed", text_share(unparsable, all, share));
	return true;
}

static bool examine_job(struct doctor *doctor)
{
	static const char *const advice[] = {
		[TC_SYMPHONY_JOB_RESV] =
			"No adapter writes a job into packets: use job filter, job dscp or job fixed.",
		[TC_SYMPHONY_JOB_DSCP] =
			"Their DSCP is 0: let the senders set one, or use job filter.",
		[TC_SYMPHONY_JOB_FILTER] =
			"No filter chose a class of theirs: tc filter show dev DEV. Class ids are hexadecimal.",
	};
	__u64 data = tagged(doctor) + stat(doctor, TCA_SYMPHONY_STATS_NO_JOB);
	__u64 none = stat(doctor, TCA_SYMPHONY_STATS_NO_JOB);
	__u64 source = option(doctor, TCA_SYMPHONY_JOB);
	char share[TEXT_MAX];

	if (is_above(none, data, SHARE_NOTE))
		found(doctor, result_of(none, data), "job",
		      source < ROWS(advice) ? advice[source] : NULL,
		      "%s of the data name no job (job %s)", text_share(none, data, share),
		      text_option(&doctor->qdisc->options, TCA_SYMPHONY_JOB));
	else
		found(doctor, FINE, "job", NULL, "the data name jobs, %llu now",
		      stat(doctor, TCA_SYMPHONY_STATS_JOBS));
	return tagged(doctor);
}

static bool examine_step(struct doctor *doctor)
{
	__u64 none = stat(doctor, TCA_SYMPHONY_STATS_NO_STEP);
	__u64 entropy = stat(doctor, TCA_SYMPHONY_STATS_STEP_ENTROPY);
	char share[TEXT_MAX], advice[256];

	text_share(none, tagged(doctor), share);
	if (is_above(entropy, tagged(doctor), SHARE_NOTE))
		found(doctor, result_of(entropy, tagged(doctor)), "step",
		      to_change(doctor, "step count", advice, sizeof(advice)),
		      "%s of the jobs' data have no step: the numbers taken for steps are a NIC's hash (step_entropy)",
		      share);
	else if (is_above(none, tagged(doctor), SHARE_NOTE))
		found(doctor, result_of(none, tagged(doctor)), "step",
		      to_change(doctor, "step count", advice, sizeof(advice)),
		      "%s of the jobs' data have no step", share);
	else
		found(doctor, FINE, "step", NULL, "the jobs' data have steps");
	return stat(doctor, TCA_SYMPHONY_STATS_DATA);
}

static void examine_room(struct doctor *doctor)
{
	__u64 full = stat(doctor, TCA_SYMPHONY_STATS_TABLE_FULL);
	__u64 replaced = stat(doctor, TCA_SYMPHONY_STATS_JOBS_REPLACED);
	__u64 nowhere = stat(doctor, TCA_SYMPHONY_STATS_NO_POSITION);
	__u64 data = stat(doctor, TCA_SYMPHONY_STATS_DATA);
	char share[TEXT_MAX], advice[256];

	if (full || replaced)
		found(doctor, WRONG, "table",
		      "Raise jobs, if these are jobs; made-up numbers come and go.",
		      "the table of %llu jobs is full: %llu packets found no room, %llu jobs were given up",
		      option(doctor, TCA_SYMPHONY_JOBS), full, replaced);
	if (is_above(nowhere, data, SHARE_NOTE))
		found(doctor, result_of(nowhere, data), "position",
		      stat(doctor, TCA_SYMPHONY_STATS_FLOWS_REPLACED) ?
		      to_change(doctor, "flows N, more than now", advice, sizeof(advice)) :
		      "It joined in the midst of steps, or a flow takes several paths.",
		      "%s of the data have no position: their step's first packet was not seen",
		      text_share(nowhere, data, share));
}

static void examine_mode(struct doctor *doctor)
{
	__u64 would = stat(doctor, TCA_SYMPHONY_STATS_WOULD_MARK);
	char advice[256];

	switch (option(doctor, TCA_SYMPHONY_MODE)) {
	case TC_SYMPHONY_MODE_OBSERVE:
		found(doctor, NOTE, "mode", to_change(doctor, "mode mark", advice, sizeof(advice)),
		      "mode observe changes no packet; %llu would have been marked", would);
		break;
	case TC_SYMPHONY_MODE_PRIO:
		found(doctor, NOTE, "mode", to_change(doctor, "mode mark", advice, sizeof(advice)),
		      "mode prio marks nothing");
		break;
	}
}

static void examine_marks(struct doctor *doctor)
{
	__u64 not_ect = stat(doctor, TCA_SYMPHONY_STATS_NOT_ECT);
	__u64 marked = stat(doctor, TCA_SYMPHONY_STATS_MARKED) +
		       stat(doctor, TCA_SYMPHONY_STATS_WOULD_MARK);
	__u64 due = marked + not_ect + stat(doctor, TCA_SYMPHONY_STATS_ALREADY_CE) +
		    stat(doctor, TCA_SYMPHONY_STATS_MARK_FAILED);
	char share[TEXT_MAX], advice[256];

	if (!due) {
		found(doctor, NOTE, "marks",
		      to_change(doctor, "k 1 warmup 0 window 10ms, for a try", advice,
				sizeof(advice)),
		      "packets run ahead, but none was due for a mark yet: k may be small, or steps shorter than warmup");
		return;
	}
	if (is_above(not_ect, due, SHARE_NOTE))
		found(doctor, result_of(not_ect, due), "ect",
		      "Let the senders set a traffic class with ECT: NCCL_IB_TC=106, or perftest's --tclass=106.",
		      "%s of the %llu packets due for a mark are Not-ECT and stay as they are",
		      text_share(not_ect, due, share), due);
	else
		found(doctor, FINE, "ect", NULL, "packets due for a mark are ECN capable");
	if (marked)
		found(doctor, FINE, "marks", NULL,
		      "%llu packets were due for a mark and ECN capable", marked);
}

void examine_counters(struct doctor *doctor)
{
	__u64 ahead = stat(doctor, TCA_SYMPHONY_STATS_OUTPACING);
	char share[TEXT_MAX];

	if (!examine_parsed(doctor) || !examine_job(doctor) || !examine_step(doctor))
		return;
	examine_room(doctor);
	examine_mode(doctor);
	if (!ahead) {
		found(doctor, FINE, "ahead", NULL,
		      "nothing ran ahead of its job's smallest step: nothing to mark");
		return;
	}
	found(doctor, FINE, "ahead", NULL, "%s of the data ran ahead",
	      text_share(ahead, stat(doctor, TCA_SYMPHONY_STATS_DATA), share));
	examine_marks(doctor);
}
