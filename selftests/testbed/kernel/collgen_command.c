// SPDX-License-Identifier: GPL-2.0
/* The commands, one a line. */
#include <linux/ctype.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "collgen.h"

#define CG_MTU_MAX	8192
#define CG_TIME_MAX	(86400ULL * NSEC_PER_SEC)

static char *cg_word(char **line)
{
	char *word;

	*line = skip_spaces(*line);
	if (!**line)
		return NULL;
	word = *line;
	while (**line && !isspace(**line))
		++*line;
	if (**line)
		*(*line)++ = '\0';
	return word;
}

/**
 * struct cg_unit - suffix of a number
 * @name: suffix
 * @factor: what it stands for
 */
struct cg_unit {
	const char *name;
	u64 factor;
};

static const struct cg_unit cg_times[] = {
	{ "", 1 }, { "ns", 1 }, { "us", NSEC_PER_USEC },
	{ "ms", NSEC_PER_MSEC }, { "s", NSEC_PER_SEC }, {}
};

static const struct cg_unit cg_sizes[] = {
	{ "", 1 }, { "k", 1000 }, { "m", 1000000 }, { "g", 1000000000 }, {}
};

static const struct cg_unit cg_plain[] = { { "", 1 }, {} };
static const struct cg_unit cg_mbit[] = { { "", CG_MBIT }, {} };

enum cg_kind {
	CG_NUMBER,
	CG_TIME,
	CG_SIZE,
	CG_RATE_MBIT,
	CG_CHOICE,	/* one of two words: false, true */
};

static const struct cg_unit *const cg_units[] = {
	[CG_NUMBER] = cg_plain,
	[CG_TIME] = cg_times,
	[CG_SIZE] = cg_sizes,
	[CG_RATE_MBIT] = cg_mbit,
};

/**
 * struct cg_key - a setting
 * @name: as typed
 * @kind: how its value is read
 * @offset: in the structure it belongs to
 * @size: of the member
 * @min: least value, in units of the member
 * @max: greatest
 * @words: for %CG_CHOICE
 */
struct cg_key {
	const char *name;
	enum cg_kind kind;
	u32 offset;
	u32 size;
	u64 min;
	u64 max;
	const char *words[2];
};

#define CG_KEY(n, k, type, member, as, lo, hi)				\
	{ .name = n, .kind = k, .offset = offsetof(type, member),	\
	  .size = sizeof(as), .min = lo, .max = hi }
#define CG_WORDS(n, type, member, no, yes)				\
	{ .name = n, .kind = CG_CHOICE, .offset = offsetof(type, member), \
	  .size = sizeof(bool), .words = { no, yes } }

static const struct cg_key cg_set_keys[] = {
	CG_KEY("mtu", CG_NUMBER, struct cg_params, mtu, u32, 4, CG_MTU_MAX),
	CG_KEY("ack_every", CG_NUMBER, struct cg_params, ack_every, u32, 1, 65536),
	CG_KEY("data_tos", CG_NUMBER, struct cg_params, data_tos, u8, 0, 255),
	CG_KEY("ack_tos", CG_NUMBER, struct cg_params, ack_tos, u8, 0, 255),
	CG_KEY("cnp_tos", CG_NUMBER, struct cg_params, cnp_tos, u8, 0, 255),
	CG_WORDS("psn", struct cg_params, psn_zero, "random", "zero"),
	CG_WORDS("icrc", struct cg_params, icrc, "off", "on"),
	CG_WORDS("notify", struct cg_params, notify_data, "ack", "data"),
	CG_KEY("rto", CG_TIME, struct cg_params, rto, u64, 1000, CG_TIME_MAX),
	CG_KEY("recovery", CG_TIME, struct cg_params, recovery, u64, 0, CG_TIME_MAX),
	CG_KEY("window", CG_SIZE, struct cg_params, window, u64, 0, 1ULL << 40),
	CG_KEY("endpoint", CG_TIME, struct cg_params, endpoint, u64, 0, CG_TIME_MAX),
	CG_KEY("reduce", CG_RATE_MBIT, struct cg_params, reduce, u64, 0,
	       1000000000 * CG_MBIT),
	{}
};

