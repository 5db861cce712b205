// SPDX-License-Identifier: GPL-2.0
/*
 * Plays vectors: packets that are sent into a router and what must have become
 * of each on the far side. README.rst describes the language.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "port.h"
#include "stats.h"

#define PATHS_MAX	16
#define DEFINES_MAX	32
#define UNDO_MAX	16
#define BURST_MAX	512
#define PATTERN_MAX	4096
#define WHY_MAX		1024
#define LINE_LEN	2048
#define LATE_TRIES	20

#define RECEIVE_MS	20000	/* a frame that must come; guests are slow */
#define SILENCE_MS	60	/* a frame that must not come */

/* Windows of vectors that must not end meanwhile; most shorter grids divide them. */
static const u64 long_windows[] = { 60000000000ULL, 59000000000ULL };

/* What must become of a packet. */
enum fate {
	FATE_SAME,
	FATE_CE,
	FATE_ANY,	/* one of the two: a matter of chance */
	FATE_LOST,
	FATE_NONE,	/* for copies: nobody looks */
};

/* A way through the network, see README.rst. */
struct path {
	char name[32];
	char dev[16];
	char tx_ns[64], tx_dev[16];
	char rx_ns[64], rx_dev[16];
	char copy_ns[64], copy_dev[16];
	struct addressing addr;
	u8 rx_dmac[6], rx_smac[6];
	bool rewrite;
	bool hop;
	u32 tag[VLAN_TAGS];	/* innermost first */
	int nr_tags;
	bool open;
	struct port tx, rx, copy;
};

/* A packet under way. */
struct flight {
	struct pkt pkt;
	enum fate fate, copy;
};

struct define {
	char name[32];
	char text[512];
};

static struct {
	const char *prefix;	/* of the namespaces */
	const char *only;	/* run tests whose title has this */
	bool verbose;
	struct path path[PATHS_MAX];
	int nr_paths;
	struct define define[DEFINES_MAX];
	int nr_defines;
	struct path *dflt_path;
	int nr_dflt_defines;
	char pattern_name[64];
	char pattern[PATTERN_MAX];
	int nr_tests;
	int nr_failed;
	int nr_skipped;
	unsigned long sums;	/* verified checksums */
	unsigned long frames;
} g;

/* The test that runs. */
static struct {
	struct path *path;
	struct pkt dflt;
	struct flight burst[BURST_MAX];
	int nr_burst;
	bool in_burst;
	u64 seen;		/* by symphony before the burst */
	char undo[UNDO_MAX][LINE_LEN];
	int nr_undo;
	bool dirty;		/* qdiscs may be left behind */
	char fates[PATTERN_MAX];
	size_t nr_fates;
	pid_t flood;
	unsigned int flood_count;
	u64 deadline;	/* end of the window that align waited for */
	bool late;
	bool failed;
	bool skipped;
	char why[WHY_MAX];
	char at[128];		/* file and line */
} t;

static bool fail(const char *fmt, ...)
{
	va_list ap;
	int len;

	if (t.failed)
		return false;
	t.failed = true;
	len = snprintf(t.why, sizeof(t.why), "%s: ", t.at);
	va_start(ap, fmt);
	vsnprintf(t.why + len, sizeof(t.why) - len, fmt, ap);
	va_end(ap);
	return false;
}

static noreturn void die(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "rocepkt: %s%s", t.at, *t.at ? ": " : "");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(2);
}

static void copy_text(char *to, size_t size, const char *from)
{
	if (strlen(from) >= size)
		die("'%s' is too long", from);
	memcpy(to, from, strlen(from) + 1);
}

/* --- text ---------------------------------------------------------------- */

static const char *define_find(const char *name, size_t len)
{
	int i;

	if (len == 3 && !memcmp(name, "DEV", 3))
		return t.path ? t.path->dev : "";
	if (len == 2 && !memcmp(name, "NS", 2))
		return g.prefix;
	for (i = g.nr_defines - 1; i >= 0; i--)
		if (strlen(g.define[i].name) == len &&
		    !memcmp(g.define[i].name, name, len))
			return g.define[i].text;
	return NULL;
}

/* Replaces $NAME, in definitions too; others stay, for the shell. */
static void expand(const char *in, char *out, size_t size)
{
	static int depth;
	size_t at = 0;

	if (++depth > 8)
		die("a definition contains itself");

	while (*in && at < size - 1) {
		const char *text = NULL;
		size_t len = 0;

		if (*in == '$') {
			while (isalnum((unsigned char)in[len + 1]) ||
			       in[len + 1] == '_')
				len++;
			text = define_find(in + 1, len);
		}
		if (!text) {
			out[at++] = *in++;
			continue;
		}
		expand(text, out + at, size - at);
		at += strlen(out + at);
		in += len + 1;
	}
	if (at >= size - 1)
		die("the line is too long");
	out[at] = '\0';
	depth--;
}

static u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static u64 parse_time(const char *s)
{
	char *end;
	double v = strtod(s, &end);

	if (!strcmp(end, "s"))
		return v * 1e9;
	if (!strcmp(end, "ms"))
		return v * 1e6;
	if (!strcmp(end, "us"))
		return v * 1e3;
	die("'%s' is no time", s);
}

