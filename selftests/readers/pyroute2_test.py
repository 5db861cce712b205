# SPDX-License-Identifier: GPL-2.0
"""python/pyroute2_symphony.py against a live qdisc. Prints TAP 13.

pyroute2_test.py DEV ADDRESS: a device with the addresses of nobody behind it.
"""

import json
import subprocess
import sys
from decimal import Decimal

from pyroute2 import IPRoute
from pyroute2.netlink.exceptions import NetlinkError

import pyroute2_symphony as symphony
import roce

points = 0
failed = 0


def point(name, good, *why):
    global points, failed
    points += 1
    print('%s %d %s' % ('ok' if good else 'not ok', points, name))
    if not good:
        failed += 1
        for line in why:
            print('# %s' % (line,))


def equal(name, want, have):
    point(name, want == have, 'want: %s' % (want,), 'have: %s' % (have,))


def of_tc(dev):
    """The qdisc as tc prints it."""
    text = subprocess.run(['tc', '-s', '-j', 'qdisc', 'show', 'dev', dev],
                          check=True, capture_output=True).stdout
    return json.loads(text, parse_float=Decimal)[0]


def of_pyroute2(ipr, index):
    for qdisc in ipr.get_qdiscs(index=index):
        if qdisc.get_attr('TCA_KIND') == 'symphony':
            return qdisc
    return None


def refused(name, error, sentence, call):
    try:
        call()
        point(name, False, 'nothing was raised')
    except error as e:
        point(name, sentence in str(e), 'sentence: %s' % (e,))


def same_as_tc(name, ipr, index, dev):
    """All options and counters of tc, and no others."""
    qdisc = of_pyroute2(ipr, index)
    tc = of_tc(dev)
    equal(name + ': options are those of tc', tc['options'], symphony.settings(qdisc))
    theirs = {k: v for k, v in tc.items() if k in symphony.counters(qdisc)}
    equal(name + ': counters are those of tc', theirs, symphony.counters(qdisc))


def main(dev, address):
    print('TAP version 13')
    with IPRoute() as ipr:
        index = ipr.link_lookup(ifname=dev)[0]

        ipr.tc('add', 'symphony', index, handle='1:')
        same_as_tc('defaults', ipr, index, dev)
        ipr.tc('del', 'symphony', index, handle='1:')
        ipr.tc('add', 'symphony', index, handle='1:', k='0.02', window='200us')
        same_as_tc('add with options', ipr, index, dev)

        ipr.tc('change', 'symphony', index, handle='1:', k='100%', warmup=0,
               window='60s', alpha_max=3, tau=Decimal('0.125'), job='fixed',
               job_id=9, ecn_max='100kb', ecn_min=1000, shield=2, seed=1 << 60)
        tc = of_tc(dev)['options']
        equal('change sets what it names', ['fixed', 9, 1, 102400, 1 << 60],
              [tc[name] for name in ('job', 'job_id', 'k', 'ecn_max', 'seed')])
        equal('and keeps what it does not', 65536, tc['flows'])
        same_as_tc('all kinds of options', ipr, index, dev)
        ipr.tc('change', 'symphony', index, handle='1:', ecn_max=0, job='resv')
        same_as_tc('options that are off', ipr, index, dev)

        roce.Sender(address, 3, 0x11).send(1)
        roce.Sender(address, 4, 0x12).send(20)
        same_as_tc('after traffic', ipr, index, dev)
        counters = symphony.counters(of_pyroute2(ipr, index))
        equal('packets and marks', (21, 20, 20),
              tuple(counters[name] for name in ('data', 'outpacing', 'marked')))

        refused('an option that is none', ValueError, '"nosuch" is not an option',
                lambda: ipr.tc('change', 'symphony', index, handle='1:', nosuch=1))
        refused('a unit that is none', ValueError, 'window "3 weeks"',
                lambda: ipr.tc('change', 'symphony', index, handle='1:',
                               window='3 weeks'))
        refused('a choice that is none', ValueError, 'not one of mark, observe, prio',
                lambda: ipr.tc('change', 'symphony', index, handle='1:', mode='drop'))
        refused('more than the wire holds', ValueError, 'out of range',
                lambda: ipr.tc('change', 'symphony', index, handle='1:', k=5))
        refused('what only the kernel refuses', NetlinkError, '',
                lambda: ipr.tc('change', 'symphony', index, handle='1:', k=2))
        equal('nothing of it was applied', 1, of_tc(dev)['options']['k'])

        ipr.tc('del', 'symphony', index, handle='1:')
        point('and it is deleted', of_pyroute2(ipr, index) is None)
    print('1..%d' % points)
    sys.exit(1 if failed else 0)


main(*sys.argv[1:])