static const struct cg_key cg_dcqcn_keys[] = {
	CG_KEY("g", CG_NUMBER, struct cg_cc_params, g, u64, 0, CG_BILLION),
	CG_KEY("alpha_timer", CG_TIME, struct cg_cc_params, alpha_timer, u64, 1,
	       CG_TIME_MAX),
	CG_KEY("decrease_interval", CG_TIME, struct cg_cc_params,
	       decrease_interval, u64, 0, CG_TIME_MAX),
	CG_KEY("increase_timer", CG_TIME, struct cg_cc_params, increase_timer, u64,
	       1, CG_TIME_MAX),
	CG_KEY("byte_reset", CG_SIZE, struct cg_cc_params, byte_reset, u64, 0,
	       1ULL << 40),
	CG_KEY("threshold", CG_NUMBER, struct cg_cc_params, threshold, u64, 0, 1000),
	CG_KEY("ai", CG_RATE_MBIT, struct cg_cc_params, ai, u64, 0,
	       1000000 * CG_MBIT),
	CG_KEY("hai", CG_RATE_MBIT, struct cg_cc_params, hai, u64, 0,
	       1000000 * CG_MBIT),
	CG_KEY("min_rate", CG_RATE_MBIT, struct cg_cc_params, min_rate, u64, CG_MBIT,
	       1000000 * CG_MBIT),
	CG_KEY("cnp_interval", CG_TIME, struct cg_cc_params, cnp_interval, u64, 0,
	       CG_TIME_MAX),
	CG_KEY("alpha_first", CG_NUMBER, struct cg_cc_params, alpha_first, u64, 0,
	       CG_BILLION),
	CG_KEY("min_dec_fac", CG_NUMBER, struct cg_cc_params, min_dec_fac, u64, 0,
	       CG_BILLION),
	CG_WORDS("cnp", struct cg_cc_params, cnp_in_ack, "packet", "ack"),
	CG_WORDS("clamp", struct cg_cc_params, clamp, "0", "1"),
	CG_WORDS("hyper", struct cg_cc_params, growing, "fixed", "growing"),
	{}
};

static const struct cg_key cg_job_keys[] = {
	CG_KEY("start", CG_TIME, struct cg_job, start, u64, 0, CG_TIME_MAX),
	CG_KEY("passes", CG_NUMBER, struct cg_job, passes, u32, 1, 1000000),
	CG_KEY("chunk", CG_SIZE, struct cg_job, chunk, u64, 1, 1ULL << 32),
	CG_KEY("pipeline", CG_NUMBER, struct cg_job, pipeline, u32, 1, 1024),
	CG_KEY("messages", CG_NUMBER, struct cg_job, messages, u32, 1, 64),
	CG_WORDS("mode", struct cg_job, per_ring, "qp-per-step", "qp-per-ring"),
	CG_WORDS("sport", struct cg_job, entropy, "step", "entropy"),
	CG_WORDS("barrier", struct cg_job, barrier, "off", "on"),
	CG_KEY("gap", CG_TIME, struct cg_job, gap, u64, 0, CG_TIME_MAX),
	CG_KEY("first_step", CG_NUMBER, struct cg_job, first_step, u32, 0, 1 << 30),
	{}
};

static const struct cg_key cg_layer_keys[] = {
	CG_KEY("bytes", CG_SIZE, struct cg_layer, bytes, u64, 1, 1ULL << 40),
	CG_KEY("forward", CG_TIME, struct cg_layer, forward, u64, 0, CG_TIME_MAX),
	CG_KEY("backward", CG_TIME, struct cg_layer, backward, u64, 0,
	       CG_TIME_MAX),
	CG_KEY("update", CG_TIME, struct cg_layer, update, u64, 0, CG_TIME_MAX),
	{}
};

static const struct cg_key cg_flow_keys[] = {
	CG_KEY("src", CG_NUMBER, struct cg_flow, src, u32, 0, CG_HOSTS_MAX - 1),
	CG_KEY("dst", CG_NUMBER, struct cg_flow, dst, u32, 0, CG_HOSTS_MAX - 1),
	CG_KEY("bytes", CG_SIZE, struct cg_flow, bytes, u64, 1, 1ULL << 40),
	CG_KEY("step", CG_NUMBER, struct cg_flow, step, u32, 0, 1 << 30),
	CG_KEY("start", CG_TIME, struct cg_flow, start, u64, 0, CG_TIME_MAX),
	{}
};

