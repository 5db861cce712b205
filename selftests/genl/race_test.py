# SPDX-License-Identifier: GPL-2.0
"""Few jobs on two queues of one domain that many look at, change and reset, for a kernel
that looks for races: each record is read while packets write it."""

import os
import sys
import time

import genl
from churn_test import failed_of, floods, point, stop
from genl_test import DEV, fresh, sh

SECONDS = float(os.environ.get('SECONDS_EACH', '30'))
JOBS = 12                       # numbers 1 to 12 of each flood


def raw_dump(netlink, cmd):
    """Bytes of a dump, without a look inside: most of the time is the kernel's."""
    size = 0
    netlink.send(netlink.family, genl.CMD[cmd], genl.REQUEST | genl.DUMP,
                 genl.encode(genl.ATTRS, {'domain': 1}))
    while True:
        for kind, _, _, data in netlink.receive():
            if kind in (genl.MSG_DONE, genl.MSG_ERROR):
                return size
            size += len(data)


def dumping(end):
    """Bytes of jobs and flows that were seen."""
    netlink = genl.Genl()
    seen = 0
    while time.monotonic() < end or not seen:
        for _ in range(10):
            seen += raw_dump(netlink, 'job_get')
        seen += raw_dump(netlink, 'flow_get')
    return seen


def operating(end):
    """Number of commands that a job was there for."""
    netlink = genl.Genl()
    done = 0
    while time.monotonic() < end or not done:
        for job in range(1, JOBS + 1):
            for command in ({'cmd': 'job_set', 'overrides': {'k': 1000 + done}},
                            {'cmd': 'job_get'}, {'cmd': 'job_reset'}):
                try:
                    netlink.request(domain=1, job=job, **command)
                    done += 1
                except genl.Refused:    # it is not there yet
                    pass
    return done


def reading(end):
    """Number of times that the statistics were read."""
    reads = 0
    while time.monotonic() < end or not reads:
        sh(f'tc -s qdisc show dev {DEV}')
        reads += 1
    return reads


def worker(function, end):
    """A process that ends with status 0 if it had something to do."""
    child = os.fork()
    if not child:
        os._exit(function(end) == 0)
    return child


def sent():
    shown = sh(f'tc -s qdisc show dev {DEV} root').stdout
    return int(shown.split(' bytes ')[1].split()[0])


def look_often():
    """Let KCSAN stop at every hundredth access, not at every thousandth."""
    try:
        with open('/sys/module/kcsan/parameters/skip_watch', 'w', encoding='ascii') as skip:
            skip.write('100')
    except OSError:     # it is another kernel
        pass


def main():
    print('TAP version 13', flush=True)
    look_often()
    sh('ip link set lo up')
    fresh('handle 9: mq')
    for queue in (1, 2, 3, 4):
        sh(f'tc qdisc add dev {DEV} parent 9:{queue} handle 1{queue}: '
           'symphony domain 1 jobs 16 flows 16 k 1 warmup 0 window 10us')
    running = floods(JOBS)
    try:
        end = time.monotonic() + SECONDS
        children = [worker(function, end) for function in
                    (dumping, dumping, operating, reading)]
        rounds = 0
        while time.monotonic() < end or rounds < 2:
            for options in ('k 0.5', 'mode observe', 'mode mark window 1ms', 'window 10us'):
                for queue in (1, 2, 3, 4):
                    sh(f'tc qdisc change dev {DEV} parent 9:{queue} handle 1{queue}: '
                       f'symphony {options}', check=False)
            rounds += 1
        good = point(1, not failed_of(children), 'dumps, commands and statistics')
        good &= point(2, all(process.poll() is None for process in running) and sent() > 1000,
                      f'{sent()} packets passed, {rounds} rounds of changes')
    finally:
        stop(running)
    sh(f'ip link del {DEV}')
    print('1..2')
    return not good


if __name__ == '__main__':
    sys.exit(main())
