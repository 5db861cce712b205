/* SPDX-License-Identifier: GPL-2.0 */
/* simdev: a network device with a true transmit clock, for tests. */
#ifndef _SIMDEV_H
#define _SIMDEV_H

#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct simdev_port;

/**
 * struct sim_event - something that happens at a moment
 * @time: CLOCK_MONOTONIC, nanoseconds
 * @seq: order among events of one moment
 * @pos: place in the queue, 0 = not queued
 * @fn: runs in softirq context, or with bottom halves off, never twice at
 *	once and never beside another event's @fn
 */
struct sim_event {
	u64 time;
	u64 seq;
	u32 pos;
	void (*fn)(struct sim_event *event);
};

static inline void sim_event_init(struct sim_event *event,
				  void (*fn)(struct sim_event *event))
{
	event->pos = 0;
	event->fn = fn;
}

static inline bool sim_event_pending(const struct sim_event *event)
{
	return event->pos;
}

int sim_engine_init(void);
void sim_engine_exit(void);
u64 sim_now(void);
void sim_schedule(struct sim_event *event, u64 time);
void sim_cancel(struct sim_event *event);

/**
 * struct simdev_host_ops - a traffic generator in place of the stack
 * @receive: takes a frame that arrived, data at the network header; returns
 *	false to hand it to the stack. Bottom halves are off.
 * @idle: the transmitter has become idle, or may go on after a pause
 */
struct simdev_host_ops {
	bool (*receive)(void *host, struct sk_buff *skb);
	void (*idle)(void *host);
};

/**
 * struct simdev_hooks - for whoever keeps records
 * @pause: a port was told to stop or to go on
 * @gone: a port is about to go; bottom halves are off
 * @sent: a frame begins to leave; may be NULL
 */
struct simdev_hooks {
	void (*pause)(struct simdev_port *port, bool stop);
	void (*gone)(struct simdev_port *port);
	void (*sent)(struct simdev_port *port, struct sk_buff *skb);
};

/*
 * Queue of data packets when a port has two queues; the other one carries
 * control packets, goes first and is not paused.
 */
#define SIMDEV_QUEUE_DATA 1

/**
 * struct simdev_stats - what a port has done since simdev_reset()
 * @tx_packets: frames sent
 * @tx_bytes: their length without overhead
 * @busy_ns: time the transmitter was busy
 * @pauses: times the port was told to stop
 * @paused_ns: time it was stopped
 * @drops_buffer: arriving frames refused by the shared buffer
 * @drops_fault: frames lost on purpose
 * @drops_link: frames lost because the link was down
 * @peak: most bytes buffered that came in here
 */
struct simdev_stats {
	u64 tx_packets;
	u64 tx_bytes;
	u64 busy_ns;
	u64 pauses;
	u64 paused_ns;
	u64 drops_buffer;
	u64 drops_fault;
	u64 drops_link;
	u64 peak;
};

/**
 * struct sim_switch - a shared buffer
 * @list: all switches
 * @id: number given by the builder
 * @ref: ports that belong to it
 * @size: bytes, 0 = no accounting
 * @used: bytes in use
 * @shift: pause threshold is (size - used) >> shift
 * @xon: bytes below the threshold at which a port may go on
 * @headroom: bytes a port may take beyond a full buffer
 * @pfc: pause instead of dropping
 * @paused: ports that were told to stop
 */
struct sim_switch {
	struct list_head list;
	u32 id;
	u32 ref;
	u64 size;
	u64 used;
	u32 shift;
	u32 xon;
	u32 headroom;
	bool pfc;
	struct list_head paused;
};

/**
 * struct sim_ingress - buffer use of what came in at one port
 * @ref: one for the port, one for each frame that is accounted
 * @port: NULL once the device is gone
 * @sw: the switch, NULL if none
 * @bytes: bytes buffered
 * @paused: on &sim_switch.paused, the other end was told to stop
 */
struct sim_ingress {
	refcount_t ref;
	struct simdev_port *port;
	struct sim_switch *sw;
	u64 bytes;
	struct list_head paused;
};

