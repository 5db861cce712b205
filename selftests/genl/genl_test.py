# SPDX-License-Identifier: GPL-2.0
"""What the generic netlink family says of live traffic, and what it refuses."""

import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback

import genl
import roce

DEV, OTHER = 'gn0', 'gn1'
PEER, OTHER_PEER = '192.0.2.2', '192.0.2.6'
TESTS = []
KERNEL = tuple(int(part) for part in os.uname().release.split('.')[:2])
LIMIT = 120      # seconds: more than what is waited for takes on a busy machine


def test(function):
    TESTS.append(function)
    return function


def sh(command, check=True):
    return subprocess.run(command, shell=True, check=check, text=True, capture_output=True)


def device(name, address, peer, qdisc):
    """A device whose neighbour never answers, and need not."""
    sh(f'''ip link add name {name} numtxqueues 4 type dummy
ip address add {address} dev {name}
ip link set {name} up
ip neighbor add {peer} lladdr 02:00:00:00:00:02 dev {name}
tc qdisc add dev {name} root {qdisc}''')
    return socket.if_nametoindex(name)


def devices_gone():
    for name in (DEV, OTHER):
        sh(f'ip link del {name}', check=False)


def fresh(qdisc):
    return device(DEV, '192.0.2.1/30', PEER, qdisc)


class Skip(Exception):
    """Something that is missing here."""


def want(condition, *shown):
    if not condition:
        raise AssertionError(' '.join(str(one) for one in shown))


def equal(have, wanted):
    want(have == wanted, 'have', have, 'want', wanted)


def refused(errno, words, call, **values):
    """The kernel refuses with this errno and a sentence that has these words."""
    try:
        answer = call(**values)
    except genl.Refused as refusal:
        equal(refusal.errno, errno)
        # what begins a dump has no way to say more before 6.6
        silent = refusal.message is None and getattr(call, 'dumps', False)
        want(silent and KERNEL < (6, 6) or words in (refusal.message or ''), refusal, 'lacks',
             words)
        return
    raise AssertionError(f'not refused: {values}: {answer}')


def dump_of(netlink, cmd):
    def call(**values):
        return netlink.dump(cmd, **values)
    call.dumps = True
    return call


def wait_for(condition):
    limit = time.monotonic() + LIMIT
    while not condition():
        want(time.monotonic() < limit, 'waited in vain')
        time.sleep(0.02)


def sums_of_qdisc():
    return json.loads(sh(f'tc -s -j qdisc show dev {DEV}').stdout)[0]


def misalign(job=5, count=50, peer=PEER, steps=(3, 9)):
    """As many packets of the smaller step as of the larger one, in turn."""
    slow, fast = (roce.Sender(peer, step, 0x11 + step, job) for step in steps)
    for _ in range(count):
        slow.send(1)
        fast.send(1)
    slow.socket.close()
    fast.socket.close()


@test
def a_job_is_counted_exactly():
    ifindex = fresh('handle 1: symphony k 1 warmup 0 window 60s')
    misalign()
    job = genl.Genl().get(ifindex=ifindex, job=5)
    state, stats = job['state'], job['stats']
    equal((job['ifindex'], job['handle'], job['parent']), (ifindex, 0x10000, 0xffffffff))
    want('domain' not in job, job)
    equal([state[name] for name in ('step_min', 'psn_rec', 'alpha', 'cnt_total', 'cnt_op')],
          [3, 50, 1, 100, 50])
    want(0 < state['first_seen'] < 60e9, state)
    want('idle' not in state and 'misaligned' not in state, state)
    equal([stats[name] for name in ('packets', 'outpacing', 'would_mark', 'not_ect', 'already_ce',
                                    'corrections')], [100, 50, 0, 0, 0, 0])
    qdisc = sh(f'tc -s qdisc show dev {DEV}').stdout
    want(f" data {stats['packets']}p {stats['bytes']}b" in qdisc, qdisc)
    want(f" marked {stats['marked']}p" in qdisc and stats['marked'] > 40, stats, qdisc)


@test
def windows_that_end_lose_no_packet():
    ifindex = fresh('symphony k 1 warmup 0 window 1us samples 0 tau 0')
    netlink = genl.Genl()
    before = 0
    for _ in range(20):
        misalign(count=20)
        job = netlink.get(ifindex=ifindex, job=5)
        before += 40
        equal(job['stats']['packets'], before)
    want(job['state']['alpha'] > 1 and job['state']['misaligned'] > 0, job)


@test
def mode_observe_counts_what_it_would_mark():
    ifindex = fresh('symphony k 1 warmup 0 window 60s mode observe')
    misalign()
    stats = genl.Genl().get(ifindex=ifindex, job=5)['stats']
    want(stats['marked'] == 0 and stats['would_mark'] > 40, stats)