static const struct cg_key cg_background_keys[] = {
	CG_KEY("src", CG_NUMBER, struct cg_flow, src, u32, 0, CG_HOSTS_MAX - 1),
	CG_KEY("dst", CG_NUMBER, struct cg_flow, dst, u32, 0, CG_HOSTS_MAX - 1),
	CG_KEY("rate", CG_RATE_MBIT, struct cg_flow, rate, u64, CG_MBIT,
	       1000000 * CG_MBIT),
	CG_KEY("start", CG_TIME, struct cg_flow, start, u64, 0, CG_TIME_MAX),
	CG_KEY("stop", CG_TIME, struct cg_flow, stop, u64, 0, CG_TIME_MAX),
	CG_KEY("on", CG_TIME, struct cg_flow, on, u64, 0, CG_TIME_MAX),
	CG_KEY("off", CG_TIME, struct cg_flow, off, u64, 0, CG_TIME_MAX),
	CG_WORDS("period", struct cg_flow, random, "fixed", "random"),
	{}
};

static const struct cg_key cg_fault_keys[] = {
	CG_KEY("count", CG_NUMBER, struct sim_fault, count, u32, 1, U32_MAX),
	CG_KEY("by", CG_TIME, struct sim_fault, by, u64, 1, CG_TIME_MAX),
	{}
};

static bool cg_parse_unit(const char *word, const struct cg_unit *unit,
			  u64 *value)
{
	char digits[24];
	size_t len = 0;

	if (word[0] == '0' && word[1] == 'x')
		return unit->factor == 1 && !kstrtou64(word, 16, value);
	while (isdigit(word[len]) && len < sizeof(digits) - 1)
		len++;
	memcpy(digits, word, len);
	digits[len] = '\0';
	for (; unit->name; unit++)
		if (!strcmp(word + len, unit->name))
			return !kstrtou64(digits, 10, value) &&
			       !check_mul_overflow(*value, unit->factor, value);
	return false;
}

static int cg_parse_number(const char *name, const char *word,
			   enum cg_kind kind, u64 min, u64 max, u64 *value)
{
	u64 factor = kind == CG_RATE_MBIT ? CG_MBIT : 1;

	if (!word) {
		cg_error("%s: value missing, %llu to %llu", name, min / factor,
			 max / factor);
		return -EINVAL;
	}
	if (!cg_parse_unit(word, cg_units[kind], value) || *value < min ||
	    *value > max) {
		cg_error("%s: %s is not in %llu to %llu", name, word,
			 min / factor, max / factor);
		return -EINVAL;
	}
	return 0;
}

static int cg_parse_words(const char *name, const char *word,
			  const char *const words[2], bool *value)
{
	if (word && !strcmp(word, words[0])) {
		*value = false;
	} else if (word && !strcmp(word, words[1])) {
		*value = true;
	} else {
		cg_error("%s: %s is not %s or %s", name, word ?: "nothing",
			 words[0], words[1]);
		return -EINVAL;
	}
	return 0;
}

static int cg_parse_key(const struct cg_key *key, const char *word, void *base)
{
	void *member = base + key->offset;
	u64 value;
	int err;

	if (key->kind == CG_CHOICE)
		return cg_parse_words(key->name, word, key->words, member);
	err = cg_parse_number(key->name, word, key->kind, key->min, key->max,
			      &value);
	if (err)
		return err;
	switch (key->size) {
	case sizeof(u8):
		*(u8 *)member = value;
		break;
	case sizeof(u32):
		*(u32 *)member = value;
		break;
	default:
		*(u64 *)member = value;
	}
	return 0;
}

static const struct cg_key *cg_find_key(const struct cg_key *keys,
					const char *name)
{
	for (; keys->name; keys++)
		if (!strcmp(keys->name, name))
			return keys;
	return NULL;
}

/* KEY VALUE pairs up to the end of the line. */
static int cg_parse_pairs(const char *command, const struct cg_key *keys,
			  char **line, void *base)
{
	const struct cg_key *key;
	char *word;
	int err;

	while ((word = cg_word(line))) {
		key = cg_find_key(keys, word);
		if (!key) {
			cg_error("%s: no key %s", command, word);
			return -EINVAL;
		}
		err = cg_parse_key(key, cg_word(line), base);
		if (err)
			return err;
	}
	return 0;
}

