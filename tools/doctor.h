/* SPDX-License-Identifier: GPL-2.0 */
/* What the examinations of symphony doctor share. */
#ifndef _SYMPHONY_DOCTOR_H
#define _SYMPHONY_DOCTOR_H

#include "cmd.h"
#include "link.h"

/**
 * enum result - of an examination
 * @FINE: as it should be
 * @NOTE: worth to know
 * @WRONG: why there are no marks, or fewer
 */
enum result {
	FINE,
	NOTE,
	WRONG,
};

/**
 * struct doctor - what is examined, and what was found
 * @ctx: context
 * @findings: for JSON, or NULL
 * @qdisc: that the findings are about, or NULL
 * @wrong: how many were %WRONG
 */
struct doctor {
	const struct context *ctx;
	struct json_object *findings;
	const struct symphony_qdisc *qdisc;
	unsigned int wrong;
};

/**
 * found() - report a finding
 * @doctor: doctor
 * @result: how bad it is
 * @check: name of the examination
 * @advice: what to do about it, or NULL
 * @format: what was found, as for printf()
 */
void found(struct doctor *doctor, enum result result, const char *check, const char *advice,
	   const char *format, ...) __printf(5, 6);

/**
 * examine_place() - where a qdisc stands
 * @doctor: doctor with a qdisc
 * @links: all devices
 * @nr: of them
 */
void examine_place(struct doctor *doctor, const struct link *links, int nr);

/**
 * examine_counters() - what a qdisc has counted
 * @doctor: doctor with a qdisc
 */
void examine_counters(struct doctor *doctor);

#endif