@test
def not_ect_and_ce_count_for_the_job():
    ifindex = fresh('symphony k 1 warmup 0 window 60s')
    slow, plain, marked = (roce.Sender(PEER, step, 0x40 + step, 6) for step in (1, 4, 5))
    plain.socket.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 0)
    marked.socket.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 3)
    for _ in range(30):
        slow.send(1)
        plain.send(1)
        marked.send(1)
    stats = genl.Genl().get(ifindex=ifindex, job=6)['stats']
    equal((stats['packets'], stats['outpacing'], stats['marked']), (90, 60, 0))
    want(stats['not_ect'] > 20 and stats['already_ce'] > 20, stats)


@test
def a_dump_has_each_job_of_each_table_once():
    first = fresh('handle 1: symphony')
    second = device(OTHER, '192.0.2.5/30', OTHER_PEER, 'handle 2: symphony')
    for job in range(1, 301):
        misalign(job, 1)
    misalign(7, 1, OTHER_PEER)
    netlink = genl.Genl()
    jobs = netlink.dump('job_get')
    want(not netlink.interrupted, 'nothing came or went')
    equal(sorted((job['ifindex'], job['job']) for job in jobs),
          sorted([(first, job) for job in range(1, 301)] + [(second, 7)]))
    equal(len(netlink.dump('job_get', ifindex=first)), 300)
    equal(len(netlink.dump('job_get', ifindex=second, handle=0x20000)), 1)
    equal([job['ifindex'] for job in netlink.dump('job_get', job=7)], [first, second])
    equal([job['job'] for job in netlink.dump('job_get', ifindex=first, job=300)], [300])


@test
def a_domain_is_one_table():
    first = fresh('symphony domain 3')
    second = device(OTHER, '192.0.2.5/30', OTHER_PEER, 'symphony domain 3')
    misalign(7, 10)
    misalign(7, 10, OTHER_PEER)
    netlink = genl.Genl()
    for jobs in (netlink.dump('job_get'), netlink.dump('job_get', domain=3),
                 netlink.request('job_get', domain=3, job=7)):
        equal([(job['domain'], job['job'], job['stats']['packets'], job.get('ifindex'))
               for job in jobs], [(3, 7, 40, None)])
    job = netlink.get(ifindex=second, job=7)
    equal((job['domain'], job['ifindex'], job['stats']['packets']), (3, second, 40))
    refused(19, 'no symphony qdisc is in this domain', netlink.get, domain=4, job=7)
    sh(f'ip link del {DEV}')
    equal(len(netlink.dump('job_get', domain=3)), 1)
    refused(19, 'the device has no such symphony qdisc', netlink.get, ifindex=first, job=7)


@test
def one_of_several_qdiscs_is_named_by_handle_or_parent():
    ifindex = fresh('handle 1: prio')
    for band in (1, 2, 3):
        sh(f'tc qdisc add dev {DEV} parent 1:{band} handle 1{band}: symphony')
    misalign()
    netlink = genl.Genl()
    refused(22, 'handle or parent must name one', netlink.get, ifindex=ifindex, job=5)
    job, = netlink.dump('job_get', ifindex=ifindex)
    equal(netlink.get(ifindex=ifindex, handle=job['handle'], job=5)['parent'], job['parent'])
    equal(netlink.get(ifindex=ifindex, parent=job['parent'], job=5)['handle'], job['handle'])
    refused(19, 'the device has no such symphony qdisc', netlink.get, ifindex=ifindex,
            handle=0x140000, job=5)


@test
def what_is_wrong_is_refused_with_a_sentence():
    ifindex = fresh('symphony')
    netlink = genl.Genl()
    for call in (netlink.get, dump_of(netlink, 'job_get')):
        refused(22, 'job must be from 1 to 16777215', call, ifindex=ifindex, job=0)
        refused(22, 'job must be from 1 to 16777215', call, ifindex=ifindex, job=1 << 24)
        refused(22, 'ifindex must be from 1 to 2147483647', call, ifindex=0, job=1)
        refused(22, 'ifindex must be from 1 to 2147483647', call, ifindex=1 << 31, job=1)
        refused(22, 'domain must be from 1 to 4294967295', call, domain=0, job=1)
        refused(22, 'domain and ifindex exclude each other', call, domain=1, ifindex=ifindex,
                job=1)
        refused(22, 'handle and parent need ifindex', call, handle=1, job=1)
        refused(22, 'handle and parent need ifindex', call, domain=1, parent=1, job=1)
        refused(19, 'the device has no such symphony qdisc', call, ifindex=ifindex + 99, job=1)
        refused(22, 'length', call, raw=[genl.attr(genl.ATTRS.index('job'), b'\1\0\0')])
        refused(22, 'attribute', call, raw=[genl.attr(99, 1)])
    refused(22, 'ifindex or domain is missing', netlink.get, job=1)
    refused(22, 'job is missing', netlink.get, ifindex=ifindex)
    refused(2, 'the table does not know this job', netlink.get, ifindex=ifindex, job=1)


