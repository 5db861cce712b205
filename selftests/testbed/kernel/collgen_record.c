// SPDX-License-Identifier: GPL-2.0
/* Records of a run, and the files to read them from. */
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include "collgen.h"

#define FNV_OFFSET	0xcbf29ce484222325ULL
#define FNV_PRIME	0x100000001b3ULL

void cg_log_init(struct cg_log *log, u32 size)
{
	log->size = size;
	log->count = 0;
	log->lost = 0;
	xa_init(&log->chunks);
}

static void *cg_log_at(struct cg_log *log, u64 n)
{
	u32 per_chunk = PAGE_SIZE / log->size;
	u32 offset;
	u64 chunk;
	void *page;

	chunk = div_u64_rem(n, per_chunk, &offset);
	page = xa_load(&log->chunks, chunk);
	return page ? page + offset * log->size : NULL;
}

/**
 * cg_log_add() - append a record
 * @log: the log
 * @record: copied
 *
 * Context: bottom halves off.
 */
void cg_log_add(struct cg_log *log, const void *record)
{
	void *place = cg_log_at(log, log->count);
	unsigned long page;
	u64 chunk;

	if (!place) {
		page = __get_free_page(GFP_ATOMIC | __GFP_ZERO);
		chunk = div_u64(log->count, PAGE_SIZE / log->size);
		if (!page || xa_err(xa_store(&log->chunks, chunk, (void *)page,
					     GFP_ATOMIC))) {
			free_page(page);
			log->lost++;
			return;
		}
		place = (void *)page;
	}
	memcpy(place, record, log->size);
	log->count++;
}

void cg_log_free(struct cg_log *log)
{
	unsigned long index;
	void *page;

	xa_for_each(&log->chunks, index, page)
		free_page((unsigned long)page);
	xa_destroy(&log->chunks);
	log->count = 0;
	log->lost = 0;
}

static u64 cg_log_hash(struct cg_log *log, u64 hash)
{
	const u8 *record;
	u64 n;
	u32 i;

	for (n = 0; n < log->count; n++) {
		record = cg_log_at(log, n);
		for (i = 0; i < log->size; i++)
			hash = (hash ^ record[i]) * FNV_PRIME;
	}
	return hash;
}

/**
 * struct cg_file - a log as CSV
 * @name: of the file
 * @log: the records
 * @head: first line
 * @show: prints one record
 */
struct cg_file {
	const char *name;
	struct cg_log *log;
	const char *head;
	void (*show)(struct seq_file *m, const void *record);
};

static void cg_show_flow(struct seq_file *m, const void *record)
{
	const struct cg_flow_rec *r = record;

	seq_printf(m, "%u,%u,%u,%u,%u,%u,%u,%llu,%llu,%llu,%u,%u,%u,%u,%llu\n",
		   r->job, r->ring, r->pass, r->step, r->src, r->dst, r->qpn,
		   r->start, r->end, r->bytes, r->packets, r->ce, r->cnps,
		   r->retx, div_u64(r->rate, CG_MBIT));
}

static void cg_show_step(struct seq_file *m, const void *record)
{
	const struct cg_step_rec *r = record;

	seq_printf(m, "%llu,%u,%u,%u,%u\n", r->time, r->job, r->min, r->max,
		   r->count);
}

static void cg_show_port(struct seq_file *m, const void *record)
{
	const struct cg_port_rec *r = record;

	seq_printf(m, "%llu,%s,%llu\n", r->time, r->name, r->value);
}

static void cg_show_rate(struct seq_file *m, const void *record)
{
	const struct cg_rate_rec *r = record;

	seq_printf(m, "%llu,%u,%u,%llu,%llu,%llu\n", r->time, r->qpn, r->cnps,
		   r->rate, r->target, r->alpha);
}

static void cg_show_hop(struct seq_file *m, const void *record)
{
	const struct cg_hop_rec *r = record;

	seq_printf(m, "%u,%u,%s\n", r->qpn, r->step, r->name);
}

static const struct cg_file cg_files[] = {
	{ "flows", &cg.flow_log,
	  "job,ring,pass,step,src,dst,qp,start_ns,end_ns,bytes,packets,ce,cnps,retx,final_rate_mbps",
	  cg_show_flow },
	{ "steps", &cg.step_log,
	  "time_ns,job,min_step,max_step,steps_in_flight", cg_show_step },
	{ "queues", &cg.queue_log, "time_ns,dev,bytes", cg_show_port },
	{ "pauses", &cg.pause_log, "time_ns,dev,state", cg_show_port },
	{ "rates", &cg.rate_log,
	  "time_ns,qp,cnps,rate_bps,target_bps,alpha_billionths", cg_show_rate },
	{ "paths", &cg.path_log, "qp,step,dev", cg_show_hop },
};

static void *cg_seq_start(struct seq_file *m, loff_t *pos)
{
	const struct cg_file *file = pde_data(file_inode(m->file));

	if (!*pos)
		return SEQ_START_TOKEN;
	return *pos <= file->log->count ? cg_log_at(file->log, *pos - 1) : NULL;
}

