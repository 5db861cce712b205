# SPDX-License-Identifier: GPL-2.0
"""A hundred dumpers while jobs come and go under traffic and the tables are changed."""

import os
import struct
import subprocess
import sys
import time

import genl
from genl_test import DEV, fresh, sh

JOBS = 16384
DUMPERS = int(os.environ.get('DUMPERS', '100'))
SECONDS = float(os.environ.get('SECONDS_EACH', '15'))
STAY = range(10000, 17000)      # no number of the flood, which has 13 bits
FLOOD = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'attack', 'flood')
# A message of a qdisc has three attributes before the job's, and the domain before.
JOB_AT = 16 + 4 + 3 * 8 + 4
DOMAIN = genl.ATTRS.index('domain')


def jobs_of_dump(netlink, ifindex):
    netlink.send(netlink.family, genl.CMD['job_get'], genl.REQUEST | genl.DUMP,
                 genl.encode(genl.ATTRS, {'ifindex': ifindex}))
    jobs = []
    interrupted = False
    while True:
        data = netlink.socket.recv(1 << 20)
        offset = 0
        while offset < len(data):
            size, kind, flags = struct.unpack_from('=IHH', data, offset)
            interrupted |= bool(flags & genl.DUMP_INTR)
            if kind == genl.MSG_DONE:
                return jobs, interrupted
            shared = 8 * (struct.unpack_from('=H', data, offset + 22)[0] == DOMAIN)
            jobs.append(struct.unpack_from('=I', data, offset + shared + JOB_AT)[0])
            offset += size + 3 & ~3


def dumper(ifindex, end, changes):
    """Status of a process: 0 if what stays was in each dump exactly once."""
    netlink = genl.Genl()
    dumps = 0
    while time.monotonic() < end or not dumps:
        jobs, interrupted = jobs_of_dump(netlink, ifindex)
        dumps += 1
        there = sorted(job for job in jobs if job in STAY)
        # a change of the tables may put the rest of a dump elsewhere, and says so
        if there != list(STAY) and not (changes and interrupted):
            print(f'# {len(there)} of {len(STAY)} that stay, {len(set(there))} different')
            return 1
        if len(jobs) != len(set(jobs)) and not interrupted:
            print('# a job twice in a dump that was not interrupted')
            return 1
    return 0


def dumpers(ifindex, end, changes):
    children = []
    for _ in range(DUMPERS):
        child = os.fork()
        if not child:
            os._exit(dumper(ifindex, end, changes))
        children.append(child)
    return children


def failed_of(children):
    return sum(os.waitpid(child, 0)[1] != 0 for child in children)


def point(number, good, name):
    print(f"{'ok' if good else 'not ok'} {number} {name}", flush=True)
    return good


def flood(seed, jobs, kind):
    return subprocess.Popen([FLOOD, DEV, '3600s', str(seed), str(jobs), kind],
                            stdout=subprocess.DEVNULL)


def floods(jobs):
    return [flood(1, jobs, 'mix'), flood(2, jobs, 'data')]


def stop(running):
    for process in running:
        process.kill()
        process.wait()


def main():
    print('TAP version 13', flush=True)
    sh('ip link set lo up')
    ifindex = fresh(f'symphony jobs {JOBS} window 1us idle 1ms')
    netlink = genl.Genl()
    for job in STAY:
        netlink.request('job_set', ifindex=ifindex, job=job, overrides={'pinned': 1})
    running = floods(8000)
    good = True
    try:
        failed = failed_of(dumpers(ifindex, time.monotonic() + SECONDS, False))
        good &= point(1, not failed, f'{DUMPERS} dumpers see each job that stays once')
        count = int(sh(f'tc -s qdisc show dev {DEV}').stdout.split('jobs_created ')[1].split()[0])
        good &= point(2, count > len(STAY) + 1000, f'jobs came and went: {count}')

        end = time.monotonic() + SECONDS
        children = dumpers(ifindex, end, True)
        rounds = 0
        while time.monotonic() < end or rounds < 2:
            for options in ('jobs 16000', 'proto rocev2 jobs 16384', 'flows 1024', 'domain 7',
                            'domain 0 flows 65536'):
                sh(f'tc qdisc change dev {DEV} root symphony {options}')
            rounds += 1
        good &= point(3, not failed_of(children), f'and in {rounds} rounds of changes')
        for process in running:
            good &= process.poll() is None
    finally:
        stop(running)
    sh(f'ip link del {DEV}')
    print('1..3')
    return not good


if __name__ == '__main__':
    sys.exit(main())