@test
def flows_of_a_job_are_known_by_address_and_queue_pair():
    ifindex = fresh('symphony window 60s')
    sh(f'ip address add 2001:db8::1/64 dev {DEV} nodad\n'
       f'ip neighbor add 2001:db8::2 lladdr 02:00:00:00:00:02 dev {DEV}')
    misalign(5, 20)
    misalign(6, 30, steps=(40, 50))
    six = roce.Sender(PEER, 7, 0x99, 6)
    six.socket.close()
    six.socket = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    six.socket.bind(('::', 0xc000 + 8))
    six.socket.connect(('2001:db8::2', 4791))
    six.send(4)
    stranger = roce.Sender(PEER, 9, 0xabc, 6)
    stranger.send(1)
    netlink = genl.Genl()
    flows = netlink.dump('flow_get', ifindex=ifindex, job=5)
    equal(sorted((flow['job'], flow['flow']['src'], flow['flow']['dst'], flow['flow']['dest'],
                  flow['flow']['step'], flow['flow']['position']) for flow in flows),
          [(5, '192.0.2.1', PEER, 0x14, 3, 20), (5, '192.0.2.1', PEER, 0x1a, 9, 20)])
    want(all(flow['flow']['last_seen'] < 60e9 for flow in flows), flows)
    flows = netlink.dump('flow_get', ifindex=ifindex, job=6)
    equal(sorted((flow['flow']['src'], flow['flow']['dest'], flow['flow']['position'])
                 for flow in flows),
          [('192.0.2.1', 0x11 + 40, 30), ('192.0.2.1', 0x11 + 50, 30),
           ('2001:db8::1', 0x99, 4)])
    equal(len(netlink.dump('flow_get')), 5)
    equal(netlink.dump('flow_get', job=7), [])
    equal([job['state']['flows'] for job in netlink.dump('job_get')], [2, 3])
    equal(netlink.get(ifindex=ifindex, job=6)['state']['flows'], 3)
    refused(19, 'the device has no such symphony qdisc', dump_of(netlink, 'flow_get'),
            ifindex=ifindex + 99)
    # another capacity of jobs takes the flows along
    sh(f'tc qdisc change dev {DEV} root symphony jobs 9')
    equal(len(netlink.dump('flow_get', job=6)), 3)


@test
def flows_of_a_domain_are_those_of_its_ports():
    fresh('symphony domain 3')
    device(OTHER, '192.0.2.5/30', OTHER_PEER, 'symphony domain 3')
    misalign(7, 10)
    misalign(7, 10, OTHER_PEER)
    flows = genl.Genl().dump('flow_get', domain=3, job=7)
    equal(sorted(flow['flow']['dst'] for flow in flows), [PEER, PEER, OTHER_PEER, OTHER_PEER])


@test
def namespaces_see_their_own():
    ifindex = fresh('symphony')
    misalign()
    netlink = genl.Genl()
    equal(len(netlink.dump('job_get')), 1)
    sh('ip netns add gn')
    try:
        inside = "import genl; print(len(genl.Genl().dump('job_get')))"
        equal(sh(f'ip netns exec gn {sys.executable} -c "{inside}"').stdout, '0\n')
        # a device that moves leaves its qdiscs and their jobs behind
        sh(f'ip link set {DEV} netns gn')
        equal(netlink.dump('job_get'), [])
        refused(19, 'the device has no such symphony qdisc', netlink.get, ifindex=ifindex, job=5)
        sh(f'ip netns exec gn tc qdisc add dev {DEV} root symphony')
        sh(f'ip netns exec gn ip link set {DEV} up')
        equal(netlink.dump('job_get'), [])
    finally:
        sh('ip netns del gn')
    equal(netlink.dump('job_get'), [])


def marks_of(netlink, ifindex, job=5):
    stats = netlink.get(ifindex=ifindex, job=job)['stats']
    return stats['marked'], stats['would_mark']


