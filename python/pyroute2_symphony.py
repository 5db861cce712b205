# SPDX-License-Identifier: GPL-2.0
"""The symphony qdisc for pyroute2.

Importing this module teaches pyroute2 the qdisc "symphony", whose options have
the names that tc-symphony(8) gives them::

    import pyroute2_symphony
    from pyroute2 import IPRoute

    with IPRoute() as ipr:
        eth1 = ipr.link_lookup(ifname='eth1')[0]
        ipr.tc('add', 'symphony', eth1, handle='1:', k='0.02', window='200us')
        for qdisc in ipr.get_qdiscs(index=eth1):
            if qdisc.get_attr('TCA_KIND') == 'symphony':
                print(pyroute2_symphony.settings(qdisc))
                print(pyroute2_symphony.counters(qdisc))

An option's value is text as tc takes it, or a number: of nanoseconds for times,
of bytes for sizes, from 0 to 1 for probabilities and ratios. settings() and
counters() return what "tc -s -j" prints, under the same names; probabilities
and ratios are decimal.Decimal.
"""

import re
import sys
from decimal import Decimal, InvalidOperation

from pyroute2.netlink import NLA_F_NESTED, nla
from pyroute2.netlink.rtnl import TC_H_ROOT, tcmsg
from pyroute2.netlink.rtnl.tcmsg import common

# What pyroute2 reads: where the qdisc goes if the caller does not say.
parent = TC_H_ROOT

BILLION = 10**9
TIMES = {'': 1000, 's': BILLION, 'ms': 10**6, 'us': 1000, 'ns': 1}
SIZES = {'': 1, 'b': 1, 'k': 1 << 10, 'kb': 1 << 10, 'm': 1 << 20,
         'mb': 1 << 20, 'g': 1 << 30, 'gb': 1 << 30}
