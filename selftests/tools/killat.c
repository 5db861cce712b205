// SPDX-License-Identifier: GPL-2.0
/*
 * killat NUMBER COMMAND [ARG]...: run a command and kill it where it enters or leaves a system
 * call for the NUMBER-th time since its first signalfd(), which is where a daemon here begins
 * to work. Ends with the command's status if it ends before that.
 */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ptrace.h>

/* Number of the system call at which the process stands. User Mode Linux has the old way alone. */
static long number_of(pid_t pid)
{
#ifdef __x86_64__
	return ptrace(PTRACE_PEEKUSER, pid, offsetof(struct user, regs.orig_rax), NULL);
#else
	struct __ptrace_syscall_info info = { 0 };

	ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info);
	return info.entry.nr;
#endif
}

static int follow(pid_t pid, long left)
{
	int status, signal = 0;
	bool counts = false;

	while (!ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(long)signal)) {
		if (waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status))
			return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
		signal = WSTOPSIG(status);
		/* of an execve() */
		if (signal == SIGTRAP)
			signal = 0;
		if (signal != (SIGTRAP | 0x80))
			continue;
		signal = 0;
		counts = counts || number_of(pid) == SYS_signalfd4;
		if (counts && --left == 0)
			kill(pid, SIGKILL);
	}
	return 0;
}

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	if (argc < 3 || atol(argv[1]) < 1) {
		fprintf(stderr, "usage: killat NUMBER COMMAND [ARG]...\n");
		return 2;
	}
	pid = fork();
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return 2;
	ptrace(PTRACE_SETOPTIONS, pid, NULL,
	       (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
	return follow(pid, atol(argv[1]));
}
