// SPDX-License-Identifier: GPL-2.0
/* The records of a run. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fluid.h"

#define LINE		512
#define STEP_MASK	0x3fff	/* of a step, on the wire */

/* Ethernet, IPv4, UDP, BTH and ICRC. */
#define HEADERS		58

struct hop {
	unsigned int qp, step;
	char dev[FLUID_NAME];
};

void fluid_die(const char *fmt, ...)
{
	va_list args;

	fputs("fluid: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static FILE *open_record(const char *dir, const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "r");
	if (!file)
		fluid_die("%s: %s", path, strerror(errno));
	return file;
}

/* Room for one more element. */
static void *grow(void *array, size_t count, size_t size)
{
	if (count & (count - 1))
		return array;
	array = realloc(array, (count ? 2 * count : 1) * size);
	if (!array)
		fluid_die("out of memory");
	return array;
}

static void read_params(struct fluid *fluid, const char *dir)
{
	FILE *file = open_record(dir, "params");
	char line[LINE];
	double overhead, mtu;

	fluid->mtu = 4096;
	fluid->overhead = HEADERS;
	while (fgets(line, sizeof(line), file)) {
		if (!strcmp(line, "barrier=on\n"))
			fluid->barrier = true;
		if (sscanf(line, "mtu=%lf", &mtu) == 1)
			fluid->mtu = mtu;
		if (sscanf(line, "overhead=%lf", &overhead) == 1)
			fluid->overhead = HEADERS + overhead;
		if (sscanf(line, "gap=%lf", &fluid->gap) == 1) {
			if (strstr(line, "us"))
				fluid->gap *= 1e3;
			else if (strstr(line, "ms"))
				fluid->gap *= 1e6;
		}
	}
	fclose(file);
}

static void read_links(struct fluid *fluid, const char *dir)
{
	FILE *file = open_record(dir, "devices");
	struct fluid_link link = {};
	unsigned long long rate;
	char line[LINE];

	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%15[^,],%*[^,],%*[^,],%*d,%llu", link.name,
			   &rate) != 2)
			continue;
		link.rate = rate / 8e9;
		fluid->links = grow(fluid->links, fluid->nlinks, sizeof(link));
		fluid->links[fluid->nlinks++] = link;
	}
	fclose(file);
}

static struct fluid_link *find_link(struct fluid *fluid, const char *name)
{
	size_t i;

	for (i = 0; i < fluid->nlinks; i++)
		if (!strcmp(fluid->links[i].name, name))
			return &fluid->links[i];
	fluid_die("devices: there is no %s", name);
}

static int by_qp(const void *a, const void *b)
{
	const struct hop *x = a, *y = b;

	if (x->qp != y->qp)
		return x->qp < y->qp ? -1 : 1;
	return (x->step > y->step) - (x->step < y->step);
}

static size_t read_hops(struct hop **hops, const char *dir)
{
	FILE *file = open_record(dir, "paths");
	struct hop hop = {};
	char line[LINE];
	size_t n = 0;

	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%u,%u,%15s", &hop.qp, &hop.step,
			   hop.dev) != 3)
			continue;
		*hops = grow(*hops, n, sizeof(hop));
		(*hops)[n++] = hop;
	}
	fclose(file);
	qsort(*hops, n, sizeof(hop), by_qp);
	return n;
}

static void add_link(struct fluid_msg *msg, struct fluid_link *link)
{
	unsigned int i;

	/* A first packet that was sent again took the same way. */
	for (i = 0; i < msg->hops; i++)
		if (msg->links[i] == link)
			return;
	if (msg->hops == FLUID_HOPS)
		fluid_die("paths: step %u of host %u passes more than %d links",
			  msg->step, msg->src, FLUID_HOPS);
	msg->links[msg->hops++] = link;
}

static void find_path(struct fluid *fluid, struct fluid_msg *msg,
		      const struct hop *hops, size_t n)
{
	struct hop key = { .qp = msg->qp, .step = msg->step & STEP_MASK };
	const struct hop *hop;
	char host[FLUID_NAME];

	snprintf(host, sizeof(host), "h%u", msg->src);
	add_link(msg, find_link(fluid, host));
	hop = n ? bsearch(&key, hops, n, sizeof(*hops), by_qp) : NULL;
	if (!hop)
		fluid_die("paths: none of step %u of host %u", msg->step,
			  msg->src);
	while (hop > hops && !by_qp(hop - 1, &key))
		hop--;
	for (; hop < hops + n && !by_qp(hop, &key); hop++)
		add_link(msg, find_link(fluid, hop->dev));
}

static int by_node(const void *a, const void *b)
{
	const struct fluid_msg *x = a, *y = b;

	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	if (x->ring != y->ring)
		return x->ring < y->ring ? -1 : 1;
	if (x->src != y->src)
		return x->src < y->src ? -1 : 1;
	return (x->step > y->step) - (x->step < y->step);
}

static void read_msgs(struct fluid *fluid, const char *dir)
{
	FILE *file = open_record(dir, "flows");
	struct hop *hops = NULL;
	size_t i, nhops = read_hops(&hops, dir);
	struct fluid_msg msg = {};
	char line[LINE];
	double packets;

	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%u,%u,%u,%u,%u,%u,%u,%lf,%*u,%lf", &msg.job,
			   &msg.ring, &msg.pass, &msg.step, &msg.src, &msg.dst,
			   &msg.qp, &msg.start, &msg.bytes) != 9)
			continue;
		packets = (long)((msg.bytes + fluid->mtu - 1) / fluid->mtu);
		msg.bytes += packets * fluid->overhead;
		fluid->msgs = grow(fluid->msgs, fluid->nmsgs, sizeof(msg));
		fluid->msgs[fluid->nmsgs++] = msg;
	}
	fclose(file);
	if (!fluid->nmsgs)
		fluid_die("flows: none");
	qsort(fluid->msgs, fluid->nmsgs, sizeof(msg), by_node);
	for (i = 0; i < fluid->nmsgs; i++)
		find_path(fluid, &fluid->msgs[i], hops, nhops);
	free(hops);
}

/**
 * fluid_read() - read what there was to send, and which way it went
 * @fluid: filled in
 * @dir: params, devices, flows and paths
 */
void fluid_read(struct fluid *fluid, const char *dir)
{
	read_params(fluid, dir);
	read_links(fluid, dir);
	read_msgs(fluid, dir);
}