static void *cg_seq_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return cg_seq_start(m, pos);
}

static void cg_seq_stop(struct seq_file *m, void *v)
{
}

static int cg_seq_show(struct seq_file *m, void *v)
{
	const struct cg_file *file = pde_data(file_inode(m->file));

	if (v == SEQ_START_TOKEN)
		seq_printf(m, "%s\n", file->head);
	else
		file->show(m, v);
	return 0;
}

static const struct seq_operations cg_seq_ops = {
	.start = cg_seq_start,
	.next = cg_seq_next,
	.stop = cg_seq_stop,
	.show = cg_seq_show,
};

static int cg_ports_show(struct seq_file *m, void *v)
{
	struct simdev_port *port;

	simdev_settle();
	seq_puts(m, "dev,tx_packets,tx_bytes,busy_ns,pauses,paused_ns,drops_buffer,drops_fault,drops_link,peak_ingress_bytes\n");
	list_for_each_entry(port, &simdev_ports, list) {
		const struct simdev_stats *s = &port->stats;

		seq_printf(m, "%s,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu\n",
			   port->dev->name, s->tx_packets, s->tx_bytes,
			   s->busy_ns, s->pauses, s->paused_ns,
			   s->drops_buffer, s->drops_fault, s->drops_link,
			   s->peak);
	}
	return 0;
}

static int cg_collectives_show(struct seq_file *m, void *v)
{
	struct cg_job *job;
	u32 i;

	seq_puts(m, "job,pass,start_ns,end_ns\n");
	list_for_each_entry(job, &cg.jobs, list) {
		for (i = 0; job->pass && i < job->passes; i++) {
			if (job->pass[i].left || !job->pass[i].end)
				continue;
			seq_printf(m, "%u,%u,%llu,%llu\n", job->id, i,
				   job->pass[i].start, job->pass[i].end);
		}
	}
	return 0;
}

static void cg_show_job(struct seq_file *m, const struct cg_job *job)
{
	u64 jct = job->begun == U64_MAX ? 0 : job->end - job->start;

	seq_printf(m, "job%u_done=%d\n", job->id, !job->left);
	seq_printf(m, "job%u_jct_ns=%llu\n", job->id, jct);
	seq_printf(m, "job%u_max_in_flight=%u\n", job->id, job->max_count);
	seq_printf(m, "job%u_max_span=%u\n", job->id, job->max_span);
	seq_printf(m, "job%u_bytes=%llu\n", job->id, job->bytes);
	seq_printf(m, "job%u_goodput_mbps=%llu\n", job->id,
		   jct ? mul_u64_u64_div_u64(job->bytes, 8000, jct) : 0);
	seq_printf(m, "job%u_ce=%llu\n", job->id, job->ce);
	seq_printf(m, "job%u_cnps=%llu\n", job->id, job->cnps);
	seq_printf(m, "job%u_retx=%llu\n", job->id, job->retx);
}

static u64 cg_per_second(u64 n, u64 ns)
{
	return ns ? mul_u64_u64_div_u64(n, NSEC_PER_SEC, ns) : 0;
}

static int cg_summary_show(struct seq_file *m, void *v)
{
	u64 hash = FNV_OFFSET, lost = 0;
	struct cg_job *job;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cg_files); i++) {
		hash = cg_log_hash(cg_files[i].log, hash);
		lost += cg_files[i].log->lost;
	}
	seq_printf(m, "complete=%d\n", cg.complete);
	seq_printf(m, "end_ns=%llu\n", cg.end);
	seq_printf(m, "zero_ns=%llu\n", cg.zero);
	seq_printf(m, "hops=%llu\n", cg.hops);
	seq_printf(m, "wall_ns=%llu\n", cg.wall);
	seq_printf(m, "cpu_ns=%llu\n", cg.cpu);
	seq_printf(m, "hops_per_s=%llu\n", cg_per_second(cg.hops, cg.wall));
	seq_printf(m, "hops_per_cpu_s=%llu\n", cg_per_second(cg.hops, cg.cpu));
	seq_printf(m, "flows=%llu\n", cg.flow_log.count);
	seq_printf(m, "records_lost=%llu\n", lost);
	seq_printf(m, "icrc_bad=%llu\n", cg.icrc_bad);
	seq_printf(m, "hash=%016llx\n", hash);
	list_for_each_entry(job, &cg.jobs, list)
		cg_show_job(m, job);
	return 0;
}

/* cg_records_create() - make the result files; they go with @dir */
int cg_records_create(struct proc_dir_entry *dir)
{
	const struct cg_file *file;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cg_files); i++) {
		file = &cg_files[i];
		if (!proc_create_seq_data(file->name, 0444, dir, &cg_seq_ops,
					  (void *)file))
			return -ENOMEM;
	}
	if (!proc_create_single("ports", 0444, dir, cg_ports_show) ||
	    !proc_create_single("collectives", 0444, dir, cg_collectives_show) ||
	    !proc_create_single("summary", 0444, dir, cg_summary_show))
		return -ENOMEM;
	return 0;
}
