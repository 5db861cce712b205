// SPDX-License-Identifier: GPL-2.0
/* Overrides of a job as words. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "override.h"

unsigned int override_find(const char *name)
{
	unsigned int attr;

	for (attr = SYMPHONY_OVERRIDE_ATTR_MAX; attr; attr--) {
		const struct symphony_field *field = symphony_override_field(attr);

		if (field && !strcmp(field->name, name))
			break;
	}
	return attr;
}

/* A fraction from 0 to 1 with at most nine digits behind the point, or percent. */
static int read_fraction(const char *word, __u64 *value)
{
	__u64 scale = TC_SYMPHONY_ONE, number = 0;
	bool point = false, any = false;
	const char *c;

	if (*word && word[strlen(word) - 1] == '%')
		scale /= 100;
	for (c = word; isdigit((unsigned char)*c) || (*c == '.' && !point); c++) {
		if (*c == '.') {
			point = true;
			continue;
		}
		any = true;
		if (point) {
			if (scale % 10 && *c != '0')
				return -1;
			if (scale % 10)
				continue;
			scale /= 10;
			number += (*c - '0') * scale;
		} else {
			number = number * 10 + (*c - '0') * scale;
			if (number > TC_SYMPHONY_ONE)
				return -1;
		}
	}
	if (!any || (*c && strcmp(c, "%")) || number > TC_SYMPHONY_ONE)
		return -1;
	*value = number;
	return 0;
}

static int read_choice(const struct symphony_field *field, const char *word, __u64 *value)
{
	unsigned int i;

	for (i = 0; i < field->nr_choices; i++) {
		if (!strcmp(field->choices[i], word)) {
			*value = i;
			return 0;
		}
	}
	return -1;
}

int override_read(unsigned int attr, const char *word, __u64 *value)
{
	const struct symphony_field *field = symphony_override_field(attr);
	int err;

	if (attr == SYMPHONY_OVERRIDE_ATTR_PINNED) {
		*value = !strcmp(word, "on");
		err = !*value && strcmp(word, "off");
	} else if (field->unit == SYMPHONY_UNIT_CHOICE) {
		err = read_choice(field, word, value);
	} else {
		err = read_fraction(word, value);
	}
	return err ? -EINVAL : 0;
}

const char *override_wants(unsigned int attr)
{
	static const char *const wants[] = {
		[SYMPHONY_OVERRIDE_ATTR_K]	= "a probability from 0 to 1",
		[SYMPHONY_OVERRIDE_ATTR_TAU]	= "a ratio from 0 to 1",
		[SYMPHONY_OVERRIDE_ATTR_MODE]	= "mark, observe or prio",
		[SYMPHONY_OVERRIDE_ATTR_PINNED]	= "on or off",
	};

	return wants[attr];
}