static int cg_parse_end(const char *command, char **line)
{
	char *word = cg_word(line);

	if (!word)
		return 0;
	cg_error("%s: %s is one word too many", command, word);
	return -EINVAL;
}

static int cg_parse_plain(const char *name, char **line, u64 min, u64 max,
			  u64 *value)
{
	return cg_parse_number(name, cg_word(line), CG_NUMBER, min, max, value);
}

static struct simdev_port *cg_parse_port(const char *command, char **line)
{
	char *word = cg_word(line);
	struct simdev_port *port = word ? simdev_find(word) : NULL;

	if (!port)
		cg_error("%s: no simdev device %s", command, word ?: "given");
	return port;
}

static int cg_do_seed(char **line)
{
	return cg_parse_plain("seed", line, 0, U64_MAX, &cg.seed);
}

static int cg_do_hosts(char **line)
{
	char *prefix = cg_word(line);
	u64 count;
	int err;

	if (!prefix) {
		cg_error("hosts: PREFIX and COUNT missing");
		return -EINVAL;
	}
	err = cg_parse_plain("hosts", line, 1, CG_HOSTS_MAX, &count);
	return err ?: cg_hosts_add(prefix, count);
}

static int cg_do_set(char **line)
{
	return cg_parse_pairs("set", cg_set_keys, line, &cg.params);
}

static int cg_do_dcqcn(char **line)
{
	char *rest = *line, *word = cg_word(&rest);

	if (word && !cg_find_key(cg_dcqcn_keys, word)) {
		*line = rest;
		if (!cg_cc_named(&cg.params.cc, word)) {
			cg_error("dcqcn: no set or key %s", word);
			return -EINVAL;
		}
	} else if (word) {
		/* give the blank back that ended the word */
		word[strlen(word)] = ' ';
	}
	return cg_parse_pairs("dcqcn", cg_dcqcn_keys, line, &cg.params.cc);
}

static int cg_parse_collective(struct cg_job *job, const char *word)
{
	static const char *const names[] = {
		[CG_ALL_REDUCE] = "allreduce",
		[CG_REDUCE_SCATTER] = "reduce_scatter",
		[CG_ALL_GATHER] = "all_gather",
	};
	unsigned int i;

	for (i = 0; word && i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i], word))
			continue;
		job->kind = i;
		return 0;
	}
	cg_error("collective: %s is not allreduce, reduce_scatter or all_gather",
		 word ?: "nothing");
	return -EINVAL;
}

static struct cg_job *cg_parse_job(const char *command, char **line)
{
	struct cg_job *job;
	u64 id;

	if (cg_parse_plain(command, line, 1, CG_JOB_MAX, &id))
		return NULL;
	job = cg_job_get(id);
	if (!job)
		cg_error("%s: out of memory", command);
	return job;
}

static int cg_do_job(char **line)
{
	struct cg_job *job = cg_parse_job("job", line);
	const struct cg_key *key;
	char *word;
	int err;

	if (!job)
		return -EINVAL;
	job->params = cg.params;
	while ((word = cg_word(line))) {
		key = cg_find_key(cg_job_keys, word);
		if (!strcmp(word, "collective")) {
			err = cg_parse_collective(job, cg_word(line));
		} else if (key) {
			err = cg_parse_key(key, cg_word(line), job);
		} else {
			cg_error("job: no key %s", word);
			err = -EINVAL;
		}
		if (err)
			return err;
	}
	return 0;
}

/**
 * struct cg_hosts_list - list of hosts being read
 * @ids: numbers
 * @count: how many
 */
struct cg_hosts_list {
	u32 *ids;
	u32 count;
};

static int cg_hosts_append(struct cg_hosts_list *list, u32 id)
{
	u32 i;

	if (id >= cg.nhosts) {
		cg_error("host: %u is not in 0 to %d", id, (int)cg.nhosts - 1);
		return -EINVAL;
	}
	for (i = 0; i < list->count; i++) {
		if (list->ids[i] != id)
			continue;
		cg_error("host: %u is named twice", id);
		return -EINVAL;
	}
	list->ids[list->count++] = id;
	return 0;
}

