// SPDX-License-Identifier: GPL-2.0
/* What the attributes are. */
#include "internal.h"
#include "attrs.h"

static const struct symphony_field *describe(const struct symphony_field *attrs, size_t rows,
					     unsigned int attr)
{
	return attr < rows && attrs[attr].name ? &attrs[attr] : NULL;
}

const struct symphony_field *symphony_option_field(unsigned int attr)
{
	return describe(option_attrs, ROWS(option_attrs), attr);
}

const struct symphony_field *symphony_stat_field(unsigned int attr)
{
	return describe(stat_attrs, ROWS(stat_attrs), attr);
}

const struct symphony_field *symphony_state_field(unsigned int attr)
{
	return describe(state_attrs, ROWS(state_attrs), attr);
}

const struct symphony_field *symphony_job_stat_field(unsigned int attr)
{
	return describe(job_stat_attrs, ROWS(job_stat_attrs), attr);
}

const struct symphony_field *symphony_override_field(unsigned int attr)
{
	return describe(override_attrs, ROWS(override_attrs), attr);
}

const struct symphony_field *symphony_event_field(unsigned int attr)
{
	return describe(event_attrs, ROWS(event_attrs), attr);
}

const struct symphony_field *symphony_flow_field(unsigned int attr)
{
	return describe(flow_attrs, ROWS(flow_attrs), attr);
}
