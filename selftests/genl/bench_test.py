# SPDX-License-Identifier: GPL-2.0
"""What a dump of a full table costs, what commands cost that write, and symphony top.

A guest does not see when its host has other things to do. So each part of a dump counts as
long as it took at best. Beside symphony top a process dumps all jobs every second: it takes
as many times longer than such a dump does at best as symphony top does."""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

import genl
from churn_test import flood, stop
from genl_test import DEV, fresh, sh, sums_of_qdisc, wait_for

JOBS = 16384
ROUNDS = 25
LIMIT = 0.1     # seconds for a dump
TOP_LIMIT = 0.02    # share of a processor
TOP_SECONDS = 25
SYMPHONY = os.path.join(os.path.dirname(__file__), '../../out/tools/symphony')


def messages_of(data):
    """Number of messages, without a look inside, and whether the dump ends with them."""
    offset = count = 0
    while offset < len(data):
        size, kind = struct.unpack_from('=IH', data, offset)
        if kind == genl.MSG_DONE:
            return count, True
        count += 1
        offset += size + 3 & ~3
    return count, False


def raw_dump(netlink, **values):
    """Number of messages of a dump, and the seconds that each part of it took."""
    count, end, times = 0, False, []
    began = time.monotonic()
    netlink.send(netlink.family, genl.CMD['job_get'], genl.REQUEST | genl.DUMP,
                 genl.encode(genl.ATTRS, values))
    while not end:
        messages, end = messages_of(netlink.socket.recv(1 << 20))
        count += messages
        times.append(time.monotonic() - began)
        began = time.monotonic()
    return count, times


class Reference:
    """A process that dumps all jobs every second."""

    def __init__(self):
        self.told, tell = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            netlink = genl.Genl()
            os.write(tell, b'.')    # what comes before does not count
            while True:
                time.sleep(1)
                raw_dump(netlink)
                os.write(tell, b'.')
        os.close(tell)
        os.read(self.told, 1)
        self.before = seconds_of(self.pid)

    def end(self):
        """Seconds of a dump."""
        used = seconds_of(self.pid) - self.before
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        dumps = len(os.read(self.told, 1 << 16))
        os.close(self.told)
        return used / dumps


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


def top_is_cheap(number, jobs, dump):
    """If a dump of all takes so many seconds."""
    if not os.access(SYMPHONY, os.X_OK):
        print(f'ok {number} symphony top, {jobs} # SKIP the command is not built: make tools')
        return True
    reference = Reference()
    share = share_of_top()
    longer = max(1, reference.end() / dump)
    good = share is not None and share / longer < TOP_LIMIT
    print(f'# symphony top, {jobs}: ' +
          ('it failed' if share is None else f'{share / longer:.1%} of a processor, on which '
           f'a dump takes {longer:.1f} times as long as it does at best'))
    print(f"{'ok' if good else 'not ok'} {number} symphony top, {jobs}, uses less than "
          f'{TOP_LIMIT:.0%}', flush=True)
    return good


def dump_is_fast(netlink, ifindex):
    """With a table that is full."""
    parts = []
    for _ in range(ROUNDS):
        count, times = raw_dump(netlink, ifindex=ifindex)
        parts.append(times)
    took = sum(min(part) for part in zip(*parts))
    print(f'# dump of {count} jobs: {took * 1e3:.1f} ms, in {len(parts[0])} parts, each at its '
          f'best of {ROUNDS}; all in one {min(map(sum, parts)) * 1e3:.1f} ms at best')
    good = count == JOBS and took < LIMIT
    print(f"{'ok' if good else 'not ok'} 1 a dump of {JOBS} jobs takes less than "
          f'{LIMIT * 1e3:.0f} ms', flush=True)
    return good, took


def full_of_senders():
    """A table whose jobs all send, and who sends for them."""
    ifindex = fresh(f'symphony jobs {JOBS} proto uet k 1 warmup 0')
    running = [flood(1, JOBS, 'forged')]
    wait_for(lambda: sums_of_qdisc()['jobs'] >= JOBS * 0.99)
    return ifindex, running


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
    good, took = dump_is_fast(netlink, ifindex)
    good = top_is_cheap(2, 'a silent table', took) and good
    sh(f'ip link del {DEV}')
    ifindex, running = full_of_senders()
    try:
        good = top_is_cheap(3, 'all of them sending', took) and good
    finally:
        stop(running)
    print('1..3')
    sh(f'ip link del {DEV}')
    return not good


if __name__ == '__main__':
    sys.exit(main())
