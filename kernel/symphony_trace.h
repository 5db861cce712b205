/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints symphony:*, numeric fields only. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM symphony

#if !defined(_SYMPHONY_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _SYMPHONY_TRACE_H

#include <linux/netdevice.h>
#include <linux/tracepoint.h>
#include <net/sch_generic.h>

#include "symphony_algo.h"

/* A packet that runs ahead lost the coin toss; its header may forbid a mark. */
TRACE_EVENT(symphony_mark,
	TP_PROTO(struct Qdisc *sch, u32 job, u16 step, u32 position, u8 ecn,
		 const struct symphony_state *st),
	TP_ARGS(sch, job, step, position, ecn, st),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, handle)
		__field(u32, job)
		__field(u16, step)
		__field(u16, step_min)
		__field(u32, position)
		__field(u32, psn_rec)
		__field(u32, alpha)
		__field(u8, ecn)
	),
	TP_fast_assign(
		__entry->ifindex = qdisc_dev(sch)->ifindex;
		__entry->handle = sch->handle;
		__entry->job = job;
		__entry->step = step;
		__entry->step_min = st->step_min;
		__entry->position = position;
		__entry->psn_rec = st->psn_rec;
		__entry->alpha = st->alpha;
		__entry->ecn = ecn;
	),
	TP_printk("ifindex=%d handle=%x job=%u step=%u step_min=%u position=%u psn_rec=%u alpha=%u ecn=%u",
		  __entry->ifindex, __entry->handle, __entry->job,
		  __entry->step, __entry->step_min, __entry->position,
		  __entry->psn_rec, __entry->alpha, __entry->ecn)
);

/* A job's smallest step changed. */
TRACE_EVENT(symphony_step,
	TP_PROTO(struct Qdisc *sch, u32 job, u16 step_before, u16 step_min),
	TP_ARGS(sch, job, step_before, step_min),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, handle)
		__field(u32, job)
		__field(u16, step_before)
		__field(u16, step_min)
	),
	TP_fast_assign(
		__entry->ifindex = qdisc_dev(sch)->ifindex;
		__entry->handle = sch->handle;
		__entry->job = job;
		__entry->step_before = step_before;
		__entry->step_min = step_min;
	),
	TP_printk("ifindex=%d handle=%x job=%u step_before=%u step_min=%u",
		  __entry->ifindex, __entry->handle, __entry->job,
		  __entry->step_before, __entry->step_min)
);

/* A window with traffic of a job ended: what it held, and alpha after it. */
TRACE_EVENT(symphony_window,
	TP_PROTO(struct Qdisc *sch, u32 job,
		 const struct symphony_state *ended, u32 alpha),
	TP_ARGS(sch, job, ended, alpha),
	TP_STRUCT__entry(
		__field(u64, start)
		__field(int, ifindex)
		__field(u32, handle)
		__field(u32, job)
		__field(u32, cnt_total)
		__field(u32, cnt_op)
		__field(u32, psn_rec)
		__field(u32, alpha)
		__field(u16, step_min)
	),
	TP_fast_assign(
		__entry->start = ended->window_start;
		__entry->ifindex = qdisc_dev(sch)->ifindex;
		__entry->handle = sch->handle;
		__entry->job = job;
		__entry->cnt_total = ended->cnt_total;
		__entry->cnt_op = ended->cnt_op;
		__entry->psn_rec = ended->psn_rec;
		__entry->alpha = alpha;
		__entry->step_min = ended->step_min;
	),
	TP_printk("ifindex=%d handle=%x job=%u start=%llu cnt_total=%u cnt_op=%u step_min=%u psn_rec=%u alpha=%u",
		  __entry->ifindex, __entry->handle, __entry->job,
		  __entry->start, __entry->cnt_total, __entry->cnt_op,
		  __entry->step_min, __entry->psn_rec, __entry->alpha)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE symphony_trace
#include <trace/define_trace.h>