@test
def an_override_changes_the_marks_of_one_job():
    ifindex = fresh('symphony k 0 warmup 0 window 60s')
    netlink = genl.Genl()
    for job in (5, 6):
        misalign(job)
        equal(marks_of(netlink, ifindex, job), (0, 0))
    netlink.request('job_set', ifindex=ifindex, job=5, overrides={'k': 10**9})
    misalign(5)
    misalign(6)
    want(marks_of(netlink, ifindex)[0] > 10, netlink.dump('job_get'))
    equal(marks_of(netlink, ifindex, 6), (0, 0))
    equal(netlink.get(ifindex=ifindex, job=5)['overrides'], {'k': 10**9})
    want('overrides' not in netlink.get(ifindex=ifindex, job=6))

    netlink.request('job_reset', ifindex=ifindex, job=5)
    job = netlink.get(ifindex=ifindex, job=5)
    equal([job['stats'][name] for name in ('packets', 'bytes', 'marked')], [0, 0, 0])
    want('last_seen' not in job['state'], job)
    equal(job['overrides'], {'k': 10**9})
    netlink.request('job_set', ifindex=ifindex, job=5, overrides={'mode': 1})
    misalign(5)
    marked, would_mark = marks_of(netlink, ifindex)
    want(marked == 0 and would_mark > 40, marked, would_mark)
    equal(netlink.get(ifindex=ifindex, job=5)['stats']['packets'], 100)

    netlink.request('job_set', ifindex=ifindex, job=5,
                    overrides={'mode': genl.NO_OVERRIDE, 'k': genl.NO_OVERRIDE})
    misalign(5)
    equal(marks_of(netlink, ifindex), (marked, would_mark))
    want('overrides' not in netlink.get(ifindex=ifindex, job=5))


@test
def a_job_is_marked_where_the_qdisc_observes():
    ifindex = fresh('symphony k 1 warmup 0 window 60s mode observe')
    netlink = genl.Genl()
    netlink.request('job_set', ifindex=ifindex, job=5,
                    overrides={'mode': 0, 'pinned': 1})
    job = netlink.get(ifindex=ifindex, job=5)
    equal(job['overrides'], {'mode': 0, 'pinned': 1})
    equal(job['stats']['packets'], 0)
    misalign(5)
    misalign(6)
    marked, would_mark = marks_of(netlink, ifindex)
    want(marked > 40 and would_mark == 0, marked, would_mark)
    equal(netlink.get(ifindex=ifindex, job=5)['state']['step_min'], 3)
    marked, would_mark = marks_of(netlink, ifindex, 6)
    want(marked == 0 and would_mark > 40, marked, would_mark)
    qdisc = sh(f'tc -s qdisc show dev {DEV}').stdout
    want(f" would_mark {would_mark}p" in qdisc, qdisc)


@test
def tau_of_one_job_moves_its_alpha():
    ifindex = fresh('symphony tau 0.9 window 1us samples 0 warmup 0')
    netlink = genl.Genl()
    misalign(5, 1)
    netlink.request('job_set', ifindex=ifindex, job=5, overrides={'tau': 0})
    misalign(5)
    want(netlink.get(ifindex=ifindex, job=5)['state']['alpha'] > 40)


def lifted(job):
    before = sums_of_qdisc()['prioritized']
    misalign(job)
    return sums_of_qdisc()['prioritized'] - before


@test
def mode_prio_lifts_one_job():
    ifindex = fresh('symphony k 1 warmup 0 window 60s')
    netlink = genl.Genl()
    for job in (5, 6):
        misalign(job)
    marks = marks_of(netlink, ifindex)
    want(marks[0] > 10)
    netlink.request('job_set', ifindex=ifindex, job=5, overrides={'mode': 2})
    equal(netlink.get(ifindex=ifindex, job=5)['overrides'], {'mode': 2})
    want(lifted(5) > 0)
    equal((marks_of(netlink, ifindex), lifted(6)), (marks, 0))
    # in a table that is made anew, too
    sh(f'tc qdisc change dev {DEV} root symphony jobs 7')
    want(lifted(5) > 0)
    netlink.request('job_set', ifindex=ifindex, job=5, overrides={'mode': genl.NO_OVERRIDE})
    equal(lifted(5), 0)
    sh(f'tc qdisc change dev {DEV} root symphony mode prio')
    netlink.request('job_set', ifindex=ifindex, job=5, overrides={'mode': 1})
    equal(lifted(5), 0)
    want(lifted(6) > 0)


@test
def mode_prio_of_a_job_is_refused_where_nothing_can_be_lifted():
    netlink = genl.Genl()

    def job_set(mode, **where):
        netlink.request('job_set', job=5, overrides={'mode': mode, 'pinned': 1}, **where)

    ifindex = fresh('pfifo')
    for options in ('queue order', 'step count'):
        sh(f'tc qdisc replace dev {DEV} root handle 1: symphony {options}')
        refused(22, 'mode prio needs queue child', job_set, mode=2, ifindex=ifindex)
        refused(2, 'the table does not know', netlink.get, ifindex=ifindex, job=5)
        sh(f'tc qdisc replace dev {DEV} root handle 2: symphony')
        job_set(mode=2, ifindex=ifindex)
        change = sh(f'tc qdisc change dev {DEV} root symphony {options}', check=False)
        want('own mode is prio, which needs queue child' in change.stderr, change.stderr)
        job_set(mode=0, ifindex=ifindex)
        sh(f'tc qdisc change dev {DEV} root symphony {options}')
    # one qdisc of a domain is enough
    sh(f'tc qdisc replace dev {DEV} root handle 3: symphony domain 3')
    device(OTHER, '192.0.2.5/30', OTHER_PEER, 'symphony domain 3 queue order')
    refused(22, 'mode prio needs queue child', job_set, mode=2, domain=3)
    sh(f'tc qdisc del dev {OTHER} root')
    job_set(mode=2, domain=3)
    add = f'tc qdisc add dev {OTHER} root symphony domain 3 queue order'
    want('own mode is prio, which needs queue child' in sh(add, check=False).stderr)
    netlink.request('job_del', domain=3, job=5)
    sh(add)


