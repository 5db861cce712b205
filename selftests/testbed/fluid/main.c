// SPDX-License-Identifier: GPL-2.0
/*
 * fluid DIR: bounds of a run's completion time. Each message is a fluid on the
 * path that its packets took in the run whose records are in DIR; rates change
 * at once whenever a message begins or ends. Sharing the links fairly is what
 * a perfect congestion control does, the smallest step first what a perfect
 * order does. Prints metrics, "name value" a line.
 */
#include <stdio.h>

#include "fluid.h"

static void print(const char *name, struct fluid_result result)
{
	printf("fluid_%s %.6g\n", name, result.slowdown);
	printf("fluid_%s_cct_ms %.6g\n", name, result.cct_ms);
	printf("fluid_%s_steps %u\n", name, result.steps);
}

int main(int argc, char **argv)
{
	struct fluid fluid = {};

	if (argc != 2)
		fluid_die("usage: fluid DIR");
	fluid_read(&fluid, argv[1]);
	print("fair", fluid_run(&fluid, FLUID_FAIR));
	print("order", fluid_run(&fluid, FLUID_ORDER));
	return 0;
}
