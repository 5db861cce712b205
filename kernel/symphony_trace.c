// SPDX-License-Identifier: GPL-2.0
/* Definitions of the tracepoints. */
#include "symphony.h"

#define CREATE_TRACE_POINTS
#include "symphony_trace.h"
