# SPDX-License-Identifier: GPL-2.0
"""What a dump of a full table costs, what commands cost that write, and symphony top."""

import fcntl
import os
import pty
import select
import statistics
import struct
import sys
import termios
import time

import genl
from genl_test import DEV, fresh, sh

JOBS = 16384
ROUNDS = 25
LIMIT = 0.1     # seconds for a dump
TOP_LIMIT = 0.02    # share of a processor
TOP_SECONDS = 25
SYMPHONY = os.path.join(os.path.dirname(__file__), '../../out/tools/symphony')


def raw_dump(netlink, **values):
    """Messages of a dump, without a look inside."""
    netlink.send(netlink.family, genl.CMD['job_get'], genl.REQUEST | genl.DUMP,
                 genl.encode(genl.ATTRS, values))
    count = 0
    while True:
        data = netlink.socket.recv(1 << 20)
        offset = 0
        while offset < len(data):
            size, kind = struct.unpack_from('=IH', data, offset)
            if kind == genl.MSG_DONE:
                return count
            count += 1
            offset += size + 3 & ~3


def seconds_of(pid):
    """Processor time of a process."""
    with open(f'/proc/{pid}/stat', encoding='ascii') as stat:
        fields = stat.read().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def drain(terminal, seconds):
    """What is shown has to be read. Whether there was any."""
    end = time.monotonic() + seconds
    size = 0
    while (left := end - time.monotonic()) > 0:
        if select.select([terminal], [], [], left)[0]:
            size += len(os.read(terminal, 1 << 16))
    return size > 0


def share_of_top():
    """Processor time of symphony top in a second, the first looks left out."""
    pid, terminal = pty.fork()
    if not pid:
        os.execve(SYMPHONY, ['symphony', 'top'], {'TERM': 'vt100', 'LC_ALL': 'C.UTF-8'})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
    drain(terminal, 5)
    before, began = seconds_of(pid), time.monotonic()
    alive = drain(terminal, TOP_SECONDS)
    share = (seconds_of(pid) - before) / (time.monotonic() - began)
    os.write(terminal, b'q')
    _, status = os.waitpid(pid, 0)
    return share if alive and not status else None


def top_is_cheap():
    if not os.access(SYMPHONY, os.X_OK):
        print('ok 2 symphony top # SKIP the command is not built: make tools')
        return True
    share = share_of_top()
    good = share is not None and share < TOP_LIMIT
    print('# symphony top with a silent table: ' +
          ('it failed' if share is None else f'{share:.1%} of a processor'))
    print(f"{'ok' if good else 'not ok'} 2 symphony top uses less than {TOP_LIMIT:.0%}")
    return good


def main():
    print('TAP version 13')
    sh('ip link set lo up')
    ifindex = fresh(f'symphony jobs {JOBS}')
    netlink = genl.Genl()
    began = time.monotonic()
    for job in range(1, JOBS + 1):
        netlink.request('job_set', ifindex=ifindex, job=job, overrides={'pinned': 1})
    took = time.monotonic() - began
    print(f'# job set: {took / JOBS * 1e6:.1f} us each, the program included')
    times = []
    for _ in range(ROUNDS):
        began = time.monotonic()
        count = raw_dump(netlink, ifindex=ifindex)
        times.append(time.monotonic() - began)
    print(f'# dump of {count} jobs: {statistics.median(times) * 1e3:.1f} ms, '
          f'at least {min(times) * 1e3:.1f} ms (median and least of {ROUNDS})')
    good = count == JOBS and min(times) < LIMIT
    print(f"{'ok' if good else 'not ok'} 1 a dump of {JOBS} jobs takes less than "
          f'{LIMIT * 1e3:.0f} ms')
    good = top_is_cheap() and good
    print('1..2')
    sh(f'ip link del {DEV}')
    return not good


if __name__ == '__main__':
    sys.exit(main())