/* FIRST-LAST in steps of STRIDE: 0 8 16 ... 1 9 17 ... */
static int cg_hosts_range(struct cg_hosts_list *list, u32 first, u32 last,
			  u32 stride)
{
	u32 start, id;
	int err;

	for (start = first; start < first + stride && start <= last; start++) {
		for (id = start; id <= last; id += stride) {
			err = cg_hosts_append(list, id);
			if (err)
				return err;
		}
	}
	return 0;
}

static int cg_hosts_item(struct cg_hosts_list *list, const char *item)
{
	unsigned int first, last, stride = 1;
	int n = 0;

	if (sscanf(item, "%u%n-%u%n/%u%n", &first, &n, &last, &n, &stride,
		   &n) < 1 || item[n] || !stride) {
		cg_error("host: %s is not N, N-N or N-N/STRIDE", item);
		return -EINVAL;
	}
	if (!strchr(item, '-'))
		last = first;
	return cg_hosts_range(list, first, last, stride);
}

static void cg_hosts_shuffle(struct cg_hosts_list *list)
{
	struct rnd_state state;
	u32 i, other;

	prandom_seed_state(&state, cg.seed);
	for (i = list->count - 1; i; i--) {
		/* not within swap(), which looks at its arguments twice */
		other = prandom_u32_state(&state) % (i + 1);
		swap(list->ids[i], list->ids[other]);
	}
}

static int cg_parse_hosts(char **line, struct cg_hosts_list *list)
{
	char *word = cg_word(line), *item;
	int err = 0;

	if (!word || !cg.nhosts) {
		cg_error("host: %s", word ? "no hosts yet" : "list missing");
		return -EINVAL;
	}
	list->count = 0;
	list->ids = kvcalloc(cg.nhosts, sizeof(*list->ids), GFP_KERNEL);
	if (!list->ids)
		return -ENOMEM;
	while (!err && (item = strsep(&word, ",")))
		err = cg_hosts_item(list, item);
	word = cg_word(line);
	if (!err && word && strcmp(word, "shuffle")) {
		cg_error("host: %s is not shuffle", word);
		err = -EINVAL;
	}
	if (err)
		kvfree(list->ids);
	else if (word)
		cg_hosts_shuffle(list);
	return err;
}

/* JOB HOSTS of a ring or tree. */
static struct cg_job *cg_parse_members(const char *command, char **line,
				       struct cg_hosts_list *list)
{
	struct cg_job *job = cg_parse_job(command, line);

	if (!job || cg_parse_hosts(line, list))
		return NULL;
	if (list->count < 2) {
		cg_error("%s: %u hosts, at least 2", command, list->count);
		kvfree(list->ids);
		return NULL;
	}
	return job;
}

static int cg_do_ring(char **line)
{
	struct cg_hosts_list list;
	struct cg_job *job = cg_parse_members("ring", line, &list);

	return job ? cg_ring_add(job, list.ids, list.count, 1) : -EINVAL;
}

static int cg_do_tree(char **line)
{
	struct cg_hosts_list list;
	struct cg_job *job = cg_parse_members("tree", line, &list);

	return job ? cg_tree_add(job, list.ids, list.count) : -EINVAL;
}

static int cg_do_grid(char **line)
{
	struct cg_job *job = cg_parse_job("grid", line);
	struct cg_hosts_list list;
	u32 columns, rows;
	char *word;
	int err;

	if (!job)
		return -EINVAL;
	word = cg_word(line);
	if (!word || sscanf(word, "%ux%u", &columns, &rows) != 2 ||
	    columns < 2 || rows < 2) {
		cg_error("grid: %s is not AxB, both at least 2",
			 word ?: "nothing");
		return -EINVAL;
	}
	err = cg_parse_hosts(line, &list);
	if (err)
		return err;
	if (list.count != columns * rows) {
		cg_error("grid: %u hosts, not %u x %u", list.count, columns,
			 rows);
		kvfree(list.ids);
		return -EINVAL;
	}
	return cg_ring_add(job, list.ids, columns, rows);
}

static int cg_do_layer(char **line)
{
	struct cg_job *job = cg_parse_job("layer", line);
	struct cg_layer *layer;

	if (!job)
		return -EINVAL;
	layer = cg_layer_add(job);
	if (!layer) {
		cg_error("layer: out of memory");
		return -ENOMEM;
	}
	return cg_parse_pairs("layer", cg_layer_keys, line, layer);
}