@test
def overrides_survive_other_steps_where_jobs_mean_the_same():
    ifindex = fresh('symphony window 1ms')
    netlink = genl.Genl()
    for job in (5, 6, 7):
        misalign(job)
    netlink.request('job_set', ifindex=ifindex, job=5, overrides={'pinned': 1})
    netlink.request('job_set', ifindex=ifindex, job=6, overrides={'k': 10**9, 'tau': 3})
    # as far as the jobs of the next ones have the same numbers
    for options in ('psn absolute', 'psn relative step count', 'step sport window 1s'):
        sh(f'tc qdisc change dev {DEV} root symphony {options}')
        jobs = {job['job']: job for job in netlink.dump('job_get')}
        equal(sorted(jobs), [5, 6])
        equal((jobs[5]['overrides'], jobs[6]['overrides']),
              ({'pinned': 1}, {'k': 10**9, 'tau': 3}))
        for job in jobs.values():
            equal((job['stats']['packets'], job['state']['alpha']), (0, 1))
            want('last_seen' not in job['state'], job)
        misalign(6, 4)
        misalign(8, 4)
        job = netlink.get(ifindex=ifindex, job=6)
        equal((job['stats']['packets'], job['stats']['corrections']), (8, 0))
    sums = sums_of_qdisc()
    equal(sums['jobs_created'] - sums['jobs_expired'] - sums['jobs_replaced'], sums['jobs'])
    sh(f'tc qdisc change dev {DEV} root symphony proto uet step spdcid')
    equal(netlink.dump('job_get'), [])
    netlink.request('job_set', ifindex=ifindex, job=5, overrides={'pinned': 1})
    sh(f'tc qdisc change dev {DEV} root symphony job dscp')
    sh(f'tc qdisc change dev {DEV} root symphony proto rocev2 step sport')
    equal([job['overrides'] for job in netlink.dump('job_get')], [{'pinned': 1}])


@test
def a_pinned_job_is_never_forgotten():
    ifindex = fresh('symphony jobs 4 idle 300ms window 1ms')
    netlink = genl.Genl()
    netlink.request('job_set', ifindex=ifindex, job=5, overrides={'pinned': 1})
    misalign(5, 10)
    for job in range(10, 60):
        misalign(job, 1)
    wait_for(lambda: netlink.get(ifindex=ifindex, job=5)['state']['last_seen'] > 5e8)
    for job in range(60, 90):
        misalign(job, 1)
    job = netlink.get(ifindex=ifindex, job=5)
    want('idle' not in job['state'], job)
    misalign(5, 10)
    equal(netlink.get(ifindex=ifindex, job=5)['stats']['packets'], 40)
    # the tables are made anew, and it is still there
    sh(f'tc qdisc change dev {DEV} root symphony jobs 7')
    job = netlink.get(ifindex=ifindex, job=5)
    equal((job['overrides'], job['stats']['packets']), ({'pinned': 1}, 40))
    netlink.request('job_del', ifindex=ifindex, job=5)
    refused(2, 'the table does not know this job', netlink.get, ifindex=ifindex, job=5)
    misalign(5, 10)
    job = netlink.get(ifindex=ifindex, job=5)
    want(job['stats']['packets'] == 20 and 'overrides' not in job, job)


def active_jobs(netlink, seconds, **where):
    active = struct.pack('=Q', int(seconds * 1e9))
    return [(job['job'], job['state'].get('flows'))
            for job in netlink.dump('job_get', active=active, **where)]


