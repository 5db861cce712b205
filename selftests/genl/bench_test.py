# SPDX-License-Identifier: GPL-2.0
"""What a dump of a full table costs, and what commands cost that write."""

import statistics
import struct
import sys
import time

import genl
from genl_test import DEV, fresh, sh

JOBS = 16384
ROUNDS = 25
LIMIT = 0.1     # seconds for a dump


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
    print('1..1')
    sh(f'ip link del {DEV}')
    return not good


if __name__ == '__main__':
    sys.exit(main())