FRACTIONS = {'': BILLION, '%': BILLION // 100}
NUMBERS = {'': 1, 'p': 1}

# Arguments of IPRoute.tc() that are none of the qdisc's options.
NOT_OPTIONS = ('info', 'target', 'default', 'opts')

PROTOS = ('rocev2', 'uet')
JOBS = ('resv', 'dscp', 'filter', 'fixed')
STEPS = ('sport', 'spdcid', 'msgid', 'count')
PSNS = ('relative', 'absolute')
MODES = ('mark', 'observe', 'prio')
QUEUES = ('child', 'order')

# Option: attribute's type on the wire, and its units or its choices.
OPTIONS = {
    'limit': ('uint32', NUMBERS),
    'k': ('uint32', FRACTIONS),
    'tau': ('uint32', FRACTIONS),
    'window': ('uint64', TIMES),
    'warmup': ('uint32', NUMBERS),
    'samples': ('uint32', NUMBERS),
    'alpha_max': ('uint32', NUMBERS),
    'proto': ('uint32', PROTOS),
    'job': ('uint32', JOBS),
    'job_id': ('uint32', NUMBERS),
    'step': ('uint32', STEPS),
    'psn': ('uint32', PSNS),
    'jobs': ('uint32', NUMBERS),
    'flows': ('uint32', NUMBERS),
    'idle': ('uint64', TIMES),
    'domain': ('uint32', NUMBERS),
    'mode': ('uint32', MODES),
    'seed': ('uint64', NUMBERS),
    'ecn_min': ('uint32', SIZES),
    'ecn_max': ('uint32', SIZES),
    'ecn_prob': ('uint32', FRACTIONS),
    'shield': ('uint32', NUMBERS),
    'queue': ('uint32', QUEUES),
    'patience': ('uint64', TIMES),
    'limit_bytes': ('uint32', SIZES),
    'ecn_min_time': ('uint64', TIMES),
    'ecn_max_time': ('uint64', TIMES),
    'ecn_rate': ('uint64', NUMBERS),
    'messages': ('uint32', NUMBERS),
    'gap': ('uint64', TIMES),
    'hold': ('uint64', TIMES),
}

COUNTERS = (
    'data', 'data_bytes', 'lagging', 'lagging_bytes', 'outpacing',
    'outpacing_bytes', 'marked', 'marked_bytes', 'would_mark',
    'would_mark_bytes', 'not_ect', 'already_ce', 'no_job', 'no_step',
    'no_position', 'control', 'unparsable', 'other', 'ecn_marked', 'shielded',
    'prioritized', 'last_seen', 'step_advances', 'step_corrections',
    'windows', 'alpha_ups', 'alpha_downs', 'jobs', 'jobs_created',
    'jobs_expired', 'table_full', 'flows_replaced', 'mark_failed', 'memory',
    'order_passed', 'order_fifos', 'order_backlog_smallest',
    'order_backlog_ahead', 'order_wait_max', 'drops_ahead', 'drops_other',
    'drops_laggard',
    'only', 'step_entropy', 'jobs_replaced', 'step_restarts',
    'order_holds', 'drops_gap',
)

PKTS_IN = ('data', 'control', 'no_job', 'no_step', 'table_full', 'unparsable',
           'other')
ECN_MARK = ('marked', 'ecn_marked')


def nla_table(prefix, rows):
    """The attributes of an enum of the kernel's header, in its order."""
    names = [('UNSPEC', 'none'), ('PAD', 'none')] + list(rows)
    return tuple((prefix + name.upper(), kind) for name, kind in names)


class options(nla):
    # a new qdisc may insist on this flag, and symphony does
    nla_flags = NLA_F_NESTED
    nla_map = nla_table('TCA_SYMPHONY_',
                        [(name, kind) for name, (kind, _) in OPTIONS.items()])


class symphony_stats(nla):
    nla_map = nla_table('TCA_SYMPHONY_STATS_',
                        [(name, 'uint64') for name in COUNTERS])


class stats2(common.stats2):
    class stats_app(symphony_stats):
        pass


# Older dumps carry the same attributes in TCA_XSTATS.
stats = symphony_stats


def scaled(name, value, units):
    """A number on the wire from text with a unit, or from a plain number."""
    if isinstance(value, str):
        match = re.fullmatch(r'([0-9.]+(?:e[-+]?[0-9]+)?)([a-z%]*)',
                             value.strip().lower())
        if not match or match.group(2) not in units:
            raise ValueError('symphony: %s "%s": not a number with one of the '
                             'units %s' % (name, value, ' '.join(units).strip()
                                           or '(none)'))
        digits, factor = match.group(1), units[match.group(2)]
    else:
        digits = str(value)
        factor = BILLION if units is FRACTIONS else 1
    try:
        result = Decimal(digits) * factor
    except InvalidOperation:
        raise ValueError('symphony: %s "%s": not a number'
                         % (name, value)) from None
    if result != int(result):
        raise ValueError('symphony: %s "%s": finer than the kernel has it'
                         % (name, value))
    if not 0 <= result < 1 << int(OPTIONS[name][0][4:]):
        raise ValueError('symphony: %s "%s": out of range' % (name, value))
    return int(result)


def on_the_wire(name, value):
    meaning = OPTIONS[name][1]
    if not isinstance(meaning, tuple):
        return scaled(name, value, meaning)
    if value not in meaning:
        raise ValueError('symphony: %s "%s": not one of %s'
                         % (name, value, ', '.join(meaning)))
    return meaning.index(value)


def get_parameters(kwarg):
    """Called by IPRoute.tc(): the attributes of the options named."""
    attrs = []
    for name, value in kwarg.items():
        if name in NOT_OPTIONS:
            continue
        if name not in OPTIONS:
            raise ValueError('symphony: "%s" is not an option, these are: %s'
                             % (name, ' '.join(OPTIONS)))
        attrs.append(['TCA_SYMPHONY_' + name.upper(),
                      on_the_wire(name, value)])
    return {'attrs': attrs}


def settings(qdisc):
    """The options of a qdisc that get_qdiscs() returned, as tc -j has them."""
    nest = qdisc.get_attr('TCA_OPTIONS')
    result = {}
    for name, (_, meaning) in OPTIONS.items():
        value = nest.get_attr('TCA_SYMPHONY_' + name.upper())
        if value is None:
            continue
        if meaning is FRACTIONS:
            value = Decimal(value) / BILLION
        elif isinstance(meaning, tuple) and value < len(meaning):
            value = meaning[value]
        result[name] = value
    # the number that "job fixed" has is no option of the other sources
    if result.get('job') != 'fixed':
        result.pop('job_id', None)
    return result


def counters(qdisc):
    """The counters of a qdisc that get_qdiscs() returned, as tc -s -j has them."""
    nest = qdisc.get_attr('TCA_STATS2').get_attr('TCA_STATS_APP')
    result = {}
    for name in COUNTERS:
        value = nest.get_attr('TCA_SYMPHONY_STATS_' + name.upper())
        if value is not None:
            result[name] = value
    result['pkts_in'] = sum(result.get(name, 0) for name in PKTS_IN)
    result['ecn_mark'] = sum(result.get(name, 0) for name in ECN_MARK)
    return result


tcmsg.plugins['symphony'] = sys.modules[__name__]
