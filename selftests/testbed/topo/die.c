// SPDX-License-Identifier: GPL-2.0
/* The end, with a reason. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "topo.h"

void topo_die(const char *fmt, ...)
{
	va_list args;

	fputs("topo: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}
