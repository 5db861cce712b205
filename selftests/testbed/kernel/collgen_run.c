// SPDX-License-Identifier: GPL-2.0
/* The run: its state, its time, its end, and why a command was refused. */
#include <linux/string.h>
#include <linux/time.h>
#include "collgen.h"

struct cg_run cg;
DECLARE_WAIT_QUEUE_HEAD(cg_wait);

static char error_text[256];

/* cg_error() - say why a command was refused */
void cg_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(error_text, sizeof(error_text) - 1, fmt, args);
	va_end(args);
	pr_err("collgen: %s\n", error_text);
	strlcat(error_text, "\n", sizeof(error_text));
}

const char *cg_command_error(void)
{
	return error_text;
}

void cg_clear_error(void)
{
	error_text[0] = '\0';
}

/* Time that really passes. The virtual clock does not know it. */
#ifdef CONFIG_UML
static u64 cg_host_clock(long clock)
{
	struct timespec64 ts = {};
	long ret = 228;	/* clock_gettime */

	asm volatile("syscall"
		     : "+a" (ret)
		     : "D" (clock), "S" (&ts)
		     : "rcx", "r11", "memory");
	return timespec64_to_ns(&ts);
}
#else
static u64 cg_host_clock(long clock)
{
	return ktime_get_ns();
}
#endif

/* cg_time() - ns since start */
u64 cg_time(void)
{
	return sim_now() - cg.zero;
}

/**
 * cg_begin() - the run begins
 * @zero: when, CLOCK_MONOTONIC
 *
 * Context: bottom halves off.
 */
void cg_begin(u64 zero)
{
	cg.wall = cg_host_clock(CLOCK_MONOTONIC);
	cg.cpu = cg_host_clock(CLOCK_PROCESS_CPUTIME_ID);
	cg.zero = zero;
	cg.running = true;
}

/**
 * cg_finish() - the run is over
 * @complete: everything was sent
 *
 * Context: bottom halves off.
 */
void cg_finish(bool complete)
{
	if (!cg.running)
		return;
	cg.running = false;
	cg.complete = complete;
	cg.end = cg_time();
	cg.hops = simdev_hops;
	cg.wall = cg_host_clock(CLOCK_MONOTONIC) - cg.wall;
	cg.cpu = cg_host_clock(CLOCK_PROCESS_CPUTIME_ID) - cg.cpu;
	cg.stop();
	cg.finished = true;
	wake_up_all(&cg_wait);
}