static int cg_check_flow(const char *command, const struct cg_flow *flow)
{
	if (flow->src < cg.nhosts && flow->dst < cg.nhosts &&
	    flow->src != flow->dst)
		return 0;
	cg_error("%s: src %u, dst %u are not two of %u hosts", command,
		 flow->src, flow->dst, cg.nhosts);
	return -EINVAL;
}

static int cg_add_flow(const char *command, const struct cg_key *keys,
		       char **line, u32 job)
{
	struct cg_flow *flow = kzalloc(sizeof(*flow), GFP_KERNEL);
	int err;

	if (!flow)
		return -ENOMEM;
	flow->job = job;
	flow->stop = U64_MAX;
	flow->bytes = 1000000;
	flow->rate = 1000 * CG_MBIT;
	flow->params = cg.params;
	if (!job)
		flow->params.cc.on = false;
	err = cg_parse_pairs(command, keys, line, flow);
	if (!err)
		err = cg_check_flow(command, flow);
	if (err)
		kfree(flow);
	else
		list_add_tail(&flow->list, &cg.flows);
	return err;
}

static int cg_do_flow(char **line)
{
	struct cg_job *job = cg_parse_job("flow", line);

	return job ? cg_add_flow("flow", cg_flow_keys, line, job->id) : -EINVAL;
}

static int cg_do_background(char **line)
{
	return cg_add_flow("background", cg_background_keys, line, 0);
}

static int cg_parse_fault_kind(struct sim_fault *fault, const char *word)
{
	static const char *const names[] = {
		[SIM_FAULT_DROP] = "drop",
		[SIM_FAULT_DUP] = "dup",
		[SIM_FAULT_DELAY] = "delay",
	};
	unsigned int i;

	for (i = 0; word && i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i], word))
			continue;
		fault->kind = i;
		return 0;
	}
	cg_error("fault: %s is not drop, dup or delay", word ?: "nothing");
	return -EINVAL;
}

static int cg_parse_fault_which(struct sim_fault *fault, const char *word)
{
	u64 nth;

	if (word && !strcmp(word, "first")) {
		fault->which = SIM_FAULT_FIRST;
		return 0;
	}
	if (word && !strcmp(word, "last")) {
		fault->which = SIM_FAULT_LAST;
		return 0;
	}
	if (cg_parse_number("fault: first, last or packet", word, CG_NUMBER, 1,
			    U32_MAX, &nth))
		return -EINVAL;
	fault->which = SIM_FAULT_NTH;
	fault->nth = nth;
	return 0;
}

static int cg_do_fault(char **line)
{
	struct simdev_port *port = cg_parse_port("fault", line);
	struct sim_fault fault = { .count = 1, .by = 20 * NSEC_PER_USEC };
	u64 job, step;

	if (!port || cg_parse_fault_kind(&fault, cg_word(line)) ||
	    cg_parse_plain("fault: job", line, 0, CG_JOB_MAX, &job) ||
	    cg_parse_plain("fault: step", line, 0, 1 << 30, &step) ||
	    cg_parse_fault_which(&fault, cg_word(line)) ||
	    cg_parse_pairs("fault", cg_fault_keys, line, &fault))
		return -EINVAL;
	fault.job = job;
	fault.step = step;
	return sim_fault_add(port, &fault);
}

static int cg_add_action(struct simdev_port *port, enum cg_action_kind kind,
			 u64 value, char **line)
{
	struct cg_action *action;
	char *word = cg_word(line);
	u64 at;

	if (!word || strcmp(word, "at")) {
		cg_error("at: missing");
		return -EINVAL;
	}
	if (cg_parse_number("at", cg_word(line), CG_TIME, 0, CG_TIME_MAX, &at))
		return -EINVAL;
	action = kzalloc(sizeof(*action), GFP_KERNEL);
	if (!action)
		return -ENOMEM;
	action->port = port;
	action->kind = kind;
	action->value = value;
	action->at = at;
	list_add_tail(&action->list, &cg.actions);
	return 0;
}