static void sleep_ns(u64 ns)
{
	struct timespec ts = {
		.tv_sec = ns / 1000000000ULL,
		.tv_nsec = ns % 1000000000ULL,
	};

	/* time is meant: the qdisc's own clock must get there */
	nanosleep(&ts, NULL);
}

/* Good for two frames in one message. */
static const char *hex(const struct frame *fr)
{
	static char buf[2][2 * 160 + 4];
	static unsigned int turn;
	char *text = buf[turn++ & 1];
	size_t i;

	for (i = 0; i < fr->len && i < 160; i++)
		sprintf(text + 2 * i, "%02x", fr->b[i]);
	if (i < fr->len)
		memcpy(text + 2 * i, "..", 3);
	return text;
}

/* --- commands ------------------------------------------------------------ */

/* Runs a command in the router. */
static int run(const char *cmd, char *out, size_t size)
{
	char router[80];

	snprintf(router, sizeof(router), "%sr", g.prefix);
	if (!netns_enter(router))
		die("no router");
	return cmd_run(cmd, out, size);
}

static bool run_ok(const char *cmd)
{
	char out[8192];
	int rc = run(cmd, out, sizeof(out));

	if (rc)
		return fail("exit status %d of: %s\n%s", rc, cmd, out);
	return true;
}

/* --- paths --------------------------------------------------------------- */

static void parse_mac(const char *text, u8 *mac)
{
	if (sscanf(text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", mac, mac + 1,
		   mac + 2, mac + 3, mac + 4, mac + 5) != 6)
		die("'%s' is no address", text);
}

/* NS:DEV */
static void parse_end(const char *text, char *ns, char *dev)
{
	const char *colon = strchr(text, ':');

	if (!colon)
		die("'%s' is not NAMESPACE:DEVICE", text);
	snprintf(ns, 64, "%s%.*s", g.prefix, (int)(colon - text), text);
	copy_text(dev, 16, colon + 1);
}

static void cmd_path(char *args)
{
	struct path *p = &g.path[g.nr_paths++];
	char *word, *save;

	if (g.nr_paths > PATHS_MAX)
		die("too many paths");
	memset(p, 0, sizeof(*p));
	word = strtok_r(args, " ", &save);
	copy_text(p->name, sizeof(p->name), word ?: "");
	while ((word = strtok_r(NULL, " ", &save))) {
		char *value = strchr(word, '=');

		if (value)
			*value++ = '\0';
		if (!strcmp(word, "hop"))
			p->hop = true;
		else if (!value)
			die("'%s' has no value", word);
		else if (!strcmp(word, "dev"))
			copy_text(p->dev, sizeof(p->dev), value);
		else if (!strcmp(word, "tx"))
			parse_end(value, p->tx_ns, p->tx_dev);
		else if (!strcmp(word, "rx"))
			parse_end(value, p->rx_ns, p->rx_dev);
		else if (!strcmp(word, "copy"))
			parse_end(value, p->copy_ns, p->copy_dev);
		else if (!strcmp(word, "net"))
			p->addr.net = atoi(value);
		else if (!strcmp(word, "dmac"))
			parse_mac(value, p->addr.dmac);
		else if (!strcmp(word, "smac"))
			parse_mac(value, p->addr.smac);
		else if (!strcmp(word, "rxdmac"))
			parse_mac(value, p->rx_dmac);
		else if (!strcmp(word, "rxsmac"))
			parse_mac(value, p->rx_smac);
		else if (strcmp(word, "tag") || p->nr_tags == VLAN_TAGS ||
			 !pkt_value(F_TAG0, value, &p->tag[p->nr_tags++]))
			die("'%s=%s' says nothing about a path", word, value);
		p->rewrite = p->rewrite || !strcmp(word, "rxdmac");
	}
}

static struct path *path_find(const char *name)
{
	int i;

	for (i = 0; i < g.nr_paths; i++)
		if (!strcmp(g.path[i].name, name))
			return &g.path[i];
	die("there is no path '%s'", name);
}

static void path_open(struct path *p)
{
	if (p->open)
		return;
	if (!port_open(&p->tx, p->tx_ns, p->tx_dev) ||
	    !port_open(&p->rx, p->rx_ns, p->rx_dev) ||
	    (*p->copy_dev && !port_open(&p->copy, p->copy_ns, p->copy_dev)))
		die("path %s", p->name);
	p->open = true;
}

static void port_drain(const struct port *p)
{
	static struct frame fr;

	while (port_receive(p, &fr, 0))
		;
}

/* Forgets what earlier tests left in the sockets. */
static void path_drain(const struct path *p)
{
	port_drain(&p->rx);
	if (*p->copy_dev)
		port_drain(&p->copy);
}

/* --- packets ------------------------------------------------------------- */

/* What the far side must see. */
static void expect(const struct path *p, const struct frame *sent,
		   enum fate fate, struct frame *want)
{
	int i;

	*want = *sent;
	if (p->rewrite) {
		memcpy(want->b, p->rx_dmac, 6);
		memcpy(want->b + 6, p->rx_smac, 6);
	}
	if (p->hop)
		frame_forward(want);
	if (fate == FATE_CE)
		frame_set_ecn(want, 3);
	for (i = 0; i < p->nr_tags; i++)
		frame_push_tag(want, p->tag[i]);
}

