# SPDX-License-Identifier: GPL-2.0
"""An operator who never rests: dumps jobs and flows, overrides, resets and deletes jobs.

    soak.py FILE SEED

Until FILE is there. Prints how often; an answer that no race explains is its end.
"""

import collections
import errno
import os
import random
import sys

import genl

# The qdisc, its job or the place for one may have gone a moment ago; a domain has several
# qdiscs and a device may have, too. No job is in mode prio, which a change of the queue is
# refused for.
EXPECTED = (errno.ENODEV, errno.ENOENT, errno.ENOSPC, errno.EINVAL)


def act(netlink, rnd, done):
    jobs = netlink.dump('job_get')
    done['dumps'] += 1
    done['jobs'] += len(jobs)
    done['flows'] += len(netlink.dump('flow_get'))
    for job in rnd.sample(jobs, min(len(jobs), 20)):
        where = {name: job[name] for name in ('ifindex', 'handle', 'parent') if name in job}
        where = where or {'domain': job['domain']}
        command, extra = rnd.choice((
            ('job_get', {}), ('job_reset', {}), ('job_del', {}),
            ('job_set', {'overrides': {'k': rnd.randint(0, 10**9), 'pinned': rnd.randint(0, 1)}}),
            ('job_set', {'overrides': {'mode': rnd.randint(0, 1), 'pinned': 0}}),
            ('job_set', {'overrides': {'k': genl.NO_OVERRIDE, 'mode': genl.NO_OVERRIDE}})))
        try:
            netlink.request(command, job=job['job'], **where, **extra)
            done[command] += 1
        except genl.Refused as refused:
            if refused.errno not in EXPECTED:
                raise
            done['refused'] += 1


def main():
    end, rnd = sys.argv[1], random.Random(int(sys.argv[2]))
    netlink = genl.Genl(rcvbuf=1 << 22)
    done = collections.Counter()
    while not os.path.exists(end):
        act(netlink, rnd, done)
    print(' '.join(f'{name} {count}' for name, count in sorted(done.items())))
    return not all(done[name] for name in ('jobs', 'flows', 'job_set', 'job_reset', 'job_del'))


if __name__ == '__main__':
    sys.exit(main())