@test
def a_dump_names_jobs():
    ifindex = fresh('symphony')
    device(OTHER, '192.0.2.5/30', OTHER_PEER, 'symphony')
    netlink = genl.Genl()

    def named(cmd, *jobs, **where):
        return netlink.dump(cmd, jobs=struct.pack(f'={len(jobs)}I', *jobs), **where)

    for job in (5, 6, 7):
        misalign(job)
    misalign(7, peer=OTHER_PEER)
    whole = {job['job']: job['state']['flows']
             for job in netlink.dump('job_get', ifindex=ifindex)}
    equal({job['job']: job['state']['flows'] for job in
           named('job_get', 5, 7, 900, ifindex=ifindex)}, {5: whole[5], 7: whole[7]})
    equal([job['job'] for job in named('job_get', 5, 7)], [5, 7, 7])
    equal(named('job_get', 8), [])
    flows = named('flow_get', 5, 7, ifindex=ifindex)
    equal(len(flows), whole[5] + whole[7])
    equal({flow['job'] for flow in flows}, {5, 7})
    equal(sorted(flow['flow']['dest'] for flow in named('flow_get', 6, ifindex=ifindex)),
          sorted(flow['flow']['dest'] for flow in
                 netlink.dump('flow_get', ifindex=ifindex, job=6)))
    sentence = 'jobs must be 1 to 256 numbers'
    for jobs in ((), (0,), (5, 5), (7, 5), (1 << 24,), range(1, 258)):
        for cmd in ('job_get', 'flow_get'):
            refused(22, sentence, dump_of(netlink, cmd),
                    jobs=struct.pack(f'={len(jobs)}I', *jobs))
    refused(22, sentence, dump_of(netlink, 'job_get'), jobs=bytes(5))
    refused(22, 'job and jobs exclude each other', dump_of(netlink, 'job_get'), job=5,
            jobs=struct.pack('=I', 5))
    refused(22, 'jobs is for dumps', netlink.get, ifindex=ifindex, job=5,
            jobs=struct.pack('=I', 5))
    equal(len(named('job_get', *range(1, 257))), 4)


@test
def a_dump_of_active_jobs_has_those_that_sent():
    ifindex = fresh('symphony window 1ms')
    netlink = genl.Genl()
    for job in (5, 6):
        misalign(job)
    wait_for(lambda: netlink.get(ifindex=ifindex, job=6)['state']['last_seen'] > 5e8)
    misalign(6)
    equal(active_jobs(netlink, 0.3), [(6, 2)])
    equal(active_jobs(netlink, 0.3, ifindex=ifindex, job=5), [])
    equal(active_jobs(netlink, 3600), active_jobs(netlink, 2**64 / 1e9 / 2))
    equal([job for job, flows in active_jobs(netlink, 3600)], [5, 6])
    # what is to begin anew is news, too
    netlink.request('job_reset', ifindex=ifindex, job=5)
    equal(active_jobs(netlink, 0.3, job=5), [(5, 2)])
    wait_for(lambda: active_jobs(netlink, 0.1) == [])
    # a window does not tell when its packets came
    sh(f'tc qdisc change dev {DEV} root symphony window 60s idle 10800s')
    equal([job for job, flows in active_jobs(netlink, 0)], [5, 6])
    refused(22, 'active is for dumps', netlink.get, ifindex=ifindex, job=5,
            active=struct.pack('=Q', 1))


@test
def pinned_jobs_may_fill_a_table():
    ifindex = fresh('symphony jobs 3')
    netlink = genl.Genl()
    for job in (1, 2, 3):
        netlink.request('job_set', ifindex=ifindex, job=job,
                        overrides={'pinned': 1})
    refused(28, 'the table is full', netlink.request, cmd='job_set', ifindex=ifindex,
            job=4, overrides={'pinned': 1})
    misalign(4)
    equal(sorted(job['job'] for job in netlink.dump('job_get')), [1, 2, 3])
    want(' table_full 100p' in sh(f'tc -s qdisc show dev {DEV}').stdout)


@test
def a_pinned_job_finds_room_among_busy_ones():
    ifindex = fresh('symphony jobs 40 idle 3600s')
    netlink = genl.Genl()
    for job in range(101, 141):
        misalign(job, 30)
    for job in range(1, 41):
        netlink.request('job_set', ifindex=ifindex, job=job, overrides={'pinned': 1})
    equal(sorted(job['job'] for job in netlink.dump('job_get')), list(range(1, 41)))
    sums = sums_of_qdisc()
    equal((sums['jobs_replaced'], sums['jobs']), (40, 40))
    refused(28, 'the table is full of pinned jobs', netlink.request, cmd='job_set',
            ifindex=ifindex, job=41, overrides={'pinned': 1})


@test
def the_sums_stay_true():
    ifindex = fresh('symphony jobs 4 idle 1ms window 1ms')
    netlink = genl.Genl()
    for job in range(1, 40):
        misalign(job, 1)
        if job % 3 == 0:
            netlink.request('job_set', ifindex=ifindex, job=99,
                            overrides={'pinned': 1})
        if job % 3 == 2 and job > 3:
            netlink.request('job_del', ifindex=ifindex, job=99)
    sums = sums_of_qdisc()
    equal(sums['jobs_created'] - sums['jobs_expired'] - sums['jobs_replaced'], sums['jobs'])