static bool same(const struct frame *a, const struct frame *b)
{
	return a->len == b->len && !memcmp(a->b, b->b, a->len);
}

/*
 * The kernel writes the identification and checksums of segments that it cuts
 * itself: compare the ECN codepoint and what is above UDP.
 */
static bool same_segment(const struct frame *got, const struct frame *want)
{
	const u8 *a = got->b + want->ip, *b = want->b + want->ip;
	/* beside the rest of the traffic class IPv6 has the flow label */
	u8 mask = b[0] >> 4 == 6 ? 0xf0 : 0xff;
	size_t len = want->len - want->payload;

	if (got->len != want->len || a[0] != b[0] || (a[1] ^ b[1]) & mask)
		return false;
	/* without the ICRC, which covers the identification */
	return !memcmp(got->b + want->payload, want->b + want->payload,
		       len - 4);
}

static bool verify(const struct flight *f, const struct frame *got)
{
	const char *why = NULL;
	int sums;

	g.frames++;
	if (!pkt_checkable(&f->pkt))
		return true;
	sums = check_frame(got->b, got->len, &why);
	if (sums < 0)
		return fail("%s in %s", why, hex(got));
	if (!sums && f->pkt.f[F_PROTO] == PROTO_ROCE &&
	    (f->pkt.f[F_DPORT] ?: PORT_ROCE) == PORT_ROCE)
		return fail("no checksum found in %s", hex(got));
	g.sums += sums;
	return true;
}

static void note_fate(bool ce)
{
	if (t.nr_fates < sizeof(t.fates) - 1)
		t.fates[t.nr_fates++] = ce ? 'C' : '-';
	t.fates[t.nr_fates] = '\0';
}

static bool judge(const struct path *p, const struct flight *f,
		  const struct frame *sent, const struct frame *got,
		  enum fate fate)
{
	bool (*equal)(const struct frame *, const struct frame *) =
		f->pkt.f[F_GSO] ? same_segment : same;
	static struct frame plain, ce;
	bool is_plain, is_ce;

	expect(p, sent, FATE_SAME, &plain);
	expect(p, sent, FATE_CE, &ce);
	is_plain = equal(got, &plain);
	is_ce = equal(got, &ce);
	if (!is_plain && !is_ce)
		return fail("changed: expected %s\nreceived %s", hex(&plain),
			    hex(got));
	if (fate == FATE_ANY)
		note_fate(!is_plain);
	else if (fate == FATE_CE && !is_ce)
		return fail("not marked: %s", hex(got));
	else if (fate == FATE_SAME && !is_plain)
		return fail("marked: %s", hex(got));
	return f->pkt.f[F_GSO] || verify(f, got);
}

/* Packets that belong into one window must not leak into the next. */
static bool in_time(void)
{
	if (!t.deadline || now_ns() < t.deadline)
		return true;
	t.late = true;
	return fail("too slow: the window has ended");
}

static bool receive(const struct path *p, const struct flight *f,
		    const struct frame *sent)
{
	static struct frame got;

	if (f->fate == FATE_LOST) {
		if (port_receive(&p->rx, &got, SILENCE_MS))
			return fail("not lost: %s", hex(&got));
		return true;
	}
	if (!port_receive(&p->rx, &got, RECEIVE_MS))
		return fail("lost: %s", hex(sent));
	if (!in_time() || !judge(p, f, sent, &got, f->fate))
		return false;
	if (f->copy == FATE_NONE)
		return true;
	if (!port_receive(&p->copy, &got, RECEIVE_MS))
		return fail("no copy of %s", hex(sent));
	/* the copy keeps addresses and tags of the bridge */
	return judge(p, f, sent, &got, f->copy);
}

static bool skip(const char *why)
{
	t.skipped = true;
	snprintf(t.why, sizeof(t.why), "%s", why);
	return false;
}

static bool transmit_gso(const struct path *p, const struct flight *f,
			 struct frame *sent)
{
	u32 proto = f->pkt.f[F_PROTO];
	bool vnet = f->pkt.f[F_VNET];
	size_t size;

	/* UDP sockets send no TCP */
	if (f->pkt.f[F_VNI] || proto > (vnet ? PROTO_TCP : PROTO_UDP) ||
	    !pkt_build_gso(&f->pkt, &p->addr, sent, &size))
		die("that makes no GSO packet");
	if (!vnet)
		return udp_send_gso(p->tx_ns, &f->pkt, &p->addr, sent, size) ||
		       fail("the kernel refused a GSO send");
	if (port_send_vnet(p->tx_ns, &p->tx, &f->pkt, sent, size))
		return true;
	if (errno == EINVAL && proto != PROTO_TCP)
		return skip("virtio_net headers have no UDP segmentation here");
	return fail("%s: the kernel refused a GSO packet", strerror(errno));
}

static bool transmit(struct path *p, const struct flight *f,
		     struct frame *sent)
{
	path_open(p);
	/* copies that nobody asked for */
	if (f->copy != FATE_NONE)
		port_drain(&p->copy);
	if (f->pkt.f[F_GSO])
		return transmit_gso(p, f, sent);
	pkt_build(&f->pkt, &p->addr, sent);
	if (f->pkt.f[F_NONLINEAR])
		return port_send_paged(p->tx_ns, &p->tx, sent) ||
		       fail("refused, or the sender's pages changed: %s",
			    hex(sent));
	return port_send(&p->tx, sent) ||
	       fail("%s: the kernel refused %s", strerror(errno), hex(sent));
}

