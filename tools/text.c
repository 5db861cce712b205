// SPDX-License-Identifier: GPL-2.0
/* Values as text and as JSON. */
#include <string.h>
#include <time.h>

#include "cmd.h"

void cmd_print_json(const struct context *ctx, struct json_object *object)
{
	puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_NOSLASHESCAPE |
					    (ctx->pretty ? JSON_C_TO_STRING_PRETTY : 0)));
	json_object_put(object);
}

/* Every digit of the billionths and no more. */
static struct json_object *json_fraction(__u64 value)
{
	char buf[TEXT_MAX];
	int len;

	len = snprintf(buf, sizeof(buf), "%llu.%09llu", value / TC_SYMPHONY_ONE,
		       value % TC_SYMPHONY_ONE);
	while (buf[len - 1] == '0')
		buf[--len] = '\0';
	if (buf[len - 1] == '.')
		buf[--len] = '\0';
	return json_object_new_double_s((double)value / TC_SYMPHONY_ONE, buf);
}

static struct json_object *json_value(const struct symphony_field *attr, __u64 value)
{
	if (attr->unit == SYMPHONY_UNIT_FLAG)
		return json_object_new_boolean(value);
	if (attr->unit == SYMPHONY_UNIT_CHOICE && value < attr->nr_choices && attr->choices[value])
		return json_object_new_string(attr->choices[value]);
	if (attr->unit == SYMPHONY_UNIT_BILLIONTHS)
		return json_fraction(value);
	return json_object_new_uint64(value);
}

struct json_object *values_json(const struct symphony_values *values,
				const struct symphony_field *(*attr_of)(unsigned int attr))
{
	struct json_object *object = json_object_new_object();
	const struct symphony_field *attr;
	struct json_object *value;
	unsigned int i;

	for (i = 0; i < SYMPHONY_VALUES_MAX; i++) {
		attr = attr_of(i);
		if (!attr || !symphony_has(values, i))
			continue;
		value = json_value(attr, values->value[i]);
		json_object_object_add(object, attr->name, value);
	}
	return object;
}

const char *text_handle(__u32 handle, char *buf)
{
	if (handle == UINT32_MAX)
		snprintf(buf, TEXT_MAX, "root");
	else if (handle & 0xffff)
		snprintf(buf, TEXT_MAX, "%x:%x", handle >> 16, handle & 0xffff);
	else
		snprintf(buf, TEXT_MAX, "%x:", handle >> 16);
	return buf;
}

const char *text_number(__u64 number, char *buf)
{
	static const char units[] = "kMGTPE";
	double rest = number;
	size_t unit;

	if (number < 10000000) {
		snprintf(buf, TEXT_MAX, "%llu", number);
		return buf;
	}
	for (unit = 0, rest /= 1000; rest >= 999.95 && units[unit + 1]; unit++)
		rest /= 1000;
	snprintf(buf, TEXT_MAX, "%.1f%c", rest, units[unit]);
	return buf;
}

const char *text_share(__u64 part, __u64 whole, char *buf)
{
	if (!whole)
		snprintf(buf, TEXT_MAX, "-");
	else
		snprintf(buf, TEXT_MAX, "%.1f%%", 100.0 * part / whole);
	return buf;
}

/* Lists have thousands of rows of one device, and a name costs three system calls. */
const char *text_device(unsigned int ifindex, char *buf)
{
	static struct {
		unsigned int ifindex;
		time_t since;
		char name[TEXT_MAX];
	} last;
	time_t now = time(NULL);

	if (last.ifindex != ifindex || last.since != now) {
		if (!if_indextoname(ifindex, last.name))
			snprintf(last.name, sizeof(last.name), "if%u", ifindex);
		last.ifindex = ifindex;
		last.since = now;
	}
	snprintf(buf, TEXT_MAX, "%s", last.name);
	return buf;
}

const char *text_age(__u64 ns, char *buf)
{
	static const struct {
		const char *unit;
		double factor;
		double below;
	} units[] = {
		{ "ns", 1, 1e3 }, { "us", 1e3, 1e6 }, { "ms", 1e6, 1e9 }, { "s", 1e9, 60e9 },
		{ "m", 60e9, 3600e9 }, { "h", 3600e9, 86400e9 }, { "d", 86400e9, 1e300 },
	};
	size_t i;

	for (i = 0; ns >= units[i].below; i++)
		;
	snprintf(buf, TEXT_MAX, i == 3 && ns < 10e9 ? "%.1f%s" : "%.0f%s", ns / units[i].factor,
		 units[i].unit);
	return buf;
}

const char *text_choice(const struct symphony_values *values, unsigned int attr,
			const struct symphony_field *(*field_of)(unsigned int attr))
{
	const struct symphony_field *field = field_of(attr);
	__u64 value = symphony_get(values, attr);

	if (!symphony_has(values, attr) || value >= field->nr_choices || !field->choices[value])
		return "?";
	return field->choices[value];
}

const char *text_option(const struct symphony_values *options, unsigned int attr)
{
	return text_choice(options, attr, symphony_option_field);
}
