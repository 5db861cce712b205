// SPDX-License-Identifier: GPL-2.0
/*
 * As much of a JSON reader as an array of flat objects needs: the scalar
 * members of each object of the outer array; anything nested is skipped.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

#define TOKEN_MAX	128

static const char *skip_space(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

/* A string from its opening quote; tc escapes nothing that matters here. */
static const char *read_string(const char *s, char *token)
{
	size_t len = 0;

	for (s++; *s && *s != '"'; s++)
		if (len < TOKEN_MAX - 1)
			token[len++] = *s;
	token[len] = '\0';
	return *s ? s + 1 : s;
}

static const char *read_bare(const char *s, char *token)
{
	size_t len = strcspn(s, ",]} \t\n");

	snprintf(token, TOKEN_MAX, "%.*s", (int)len, s);
	return s + len;
}

static const char *skip_nested(const char *s)
{
	char token[TOKEN_MAX];
	int depth = 0;

	do {
		if (*s == '"') {
			s = read_string(s, token);
			continue;
		}
		if (*s == '{' || *s == '[')
			depth++;
		if (*s == '}' || *s == ']')
			depth--;
		s++;
	} while (*s && depth);
	return s;
}

static void take_member(struct qdisc_stats *q, const char *name,
			const char *value, bool string)
{
	struct counter *c;

	if (string && !strcmp(name, "kind"))
		snprintf(q->kind, sizeof(q->kind), "%.15s", value);
	if (string && !strcmp(name, "handle"))
		snprintf(q->handle, sizeof(q->handle), "%.15s", value);
	if (string || !isdigit((unsigned char)*value) ||
	    q->nr == QDISC_COUNTERS)
		return;
	c = &q->counter[q->nr++];
	snprintf(c->name, sizeof(c->name), "%.31s", name);
	c->value = strtoull(value, NULL, 10);
}

static const char *read_object(const char *s, struct qdisc_stats *q)
{
	char name[TOKEN_MAX], value[TOKEN_MAX];
	bool string;

	memset(q, 0, sizeof(*q));
	s = skip_space(s + 1);
	while (*s == '"') {
		s = skip_space(read_string(s, name));
		if (*s != ':')
			return NULL;
		s = skip_space(s + 1);
		string = *s == '"';
		if (*s == '{' || *s == '[') {
			s = skip_nested(s);
		} else {
			s = string ? read_string(s, value) :
				     read_bare(s, value);
			take_member(q, name, value, string);
		}
		s = skip_space(s);
		if (*s == ',')
			s = skip_space(s + 1);
	}
	return *s == '}' ? s + 1 : NULL;
}

int stats_parse(const char *json, struct qdisc_stats *q)
{
	int nr = 0;

	json = skip_space(json);
	if (*json != '[')
		return -1;
	json = skip_space(json + 1);
	while (*json == '{' && nr < QDISCS_MAX) {
		json = read_object(json, &q[nr]);
		if (!json)
			return -1;
		nr++;
		json = skip_space(json);
		if (*json == ',')
			json = skip_space(json + 1);
	}
	return *json == ']' ? nr : -1;
}

const struct counter *stats_get(const struct qdisc_stats *q, const char *name)
{
	unsigned int i;

	for (i = 0; i < q->nr; i++)
		if (!strcmp(q->counter[i].name, name))
			return &q->counter[i];
	return NULL;
}