static bool receive_segments(const struct path *p, const struct flight *f)
{
	u32 i, segs = f->pkt.f[F_GSO] ?: 1;
	static struct frame sent;

	for (i = 0; i < segs; i++) {
		struct flight segment = *f;

		segment.pkt = pkt_segment(&f->pkt, i);
		pkt_build(&segment.pkt, &p->addr, &sent);
		if (!receive(p, &segment, &sent))
			return false;
	}
	return true;
}

static bool fly(const struct flight *f)
{
	static struct frame sent;

	if (t.in_burst) {
		if (t.nr_burst == BURST_MAX)
			die("a burst is at most %d packets", BURST_MAX);
		t.burst[t.nr_burst++] = *f;
		return transmit(t.path, f, &sent);
	}
	return transmit(t.path, f, &sent) && receive_segments(t.path, f);
}

static bool receive_numbers(int from, int to, bool *done)
{
	int i;

	if (from < 1 || to > t.nr_burst || from > to)
		die("a burst has packets 1 to %d", t.nr_burst);
	for (i = from - 1; i < to; i++) {
		if (!receive_segments(t.path, &t.burst[i]))
			return false;
		done[i] = true;
	}
	return true;
}

/* In the order of @args, FIRST or FIRST-LAST, and what it leaves out after that. */
static bool burst_receive(char *args)
{
	bool done[BURST_MAX] = { false };
	char *word, *end, *save;
	int i, from;

	for (word = strtok_r(args, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		from = strtol(word, &end, 10);
		if (!receive_numbers(from, *end == '-' ?
				     strtol(end + 1, &end, 10) : from, done))
			return false;
		if (*end)
			die("'%s' is no number of a packet", word);
	}
	for (i = 0; i < t.nr_burst; i++)
		if (!done[i] && !receive_segments(t.path, &t.burst[i]))
			return false;
	t.nr_burst = 0;
	return true;
}

/* A value, or FIRST..LAST with an optional /STRIDE. */
struct range {
	int field;
	u32 first, last, stride;
};

static void parse_range(char *text, struct range *r)
{
	char *stride = NULL, *dots = strstr(text, "..");

	r->stride = 1;
	if (dots) {
		stride = strchr(dots, '/');
		*dots = '\0';
		dots += 2;
	}
	if (stride) {
		*stride++ = '\0';
		r->stride = strtoul(stride, NULL, 0);
	}
	if (!pkt_value(r->field, text, &r->first) || !r->stride)
		die("'%s' is out of range", text);
	r->last = r->first;
	if (dots && (!pkt_value(r->field, dots, &r->last) ||
		     r->last < r->first))
		die("'%s' is out of range", dots);
}

/* step=N is a source port */
static int parse_field(char *word, struct range *r)
{
	char *value = strchr(word, '=');
	size_t len;

	if (!value)
		die("'%s' is no FIELD=VALUE", word);
	len = value++ - word;
	if (len == 4 && !memcmp(word, "step", 4)) {
		r->field = F_SPORT;
		parse_range(value, r);
		if (r->last > 0x3fff)
			die("a source port has room for 14 bits of step");
		r->first |= 0xc000;
		r->last |= 0xc000;
		return 0;
	}
	r->field = pkt_field_find(word, len);
	if (r->field < 0)
		die("there is no field '%.*s'", (int)len, word);
	parse_range(value, r);
	return 0;
}

/* last.FIELD=VALUE */
static void parse_last(char *word, struct pkt *pkt)
{
	struct range r;

	parse_field(word, &r);
	if (r.first != r.last || pkt->nr_last == PKT_LAST_MAX)
		die("of a last segment, %d fields may have another value",
		    PKT_LAST_MAX);
	pkt->last[pkt->nr_last].field = r.field;
	pkt->last[pkt->nr_last++].value = r.first;
}

#define RANGES_MAX	24

static int parse_fields(char *text, struct pkt *pkt, struct range *range)
{
	char *word, *save;
	int nr = 0;

	for (word = strtok_r(text, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		struct range r;

		if (!strncmp(word, "last.", 5)) {
			parse_last(word + 5, pkt);
			continue;
		}
		parse_field(word, &r);
		if (r.first == r.last) {
			pkt->f[r.field] = r.first;
			continue;
		}
		if (nr == RANGES_MAX)
			die("too many ranges");
		range[nr++] = r;
	}
	return nr;
}

static enum fate parse_fate(const char *word)
{
	static const char * const names[] = { "same", "ce", "any", "lost" };
	unsigned int i;

	for (i = 0; i < 4; i++)
		if (!strcmp(word, names[i]))
			return i;
	die("'%s' is no fate", word);
}

static bool fly_ranges(struct flight *f, const struct range *r, int nr)
{
	u64 v;

	if (!nr)
		return fly(f);
	for (v = r->first; v <= r->last; v += r->stride) {
		f->pkt.f[r->field] = v;
		if (!fly_ranges(f, r + 1, nr - 1))
			return false;
	}
	return true;
}

/* FIELD=VALUE ... -> FATE [copy=FATE] */
static bool cmd_packet(char *line, char *arrow)
{
	struct range range[RANGES_MAX];
	struct flight f = { .pkt = t.dflt, .copy = FATE_NONE };
	char *word, *save;
	int nr;

	*arrow = '\0';
	nr = parse_fields(line, &f.pkt, range);
	word = strtok_r(arrow + 2, " ", &save);
	f.fate = parse_fate(word ?: "");
	word = strtok_r(NULL, " ", &save);
	if (word && !strncmp(word, "copy=", 5))
		f.copy = parse_fate(word + 5);
	else if (word)
		die("'%s' behind a fate", word);
	return fly_ranges(&f, range, nr);
}

static bool cmd_set(char *args)
{
	struct range range[RANGES_MAX];

	if (parse_fields(args, &t.dflt, range))
		die("a default is one value");
	return true;
}

/* --- traffic in the background ------------------------------------------- */

static bool cmd_flood(char *args)
{
	static struct frame sent;
	struct range range[RANGES_MAX];
	struct flight f = { .pkt = t.dflt, .fate = FATE_ANY };
	unsigned int i;
	char *fields;

	t.flood_count = strtoul(args, &fields, 0);
	if (!t.flood_count || t.flood)
		die("one flood of some packets at a time");
	if (parse_fields(fields, &f.pkt, range))
		die("a flood numbers its packets itself");
	path_open(t.path);
	fflush(NULL);
	t.flood = fork();
	if (t.flood < 0)
		die("fork: %s", strerror(errno));
	if (t.flood)
		return true;
	for (i = 0; i < t.flood_count; i++) {
		f.pkt.f[F_PSN] = (f.pkt.f[F_PSN] + 1) & 0xffffff;
		if (!transmit(t.path, &f, &sent))
			_exit(1);
		/* spread it over the time that the commands take */
		if (i % 16 == 15)
			sleep_ns(1000000);
	}
	_exit(0);
}

static bool cmd_join(void)
{
	static struct frame got;
	unsigned int i;
	int status;

	if (!t.flood)
		die("nothing to join");
	for (i = 0; i < t.flood_count; i++)
		if (!port_receive(&t.path->rx, &got, RECEIVE_MS))
			break;
	waitpid(t.flood, &status, 0);
	t.flood = 0;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return fail("the sender in the background failed");
	if (i < t.flood_count)
		return fail("%u of %u packets arrived", i, t.flood_count);
	if (port_receive(&t.path->rx, &got, SILENCE_MS))
		return fail("more than %u packets arrived", t.flood_count);
	return true;
}

/* --- counters ------------------------------------------------------------ */

/* These are 0 unless a vector names them. */
static const char * const quiet_counters[] = {
	"marked", "would_mark", "not_ect", "already_ce", "no_job", "no_step",
	"no_position", "control", "unparsable", "other", "table_full",
	"mark_failed", "ecn_marked", "shielded", "prioritized", "only",
	"flows_replaced", "jobs_expired", "jobs_replaced", "drops",
	"backlog", "qlen",
	"order_passed", "order_fifos", "order_backlog_smallest",
	"order_backlog_ahead", "drops_ahead", "drops_other", "drops_laggard",
	"drops_gap",
};

static const char * const packet_classes[] = {
	"other", "unparsable", "control", "no_job", "no_step", "table_full",
	"data",
};

static u64 counter(const struct qdisc_stats *q, const char *name)
{
	const struct counter *c = stats_get(q, name);

	if (!c)
		fail("tc shows no '%s'", name);
	return c ? c->value : 0;
}

static int read_stats(struct qdisc_stats *q)
{
	char cmd[64], out[65536];
	int nr;

	snprintf(cmd, sizeof(cmd), "tc qdisc show dev %s", t.path->dev);
	if (run(cmd, out, sizeof(out)))
		nr = -1;
	else
		nr = stats_parse(out, q);
	if (nr < 0)
		fail("no counters from: %s", cmd);
	return nr;
}

/* Adds the other symphony qdiscs to the first one. */
static const struct qdisc_stats *sum(struct qdisc_stats *q, int nr)
{
	struct qdisc_stats *total = NULL;
	unsigned int c;
	int i;

	for (i = 0; i < nr; i++) {
		if (strcmp(q[i].kind, "symphony"))
			continue;
		for (c = 0; total && c < total->nr; c++)
			total->counter[c].value += counter(&q[i], total->counter[c].name);
		total = total ?: &q[i];
	}
	if (!total)
		fail("no symphony on %s", t.path->dev);
	return total;
}

static const struct qdisc_stats *pick(const struct qdisc_stats *q, int nr,
				      const char *handle)
{
	int i;

	for (i = 0; i < nr; i++)
		if (handle ? !strcmp(q[i].handle, handle) :
			     !strcmp(q[i].kind, "symphony"))
			return &q[i];
	fail("no qdisc %s on %s", handle ?: "symphony", t.path->dev);
	return NULL;
}

static bool invariants(const struct qdisc_stats *q, bool all_packets)
{
	u64 sum = 0;
	size_t i;

	for (i = 0; i < sizeof(packet_classes) / sizeof(*packet_classes); i++)
		sum += counter(q, packet_classes[i]);
	if (all_packets && sum != counter(q, "packets"))
		return fail("the classes sum to %llu of %llu packets",
			    sum, counter(q, "packets"));
	if (counter(q, "lagging") + counter(q, "outpacing") !=
	    counter(q, "data"))
		return fail("lagging and outpacing are not all of data");
	if (counter(q, "lagging_bytes") + counter(q, "outpacing_bytes") !=
	    counter(q, "data_bytes"))
		return fail("lagging_bytes and outpacing_bytes are not all");
	return !t.failed;
}

/* NAME=NUMBER, NAME=LOW..HIGH or NAME=any */
static bool check_counter(const struct qdisc_stats *q, char *word)
{
	unsigned long long low, high, value;
	char *text = strchr(word, '=');
	char *end;

	if (!text)
		die("'%s' is no NAME=VALUE", word);
	*text++ = '\0';
	value = counter(q, word);
	if (!strcmp(text, "any"))
		return !t.failed;
	low = strtoull(text, &end, 0);
	high = low;
	if (!strncmp(end, "..", 2))
		high = strtoull(end + 2, &end, 0);
	if (*end || high < low)
		die("'%s' is no number", text);
	if (value < low || value > high)
		return fail("%s is %llu, not %s", word, value, text);
	return !t.failed;
}

static bool named(char * const *word, int nr, const char *name)
{
	size_t len = strlen(name);
	int i;

	for (i = 0; i < nr; i++)
		if (!strncmp(word[i], name, len) &&
		    (word[i][len] == '=' || !word[i][len]))
			return true;
	return false;
}

/* stats [HANDLE:|all:] NAME=VALUE ... */
static bool cmd_stats(char *args)
{
	static struct qdisc_stats all[QDISCS_MAX];
	const struct qdisc_stats *q;
	char *word[64], *handle = NULL, *save;
	bool all_packets = true;
	int nr = 0, i;
	size_t j;

	for (args = strtok_r(args, " ", &save); args && nr < 64;
	     args = strtok_r(NULL, " ", &save)) {
		/* the core counts no GSO packets that do not say how many */
		all_packets = all_packets && strcmp(args, "packets=any");
		word[nr++] = args;
	}
	if (nr && strchr(word[0], ':'))
		handle = word[0];
	i = read_stats(all);
	if (i < 0)
		return false;
	q = handle && !strcmp(handle, "all:") ? sum(all, i) :
						pick(all, i, handle);
	if (!q)
		return false;
	for (i = !!handle; i < nr; i++)
		if (!check_counter(q, word[i]))
			return false;
	if (strcmp(q->kind, "symphony"))
		return true;
	for (j = 0; j < sizeof(quiet_counters) / sizeof(*quiet_counters); j++)
		if (!named(word, nr, quiet_counters[j]) &&
		    counter(q, quiet_counters[j]))
			return fail("%s is %llu, not 0", quiet_counters[j],
				    counter(q, quiet_counters[j]));
	return invariants(q, all_packets);
}

/* Nothing may be left in any queue. */
static bool cmd_drained(void)
{
	static struct qdisc_stats all[QDISCS_MAX];
	int nr = read_stats(all);
	int i;

	for (i = 0; i < nr; i++)
		if (counter(&all[i], "backlog") || counter(&all[i], "qlen"))
			return fail("%s %s still holds %llu packets, %llu bytes",
				    all[i].kind, all[i].handle,
				    counter(&all[i], "qlen"),
				    counter(&all[i], "backlog"));
	return !t.failed;
}

/* Packets that symphony has or had. */
static bool packets_seen(u64 *seen)
{
	static struct qdisc_stats all[QDISCS_MAX];
	const struct qdisc_stats *q;
	int nr = read_stats(all);

	q = nr < 0 ? NULL : pick(all, nr, NULL);
	if (q)
		*seen = counter(q, "packets") + counter(q, "qlen");
	return !t.failed;
}

/* Packets take a while from the sender to the queue where they are held. */
static bool burst_held(void)
{
	u64 end = now_ns() + RECEIVE_MS * 1000000ULL;
	u64 seen;

	while (packets_seen(&seen)) {
		if (seen >= t.seen + t.nr_burst)
			return true;
		if (now_ns() > end)
			return fail("%llu of %d packets came to the queue",
				    seen - t.seen, t.nr_burst);
		sleep_ns(1000000);
	}
	return false;
}

/* The marks since the last 'pattern', in order, equal those of that name. */
static bool cmd_pattern(const char *name)
{
	bool known = !strcmp(name, g.pattern_name);

	if (known && strcmp(g.pattern, t.fates))
		return fail("the marks differ:\n%s\n%s", g.pattern, t.fates);
	copy_text(g.pattern_name, sizeof(g.pattern_name), name);
	memcpy(g.pattern, t.fates, sizeof(g.pattern));
	t.nr_fates = 0;
	t.fates[0] = '\0';
	return true;
}

/* --- tests --------------------------------------------------------------- */

static bool cmd_need(const char *cmd)
{
	char out[512];

	if (!run(cmd, out, sizeof(out)))
		return true;
	t.skipped = true;
	out[strcspn(out, "\n")] = '\0';
	snprintf(t.why, sizeof(t.why), "'%.200s' fails here: %s", cmd, out);
	return false;
}

static bool cmd_undo(const char *cmd)
{
	if (t.nr_undo == UNDO_MAX)
		die("too many undo lines");
	copy_text(t.undo[t.nr_undo++], LINE_LEN, cmd);
	return true;
}

static bool cmd_tc(const char *args)
{
	char cmd[LINE_LEN + 8];

	t.dirty = true;
	snprintf(cmd, sizeof(cmd), "tc %s", args);
	return run_ok(cmd);
}

static bool cmd_align(const char *time)
{
	u64 grid = parse_time(time);
	u64 begin = (now_ns() / grid + 1) * grid;

	sleep_ns(begin - now_ns());
	t.deadline = begin + grid;
	return true;
}

static void cmd_define(char *args)
{
	struct define *d = &g.define[g.nr_defines++];
	char *text = strchr(args, ' ');

	if (g.nr_defines > DEFINES_MAX || !text)
		die("too many definitions, or an empty one");
	*text++ = '\0';
	copy_text(d->name, sizeof(d->name), args);
	copy_text(d->text, sizeof(d->text), text);
}

/* One line of a test; false ends the test. */
static bool command(char *line)
{
	char *arrow = strstr(line, "->");
	size_t len = strcspn(line, " ");
	char *args = line + len + strspn(line + len, " ");

	if (g.verbose)
		fprintf(stderr, "# %s\n", line);
	if (arrow)
		return cmd_packet(line, arrow);
	line[len] = '\0';
	if (!strcmp(line, "tc"))
		return cmd_tc(args);
	if (!strcmp(line, "sh"))
		return run_ok(args);
	if (!strcmp(line, "stats"))
		return cmd_stats(args);
	if (!strcmp(line, "set"))
		return cmd_set(args);
	if (!strcmp(line, "drained"))
		return cmd_drained();
	if (!strcmp(line, "need"))
		return cmd_need(args);
	if (!strcmp(line, "undo"))
		return cmd_undo(args);
	if (!strcmp(line, "align"))
		return cmd_align(args);
	if (!strcmp(line, "pattern"))
		return cmd_pattern(args);
	if (!strcmp(line, "flood"))
		return cmd_flood(args);
	if (!strcmp(line, "join"))
		return cmd_join();
	if (!strcmp(line, "via")) {
		t.path = path_find(args);
		path_open(t.path);
		path_drain(t.path);
		return true;
	}
	if (!strcmp(line, "sleep")) {
		t.deadline = 0;
		sleep_ns(parse_time(args));
		return true;
	}
	if (!strcmp(line, "burst")) {
		t.in_burst = true;
		if (!packets_seen(&t.seen))
			return false;
		/* it goes on if nothing of it was received yet */
		t.seen -= t.nr_burst;
		return true;
	}
	if (!strcmp(line, "receive")) {
		t.in_burst = false;
		return burst_receive(args);
	}
	if (!strcmp(line, "held")) {
		t.in_burst = false;
		return burst_held();
	}
	die("what is '%s'?", line);
}

static void test_begin(void)
{
	memset(&t, 0, sizeof(t));
	pkt_default(&t.dflt);
	g.nr_defines = g.nr_dflt_defines;
	t.path = g.dflt_path;
	if (t.path) {
		path_open(t.path);
		path_drain(t.path);
	}
}

static void test_end(void)
{
	char cmd[64], out[512];
	int i;

	if (t.flood) {
		waitpid(t.flood, NULL, 0);
		t.flood = 0;
	}
	for (i = t.nr_undo - 1; i >= 0; i--) {
		if (run(t.undo[i], out, sizeof(out)) && !t.skipped)
			fail("cannot undo with: %s\n%s", t.undo[i], out);
	}
	if (!t.dirty)
		return;
	snprintf(cmd, sizeof(cmd), "tc qdisc del dev %s root",
		 t.path->dev);
	if (run(cmd, out, sizeof(out)) && !t.failed)
		fail("nothing left to delete: %s", out);
}

/* A line of a file, with its number. */
struct line {
	char *text;
	int nr;
};

static void play(const char *file, const struct line *line, int nr)
{
	char text[LINE_LEN];
	int i;

	test_begin();
	for (i = 1; i < nr; i++) {
		snprintf(t.at, sizeof(t.at), "%s:%d", file, line[i].nr);
		if (!strncmp(line[i].text, "define ", 7)) {
			copy_text(text, sizeof(text), line[i].text + 7);
			cmd_define(text);
			continue;
		}
		expand(line[i].text, text, sizeof(text));
		if (!command(text))
			break;
	}
	test_end();
}

static void diagnose(void)
{
	char *text, *save;

	for (text = strtok_r(t.why, "\n", &save); text;
	     text = strtok_r(NULL, "\n", &save))
		printf("# %s\n", text);
}

/* Such a window began before this time and has ended. */
static bool long_window_ended(u64 start)
{
	u64 now = now_ns();
	size_t i;

	for (i = 0; i < sizeof(long_windows) / sizeof(*long_windows); i++)
		if (start / long_windows[i] != now / long_windows[i])
			return true;
	return false;
}

static void run_test(const char *file, const char *base,
		     const struct line *line, int nr)
{
	const char *title = line->text + 5;
	u64 start;
	int tries;

	if (g.only && !strstr(title, g.only))
		return;
	g.nr_tests++;
	start = now_ns();
	play(file, line, nr);
	/* the machine may be busy: a window cannot be stretched */
	for (tries = 0; t.late && tries < LATE_TRIES; tries++)
		play(file, line, nr);
	/* no vector expects that a long window ends */
	for (tries = 0; t.failed && long_window_ended(start) &&
	     tries < LATE_TRIES; tries++) {
		printf("# %s: a window ended, once more\n", title);
		start = now_ns();
		play(file, line, nr);
	}
	if (t.failed) {
		g.nr_failed++;
		printf("not ok %d %s: %s\n", g.nr_tests, base, title);
		diagnose();
	} else if (t.skipped) {
		g.nr_skipped++;
		t.why[strcspn(t.why, "\n")] = '\0';
		printf("ok %d %s: %s # SKIP %s\n", g.nr_tests, base, title,
		       t.why);
	} else {
		printf("ok %d %s: %s\n", g.nr_tests, base, title);
	}
	fflush(stdout);
}

/* Strips comments and white space; a backslash joins the next line. */
static int read_lines(const char *file, struct line **lines)
{
	char *buf = NULL, *joined = NULL;
	size_t size = 0;
	int nr = 0, at = 0;
	FILE *f;

	f = fopen(file, "r");
	if (!f)
		die("%s: %s", file, strerror(errno));
	*lines = NULL;
	while (getline(&buf, &size, f) >= 0) {
		char *s = buf + strspn(buf, " \t");
		size_t len = strcspn(s, "\n");
		bool more;

		at++;
		while (len && isspace((unsigned char)s[len - 1]))
			len--;
		if (*s == '#' || !len)
			continue;
		more = s[len - 1] == '\\';
		s[more ? len - 1 : len] = '\0';
		if (joined) {
			char *both;

			if (asprintf(&both, "%s%s", joined, s) < 0)
				die("no memory");
			free(joined);
			joined = both;
		} else {
			joined = strdup(s);
		}
		if (more)
			continue;
		for (s = joined; *s; s++)
			if (*s == '\t')
				*s = ' ';
		*lines = realloc(*lines, (nr + 1) * sizeof(**lines));
		if (!*lines)
			die("no memory");
		(*lines)[nr].text = joined;
		(*lines)[nr++].nr = at;
		joined = NULL;
	}
	free(buf);
	fclose(f);
	return nr;
}

static bool starts_test(const struct line *line)
{
	return !strncmp(line->text, "test ", 5);
}

static void run_file(const char *file)
{
	const char *slash = strrchr(file, '/');
	char base[64];
	struct line *line;
	int nr, i, end;

	copy_text(base, sizeof(base), slash ? slash + 1 : file);
	base[strcspn(base, ".")] = '\0';
	g.dflt_path = g.nr_paths ? &g.path[0] : NULL;
	nr = read_lines(file, &line);
	for (i = 0; i < nr && !starts_test(&line[i]); i++) {
		char *text = line[i].text;

		snprintf(t.at, sizeof(t.at), "%s:%d", file, line[i].nr);
		if (!strncmp(text, "path ", 5))
			cmd_path(text + 5);
		else if (!strncmp(text, "define ", 7))
			cmd_define(text + 7);
		else if (!strncmp(text, "via ", 4))
			g.dflt_path = path_find(text + 4);
		else
			die("'%s' before any test", text);
	}
	g.nr_dflt_defines = g.nr_defines;
	for (; i < nr; i = end) {
		for (end = i + 1; end < nr && !starts_test(&line[end]); end++)
			;
		run_test(file, base, &line[i], end - i);
	}
	for (i = 0; i < nr; i++)
		free(line[i].text);
	free(line);
	/* definitions end with their file; those of the first are for all */
	t.at[0] = '\0';
}

static void usage(void)
{
	fprintf(stderr,
		"synopsis: rocepkt [-v] [-n PREFIX] [-t TITLE] TOPOLOGY VECTORS...\n"
		"\n"
		"Play the tests of the files VECTORS in the network that the file\n"
		"TOPOLOGY describes, and print TAP.\n"
		"  -n PREFIX  begin of the names of the network namespaces\n"
		"  -t TITLE   only tests whose title contains TITLE\n"
		"  -v         show each line that is played\n");
}

int main(int argc, char **argv)
{
	int opt, shared;

	g.prefix = "";
	while ((opt = getopt(argc, argv, "n:t:v")) != -1) {
		if (opt == 'n') {
			g.prefix = optarg;
		} else if (opt == 't') {
			g.only = optarg;
		} else if (opt == 'v') {
			g.verbose = true;
		} else {
			usage();
			return 2;
		}
	}
	if (argc - optind < 2) {
		usage();
		return 2;
	}
	if (!port_stay_on_processor())
		return 1;
	printf("TAP version 13\n");
	run_file(argv[optind++]);
	shared = g.nr_defines;
	for (; optind < argc; optind++) {
		g.nr_defines = shared;
		run_file(argv[optind]);
	}
	printf("# %lu frames received, %lu checksums and ICRCs verified\n",
	       g.frames, g.sums);
	printf("1..%d\n", g.nr_tests);
	if (g.nr_failed)
		return 1;
	return g.nr_tests && g.nr_skipped == g.nr_tests ? 4 : 0;
}
