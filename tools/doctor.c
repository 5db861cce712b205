// SPDX-License-Identifier: GPL-2.0
/* symphony doctor: why do I see no marks? What concerns no qdisc alone, and the report. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "doctor.h"

/* Something is wrong, though not with the command line and the kernel. */
#define EXIT_WRONG	3

#define INDENT		14
#define COLUMNS		80

/* Text broken at blanks, behind what the line has already. */
static void print_wrapped(const char *text)
{
	int column = INDENT;

	while (*text) {
		int len = strcspn(text, " ");

		if (column > INDENT && column + 1 + len > COLUMNS) {
			printf("\n%*s", INDENT, "");
			column = INDENT;
		}
		column += printf("%s%.*s", column > INDENT ? " " : "", len, text);
		text += len;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void report_text(const char *result, const char *check, const char *text,
			const char *advice)
{
	printf("%-5s %-8s", result, check);
	print_wrapped(text);
	if (!advice)
		return;
	printf("%*s-> ", INDENT - 3, "");
	print_wrapped(advice);
}

static void report_json(struct doctor *doctor, const char *result, const char *check,
			const char *text, const char *advice)
{
	struct json_object *object = json_object_new_object();
	char buf[TEXT_MAX];

	json_object_object_add(object, "check", json_object_new_string(check));
	json_object_object_add(object, "result", json_object_new_string(result));
	if (doctor->qdisc) {
		json_object_object_add(object, "dev", json_object_new_string(doctor->qdisc->dev));
		text_handle(doctor->qdisc->handle, buf);
		json_object_object_add(object, "handle", json_object_new_string(buf));
	}
	json_object_object_add(object, "text", json_object_new_string(text));
	if (advice)
		json_object_object_add(object, "advice", json_object_new_string(advice));
	json_object_array_add(doctor->findings, object);
}

void found(struct doctor *doctor, enum result result, const char *check, const char *advice,
	   const char *format, ...)
{
	static const char *const results[] = {
		[FINE]	= "ok",
		[NOTE]	= "note",
		[WRONG]	= "wrong",
	};
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	doctor->wrong += result == WRONG;
	if (doctor->findings)
		report_json(doctor, results[result], check, text, advice);
	else
		report_text(results[result], check, text, advice);
}

/* The first line of a file without its end. */
static bool read_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");
	bool got;

	if (!file)
		return false;
	got = fgets(line, size, file);
	fclose(file);
	if (got)
		line[strcspn(line, "\n")] = '\0';
	return got;
}

static bool installed(const char *release)
{
	char path[512], line[4096];
	bool have = false;
	FILE *file;

	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", release);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!have && fgets(line, sizeof(line), file))
		have = strstr(line, "/sch_symphony.ko");
	fclose(file);
	return have;
}

static void examine_module(struct doctor *doctor)
{
	struct utsname system = { 0 };
	char version[64];

	uname(&system);
	if (access("/sys/module/sch_symphony", F_OK)) {
		if (installed(system.release))
			found(doctor, FINE, "module", NULL,
			      "sch_symphony is installed; the first qdisc loads it");
		else
			found(doctor, WRONG, "module",
			      "Install it for this kernel: make install, or the package symphony-dkms.",
			      "there is no sch_symphony for kernel %s", system.release);
		return;
	}
	if (!read_line("/sys/module/sch_symphony/version", version, sizeof(version)))
		snprintf(version, sizeof(version), "of the kernel");
	if (strcmp(version, SYMPHONY_VERSION))
		found(doctor, NOTE, "module", NULL,
		      "sch_symphony %s is loaded; this command is of %s", version,
		      SYMPHONY_VERSION);
	else
		found(doctor, FINE, "module", NULL, "sch_symphony %s is loaded", version);
}

/* The plugin's help touches no qdisc; without plugin it is refused before the kernel. */
static void examine_plugin(struct doctor *doctor)
{
	FILE *tc = popen("PATH=$PATH:/usr/sbin:/sbin; export PATH; "
			 "command -v tc > /dev/null || { echo none; exit; }; "
			 "tc qdisc add dev lo root symphony help 2>&1", "re");
	char line[512] = "";

	if (tc && !fgets(line, sizeof(line), tc))
		line[0] = '\0';
	if (tc)
		pclose(tc);
	if (strstr(line, "symphony [ limit"))
		found(doctor, FINE, "plugin", NULL, "tc finds its plugin");
	else if (!strcmp(line, "none\n"))
		found(doctor, NOTE, "plugin", "Install iproute2.", "there is no tc");
	else
		found(doctor, WRONG, "plugin",
		      "Install q_symphony.so where tc looks, or set TC_LIB_DIR: make install-user, or the package symphony-tc.",
		      "tc does not find its plugin and cannot configure symphony");
}

/* Packets that come in as one are judged as one. */
static void examine_gro(struct doctor *doctor, const struct link *links, int nr)
{
	static const char *const features[] = { "rx-udp-gro-forwarding", "rx-gro-list" };
	bool any = false;
	size_t f;
	int i;

	for (i = 0; i < nr; i++) {
		for (f = 0; f < ROWS(features); f++) {
			char advice[128];

			if (!link_feature(links[i].name, features[f]))
				continue;
			any = true;
			snprintf(advice, sizeof(advice), "ethtool -K %s %s off", links[i].name,
				 features[f]);
			found(doctor, NOTE, "gro", advice,
			      "%s joins UDP packets that come in (%s): they are judged and marked together",
			      links[i].name, features[f]);
		}
	}
	if (!any)
		found(doctor, FINE, "gro", NULL, "no device joins UDP packets that come in");
}

static void examine_forwarding(struct doctor *doctor, const struct link *links, int nr)
{
	char v4[8] = "", v6[8] = "";
	int i;

	read_line("/proc/sys/net/ipv4/ip_forward", v4, sizeof(v4));
	read_line("/proc/sys/net/ipv6/conf/all/forwarding", v6, sizeof(v6));
	for (i = 0; i < nr; i++) {
		if (links[i].master) {
			found(doctor, FINE, "forward", NULL, "there is a bridge or bond");
			return;
		}
	}
	if (strcmp(v4, "0") && *v4)
		found(doctor, FINE, "forward", NULL, "this is a router");
	else if (strcmp(v6, "0") && *v6)
		found(doctor, NOTE, "forward", "sysctl -w net.ipv4.ip_forward=1",
		      "this is a router for IPv6 alone");
	else
		found(doctor, NOTE, "forward",
		      "If it is meant to: sysctl -w net.ipv4.ip_forward=1",
		      "nothing is forwarded here: only this host's own packets pass a qdisc");
}

static void examine_qdiscs(struct doctor *doctor, const struct qdiscs *list,
			   const struct link *links, int nr)
{
	char handle[TEXT_MAX];
	size_t i;

	if (!list->nr)
		found(doctor, WRONG, "qdisc",
		      "tc qdisc add dev DEV root handle 1: symphony mode observe, DEV being where packets leave",
		      "no device has symphony");
	for (i = 0; i < list->nr; i++) {
		doctor->qdisc = &list->qdisc[i];
		if (!doctor->findings)
			printf("%s %s\n", list->qdisc[i].dev,
			       text_handle(list->qdisc[i].handle, handle));
		examine_place(doctor, links, nr);
		examine_counters(doctor);
	}
}

static int run(struct context *ctx, int argc, char **argv)
{
	struct doctor doctor = { .ctx = ctx };
	unsigned int ifindex = 0;
	struct qdiscs list;
	struct link *links;
	int status, nr;

	status = cmd_argument_device("doctor", argc, argv, &ifindex);
	status = status ?: cmd_connect(ctx);
	status = status ?: qdiscs_get(ctx, ifindex, &list);
	if (status)
		return status;
	nr = links_get(&links);
	if (ctx->json)
		doctor.findings = json_object_new_array();
	examine_module(&doctor);
	examine_plugin(&doctor);
	examine_forwarding(&doctor, links, nr);
	examine_gro(&doctor, links, nr);
	examine_qdiscs(&doctor, &list, links, nr);
	if (doctor.findings)
		cmd_print_json(ctx, doctor.findings);
	free(links);
	qdiscs_free(&list);
	return doctor.wrong ? EXIT_WRONG : 0;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.args = "[ [ dev ] DEV ]",
	.help = "Why are there no marks, and what to do about it; status 3 if something is wrong.",
	.run = run,
};