@test
def overrides_that_are_wrong_are_refused_and_nothing_is_set():
    ifindex = fresh('symphony')
    netlink = genl.Genl()
    misalign(5)

    def job_set(**overrides):
        return netlink.request('job_set', ifindex=ifindex, job=5, overrides=overrides)

    refused(22, 'k must be from 0 to 1000000000', job_set, k=10**9 + 1)
    refused(22, 'tau must be from 0 to 1000000000', job_set, k=3, tau=10**9 + 1)
    refused(22, 'mode must be mark (0), observe (1) or prio (2)', job_set, k=3, mode=3)
    refused(22, 'pinned must be 0 or 1', job_set, k=3, pinned=2)
    refused(22, 'overrides must have one of k, tau, mode and pinned', job_set)
    want('overrides' not in netlink.get(ifindex=ifindex, job=5))
    for cmd in ('job_set', 'job_reset', 'job_del'):
        values = {'overrides': {'k': 1}} if cmd == 'job_set' else {}
        refused(2, 'the table does not know this job', netlink.request, cmd=cmd,
                ifindex=ifindex, job=6, **values)
        refused(22, 'job is missing', netlink.request, cmd=cmd, ifindex=ifindex, **values)
        refused(19, 'the device has no such', netlink.request, cmd=cmd, ifindex=ifindex + 9,
                job=5, **values)
        refused(22, 'ifindex or domain is missing', netlink.request, cmd=cmd, job=5, **values)
    refused(22, 'overrides is missing', netlink.request, cmd='job_set', ifindex=ifindex, job=5)
    refused(2, 'pinned 1 would enter it', netlink.request, cmd='job_set',
            ifindex=ifindex, job=6, overrides={'k': 1})


@test
def a_domain_shares_overrides():
    fresh('symphony domain 3 k 0 warmup 0 window 60s')
    second = device(OTHER, '192.0.2.5/30', OTHER_PEER,
                    'symphony domain 3 k 0 warmup 0 window 60s')
    netlink = genl.Genl()
    netlink.request('job_set', domain=3, job=7, overrides={'pinned': 1, 'k': 10**9})
    misalign(7)
    misalign(7, peer=OTHER_PEER)
    equal(netlink.get(ifindex=second, job=7)['overrides'], {'k': 10**9, 'pinned': 1})
    want(netlink.get(domain=3, job=7)['stats']['marked'] > 40, netlink.dump('job_get'))
    netlink.request('job_del', ifindex=second, job=7)
    equal(netlink.dump('job_get'), [])


@test
def only_an_administrator_of_the_namespace_may_write():
    ifindex = fresh('symphony')
    misalign(5)
    code = f'''
import genl, sys
netlink = genl.Genl()
print(len(netlink.dump("job_get")))
for cmd, values in (("job_set", {{"overrides": {{"k": 1}}}}), ("job_reset", {{}}), ("job_del", {{}})):
    try:
        netlink.request(cmd, ifindex={ifindex}, job=5, **values)
        print("allowed")
    except genl.Refused as refusal:
        print(refusal.errno)
'''
    # nobody need not be able to read the tree
    path = tempfile.mkdtemp()
    shutil.copy(genl.__file__, path)
    sh(f'chmod -R a+rX {path}')
    user = ['env', f'PYTHONPATH={path}', 'setpriv', '--reuid=65534', '--regid=65534',
            '--clear-groups']

    # a user namespace wants a root that is none of chroot's
    pivot = 'mount --rbind / /mnt && cd /mnt && pivot_root . . && umount -l . && exec "$@"'

    def run(*command):
        command = ('unshare', '-m', 'sh', '-c', pivot, 'sh') + command
        return subprocess.run(command, text=True, capture_output=True, check=True).stdout.split()

    equal(run(*user, sys.executable, '-c', code), ['1', '1', '1', '1'])
    if not os.path.exists('/proc/self/ns/user'):
        raise Skip('the kernel has no user namespaces')
    # root of a user namespace is none of the namespace that another one owns
    equal(run(*user, 'unshare', '-U', '-r', sys.executable, '-c', code), ['1', '1', '1', '1'])
    # and is one of its own
    inside = f'''
ip link add {DEV} type dummy && tc qdisc add dev {DEV} root symphony && {sys.executable} -c '
import genl, socket
netlink = genl.Genl()
ifindex = socket.if_nametoindex("{DEV}")
netlink.request("job_set", ifindex=ifindex, job=5, overrides={{"pinned": 1}})
netlink.request("job_del", ifindex=ifindex, job=5)
print("allowed")'
'''
    equal(run(*user, 'unshare', '-U', '-r', '-n', 'sh', '-c', inside), ['allowed'])


class Listener:
    """What comes as events, with the devices' traffic in between."""

    def __init__(self):
        self.netlink = genl.Genl(events=True, rcvbuf=1 << 24)
        self.seen = []

    def wait(self, kind, job=None):
        def met():
            self.seen += self.netlink.events(0.05)
            return [event for event in self.seen
                    if event['event'] == kind and job in (None, event['job'])]
        wait_for(met)
        return met()[0]