static int cg_do_link(char **line)
{
	struct simdev_port *port = cg_parse_port("link", line);
	static const char *const words[] = { "down", "up" };
	bool up;

	if (!port || cg_parse_words("link", cg_word(line), words, &up))
		return -EINVAL;
	return cg_add_action(port, up ? CG_LINK_UP : CG_LINK_DOWN, 0, line);
}

static int cg_do_rate(char **line)
{
	struct simdev_port *port = cg_parse_port("rate", line);
	u64 rate;

	if (!port || cg_parse_number("rate", cg_word(line), CG_RATE_MBIT,
				     CG_MBIT, 1000000 * CG_MBIT, &rate))
		return -EINVAL;
	return cg_add_action(port, CG_RATE, rate, line);
}

static int cg_do_sample(char **line)
{
	char *word = cg_word(line);
	u64 period;

	if (!word || (strcmp(word, "steps") && strcmp(word, "queue"))) {
		cg_error("sample: %s is not steps or queue", word ?: "nothing");
		return -EINVAL;
	}
	if (cg_parse_number("sample", cg_word(line), CG_TIME, 0, CG_TIME_MAX,
			    &period))
		return -EINVAL;
	if (!strcmp(word, "steps"))
		cg.sample_steps = period;
	else
		cg.sample_queue = period;
	return 0;
}

static int cg_do_trace(char **line)
{
	static const char *const words[] = { "off", "on" };
	char *word = cg_word(line);

	if (!word || (strcmp(word, "rates") && strcmp(word, "paths"))) {
		cg_error("trace: %s is not rates or paths", word ?: "nothing");
		return -EINVAL;
	}
	return cg_parse_words("trace", cg_word(line), words,
			      strcmp(word, "paths") ? &cg.trace_rates :
						      &cg.trace_paths);
}

static int cg_do_limit(char **line)
{
	return cg_parse_number("limit", cg_word(line), CG_TIME, 1, CG_TIME_MAX,
			       &cg.limit);
}

static int cg_do_until(char **line)
{
	u64 at;
	int err;

	err = cg_parse_number("until", cg_word(line), CG_TIME, 0, CG_TIME_MAX,
			      &at);
	return err ?: cg_until(at);
}

static int cg_do_reset(char **line)
{
	cg_reset();
	return 0;
}

static int cg_do_start(char **line)
{
	return cg_start();
}

/**
 * struct cg_verb - a command
 * @name: first word of the line
 * @run: reads the rest of the line
 * @always: also while a run goes on or is over
 */
struct cg_verb {
	const char *name;
	int (*run)(char **line);
	bool always;
};

static const struct cg_verb cg_verbs[] = {
	{ "reset", cg_do_reset, true },
	{ "until", cg_do_until, true },
	{ "seed", cg_do_seed },
	{ "hosts", cg_do_hosts },
	{ "set", cg_do_set },
	{ "dcqcn", cg_do_dcqcn },
	{ "job", cg_do_job },
	{ "ring", cg_do_ring },
	{ "tree", cg_do_tree },
	{ "grid", cg_do_grid },
	{ "layer", cg_do_layer },
	{ "flow", cg_do_flow },
	{ "background", cg_do_background },
	{ "fault", cg_do_fault },
	{ "link", cg_do_link },
	{ "rate", cg_do_rate },
	{ "sample", cg_do_sample },
	{ "trace", cg_do_trace },
	{ "limit", cg_do_limit },
	{ "start", cg_do_start },
};

static int cg_run_verb(const struct cg_verb *verb, char *line)
{
	int err;

	if (!verb->always && (cg.running || cg.finished)) {
		cg_error("%s: a run has begun, reset first", verb->name);
		return -EBUSY;
	}
	err = verb->run(&line);
	return err ?: cg_parse_end(verb->name, &line);
}

/**
 * cg_command() - do what a line says
 * @line: the line, is written to
 *
 * Return: 0 or an error, and then cg_command_error() is the reason.
 */
int cg_command(char *line)
{
	char *comment = strchr(line, '#');
	unsigned int i;
	char *word;

	if (comment)
		*comment = '\0';
	cg_clear_error();
	word = cg_word(&line);
	if (!word)
		return 0;
	for (i = 0; i < ARRAY_SIZE(cg_verbs); i++)
		if (!strcmp(cg_verbs[i].name, word))
			return cg_run_verb(&cg_verbs[i], line);
	cg_error("%s: no such command", word);
	return -EINVAL;
}
