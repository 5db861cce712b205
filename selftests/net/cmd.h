/* SPDX-License-Identifier: GPL-2.0 */
/* Commands, run in the namespace that the caller is in. */
#ifndef _CMD_H
#define _CMD_H

#include <stddef.h>

/**
 * cmd_run() - run a command
 * @cmd: what the shell understands
 * @out: what it printed on either output, as much of it as fits
 * @size: room in @out
 *
 * A plain tc command does not start a program: one tc -batch lives as long as
 * this process, in the namespace of its first use. Starting programs is what
 * takes longest in an emulated machine.
 *
 * Return: exit status, 255 if there was none; 1 for any failure of tc.
 */
int cmd_run(const char *cmd, char *out, size_t size);

#endif
