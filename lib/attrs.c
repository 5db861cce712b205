// SPDX-License-Identifier: GPL-2.0
/* What the attributes are. */
#include "internal.h"
#include "attrs.h"

static const struct symphony_attr *describe(const struct symphony_attr *attrs, size_t rows,
					    unsigned int attr)
{
	return attr < rows && attrs[attr].name ? &attrs[attr] : NULL;
}

const struct symphony_attr *symphony_option_attr(unsigned int attr)
{
	return describe(option_attrs, ROWS(option_attrs), attr);
}

const struct symphony_attr *symphony_stat_attr(unsigned int attr)
{
	return describe(stat_attrs, ROWS(stat_attrs), attr);
}