@test
def events_tell_what_happens_to_jobs():
    ifindex = fresh('handle 1: symphony window 1us samples 0 tau 0 jobs 2 idle 4s')
    listener = Listener()
    misalign(5)
    event = listener.wait('job-appeared', 5)
    equal((event['ifindex'], event['handle'], event['parent']), (ifindex, 0x10000, 0xffffffff))
    want(abs(event['time'] / 1e9 - time.time()) < 60, event, time.time())
    event = listener.wait('misaligned', 5)
    equal(event['alpha'], 2)
    equal(event['step_min'], 3)
    sh(f'tc qdisc change dev {DEV} root symphony tau 1')
    slow = roce.Sender(PEER, 3, 0x77, 5)
    slow.send(200)
    slow.socket.close()
    equal(listener.wait('aligned', 5)['alpha'], 1)
    # idle by then, and given up for another
    netlink = genl.Genl()
    wait_for(lambda: 'idle' in netlink.get(ifindex=ifindex, job=5)['state'])
    misalign(6, 1)
    misalign(7, 1)
    misalign(8, 1)
    listener.wait('job-expired', 5)
    netlink.request('job_set', ifindex=ifindex, job=1, overrides={'pinned': 1})
    netlink.request('job_del', ifindex=ifindex, job=1)
    listener.wait('job-expired', 1)
    equal([event['event'] for event in listener.seen if event['job'] == 5],
          ['job-appeared', 'misaligned', 'aligned', 'job-expired'])


@test
def a_full_table_is_told_once_a_second():
    ifindex = fresh('symphony jobs 1')
    netlink = genl.Genl()
    netlink.request('job_set', ifindex=ifindex, job=1, overrides={'pinned': 1})
    listener = Listener()
    began = time.monotonic()
    for _ in range(20):
        misalign(9, 5)
    event = listener.wait('table-full')
    equal(event['job'], 9)
    listener.seen += listener.netlink.events(0.2)
    full = [event for event in listener.seen if event['event'] == 'table-full']
    want(len(full) <= 1 + (time.monotonic() - began), full)


@test
def what_is_more_than_the_rate_is_counted_as_lost():
    fresh('symphony jobs 8000 proto rocev2')
    listener = Listener()
    senders = 0
    for job in range(1, 3001):
        misalign(job, 1)
        senders += 1
    listener.seen += listener.netlink.events(0.5)
    appeared = [event for event in listener.seen if event['event'] == 'job-appeared']
    lost = sum(event.get('lost', 0) for event in listener.seen)
    # what was lost last is told by the next event
    misalign(4000, 1)
    listener.wait('job-appeared', 4000)
    lost = sum(event.get('lost', 0) for event in listener.seen)
    equal(len(appeared) + lost, senders)


@test
def a_socket_that_is_not_read_says_so():
    fresh('symphony jobs 8000')
    small = genl.Genl(events=True, rcvbuf=2048)
    other = Listener()
    for job in range(1, 200):
        misalign(job, 1)
    other.wait('job-appeared', 199)
    try:
        for _ in small.events(0.2):
            pass
        raise AssertionError('no overrun')
    except genl.Overrun:
        pass
    # and goes on
    list(small.events(0.2))
    misalign(777, 1)
    wait_for(lambda: any(event['job'] == 777 for event in small.events(0.1)))


@test
def events_stay_in_their_namespace():
    fresh('symphony')
    listener = Listener()
    sh('ip netns add gn')
    try:
        sh(f'''ip netns exec gn sh -c "ip link add gn5 type dummy
tc qdisc add dev gn5 root symphony jobs 4"''')
        inside = ('import genl,socket; n=genl.Genl(); i=socket.if_nametoindex("gn5");'
                  'n.request("job_set",ifindex=i,job=3,overrides=dict(pinned=1));'
                  'n.request("job_del",ifindex=i,job=3)')
        sh(f"ip netns exec gn {sys.executable} -c '{inside}'")
        misalign(5, 1)
        listener.wait('job-appeared', 5)
        equal([event for event in listener.seen if event['job'] == 3], [])
    finally:
        sh('ip netns del gn')


def main():
    failed = 0
    sh('ip link set lo up')
    print('TAP version 13')
    for number, function in enumerate(TESTS, 1):
        name = function.__name__.replace('_', ' ')
        try:
            function()
            print(f'ok {number} {name}', flush=True)
        except Skip as reason:
            print(f'ok {number} {name} # SKIP {reason}', flush=True)
        except Exception as error:      # of any kind: the other points are still to come
            failed += 1
            print(f'not ok {number} {name}')
            text = traceback.format_exc() + str(getattr(error, 'stderr', None) or '')
            print(''.join(f'# {line}\n' for line in text.splitlines()), end='', flush=True)
        devices_gone()
    print(f'1..{len(TESTS)}')
    return failed > 0


if __name__ == '__main__':
    os.environ['LC_ALL'] = 'C'
    sys.exit(main())