/**
 * struct simdev_port - one end of a link
 * @list: all ports
 * @dev: the device
 * @peer: the other end; both live and die together
 * @rate: bit/s
 * @delay: ns
 * @overhead: bytes a frame occupies beyond its length
 * @busy: a frame is being sent
 * @stopped: PFC pause
 * @stopped_since: when that began
 * @remainder: fraction of a nanosecond of the last frame, in 1 / rate
 * @idle_at: when the transmitter became idle
 * @flying: frames between the ends, in order
 * @flying_tail: where to append
 * @last_arrival: of the last of @flying
 * @sent: the frame's last bit has left
 * @arrive: the first frame of @flying arrives
 * @ingress: buffer accounting of the frames received here
 * @faults: list of struct sim_fault
 * @ops: traffic generator
 * @host: its cookie
 * @stats: counters
 */
struct simdev_port {
	struct list_head list;
	struct net_device *dev;
	struct simdev_port *peer;
	u64 rate;
	u32 delay;
	u32 overhead;
	bool busy;
	bool stopped;
	u64 stopped_since;
	u64 remainder;
	u64 idle_at;
	struct sk_buff *flying;
	struct sk_buff **flying_tail;
	u64 last_arrival;
	struct sim_event sent;
	struct sim_event arrive;
	struct sim_ingress *ingress;
	struct list_head faults;
	const struct simdev_host_ops *ops;
	void *host;
	struct simdev_stats stats;
};

/**
 * struct simdev_cb - a frame on the wire
 * @arrival: when its last bit is there
 * @lost: it will not arrive
 */
struct simdev_cb {
	u64 arrival;
	bool lost;
};

#define SIMDEV_CB(skb) ((struct simdev_cb *)(skb)->cb)

enum sim_fault_kind {
	SIM_FAULT_DROP,
	SIM_FAULT_DUP,
	SIM_FAULT_DELAY,
};

enum sim_fault_which {
	SIM_FAULT_FIRST,
	SIM_FAULT_LAST,
	SIM_FAULT_NTH,
};

/**
 * struct sim_fault - something done to chosen packets
 * @list: on the port
 * @kind: what is done
 * @which: which packets of the step
 * @nth: from 1, for %SIM_FAULT_NTH
 * @job: job on the wire
 * @step: step, low 14 bits count
 * @count: how often it may still happen
 * @seen: packets of the step that have passed
 * @by: delay, ns
 */
struct sim_fault {
	struct list_head list;
	enum sim_fault_kind kind;
	enum sim_fault_which which;
	u32 nth;
	u32 job;
	u32 step;
	u32 count;
	u32 seen;
	u64 by;
};

/* simdev_main.c */
extern struct list_head simdev_ports;
extern u64 simdev_hops;
struct simdev_port *simdev_find(const char *name);
void simdev_attach_host(struct simdev_port *port,
			const struct simdev_host_ops *ops, void *host);
void simdev_set_link(struct simdev_port *port, bool up);
u64 simdev_backlog(const struct simdev_port *port);
void simdev_reset(void);
void simdev_settle(void);

/* simdev_tx.c */
extern const struct simdev_hooks *simdev_hooks;
void simdev_tx_init(struct simdev_port *port,
		    void (*arrive)(struct sim_event *event));
struct sk_buff *simdev_tx_landed(struct simdev_port *port, u64 now);
void simdev_tx_drain(struct simdev_port *port);
netdev_tx_t simdev_xmit(struct sk_buff *skb, struct net_device *dev);
bool simdev_may_send(const struct simdev_port *port, bool data);
void simdev_send(struct simdev_port *port, struct sk_buff *skb);
void simdev_pause(struct simdev_port *port, bool stop);
void simdev_set_hooks(const struct simdev_hooks *hooks);
u64 simdev_frame_time(u64 bits, u64 rate, u64 *remainder);

/* simdev_buffer.c */
struct sim_ingress *sim_ingress_new(struct simdev_port *port);
void sim_ingress_free(struct sim_ingress *ingress);
int sim_ingress_set_switch(struct sim_ingress *ingress, u32 id);
bool sim_buffer_admit(struct simdev_port *port, const struct sk_buff *skb);
void sim_buffer_hold(struct sim_ingress *ingress, struct sk_buff *skb);
void sim_buffer_check(struct sim_switch *sw);

/* simdev_fault.c */
int sim_fault_add(struct simdev_port *port, const struct sim_fault *fault);
void sim_fault_clear(struct simdev_port *port);
struct sk_buff *sim_fault_apply(struct simdev_port *port, struct sk_buff *skb);

#endif
