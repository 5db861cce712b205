// SPDX-License-Identifier: GPL-2.0
/* Builds a fabric; ../README.rst lists the arguments. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "topo.h"

/* Print a list of tc commands with the names of a port put in. */
static void print_commands(FILE *to, const struct topo *t,
			   const struct topo_port *port, const char *text)
{
	for (; *text; text++) {
		if (!strncmp(text, "DEV", 3)) {
			fputs(port->dev, to);
			text += 2;
		} else if (!strncmp(text, "SEED", 4)) {
			fprintf(to, "%llu",
				(unsigned long long)t->options.seed * 100003 +
				port->number);
			text += 3;
		} else {
			fputc(*text == ';' ? '\n' : *text, to);
		}
	}
	fputc('\n', to);
}

/* tc reads the commands of a whole switch at once: starting it is slow. */
static void make_qdiscs(struct topo *t, struct topo_ns *ns)
{
	const struct topo_port *port;
	unsigned int i;
	FILE *tc;
	int ret;

	topo_enter(ns);
	tc = popen("tc -batch -", "we");
	if (!tc)
		topo_die("tc: %s", strerror(errno));
	for (i = 0; i < t->nports; i++) {
		port = &t->ports[i];
		if (port->ns != ns)
			continue;
		print_commands(tc, t, port, port->peer->ns->id ?
			       t->options.qdisc : t->options.qdisc_host_port);
	}
	ret = pclose(tc);
	if (ret)
		topo_die("tc in %s failed with status %d", ns->name,
			 WIFEXITED(ret) ? WEXITSTATUS(ret) : ret);
}

static void print_ports(const struct topo *t)
{
	unsigned int i;

	puts("dev,peer,namespace,ifindex,rate_bps");
	for (i = 0; i < t->nports; i++)
		printf("%s,%s,%s,%d,%llu\n", t->ports[i].dev,
		       t->ports[i].peer->dev, t->ports[i].ns->name,
		       t->ports[i].index,
		       (unsigned long long)t->ports[i].rate);
}

int main(int argc, char **argv)
{
	struct topo topo = {};
	unsigned int i;

	topo_parse(&topo.options, argc, argv);
	topo_plan(&topo);
	topo_make_namespaces(&topo);
	topo_make_links(&topo);
	topo_make_neighbours(&topo);
	topo_make_routes(&topo);
	for (i = 1; i < topo.nns; i++)
		make_qdiscs(&topo, &topo.ns[i]);
	if (topo.options.print)
		print_ports(&topo);
	return 0;
}
