// SPDX-License-Identifier: GPL-2.0
/*
 * killat NUMBER COMMAND [ARG]...: run a command and kill it where it leaves the NUMBER-th system
 * call, since its first signalfd(), which is where a daemon here begins to work, that changes
 * what others see. Between two such calls it makes no difference when it dies. Ends with the
 * command's status if it ends before that.
 */
#include <fcntl.h>
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

struct call {
	long number;
	long flags;	/* the third argument */
};

/* The system call at which the process stands. User Mode Linux has the old way alone. */
static struct call call_of(pid_t pid)
{
	struct call call = { 0 };
#ifdef __x86_64__
	call.number = ptrace(PTRACE_PEEKUSER, pid, offsetof(struct user, regs.orig_rax), NULL);
	call.flags = ptrace(PTRACE_PEEKUSER, pid, offsetof(struct user, regs.rdx), NULL);
#else
	struct __ptrace_syscall_info info = { 0 };

	ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info);
	call.number = info.entry.nr;
	call.flags = info.entry.args[2];
#endif
	return call;
}

/* What only reads, waits, or is of the process itself. All else counts as a change. */
static bool changes_nothing(struct call call)
{
	switch (call.number) {
	case SYS_openat:
		return !(call.flags & (O_CREAT | O_TRUNC));
	case SYS_brk:
	case SYS_clock_gettime:
	case SYS_clock_nanosleep:
	case SYS_epoll_create1:
	case SYS_epoll_ctl:
	case SYS_epoll_pwait:
	case SYS_fcntl:
	case SYS_fstat:
	case SYS_futex:
	case SYS_getdents64:
	case SYS_getpeername:
	case SYS_getpid:
	case SYS_getrandom:
	case SYS_getsockname:
	case SYS_getsockopt:
	case SYS_inotify_add_watch:
	case SYS_inotify_init1:
	case SYS_lseek:
	case SYS_madvise:
	case SYS_mmap:
	case SYS_mprotect:
	case SYS_mremap:
	case SYS_munmap:
	case SYS_newfstatat:
	case SYS_ppoll:
	case SYS_pread64:
	case SYS_read:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_rt_sigaction:
	case SYS_rt_sigprocmask:
	case SYS_rt_sigreturn:
	case SYS_setsockopt:
	case SYS_signalfd4:
	case SYS_socket:
	case SYS_socketpair:
	case SYS_sysinfo:
	case SYS_timerfd_create:
	case SYS_timerfd_settime:
	case SYS_uname:
#ifdef __x86_64__
	case SYS_access:
	case SYS_epoll_wait:
	case SYS_poll:
	case SYS_stat:
	case SYS_lstat:
#endif
		return true;
	default:
		return false;
	}
}

static int follow(pid_t pid, long left)
{
	bool counts = false, leaves = true;
	int status, signal = 0;
	struct call call;

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
		leaves = !leaves;
		call = call_of(pid);
		counts = counts || call.number == SYS_signalfd4;
		if (!leaves || !counts || changes_nothing(call))
			continue;
		if (--left == 0)
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
