# SPDX-License-Identifier: GPL-2.0
"""What the generic netlink family says of live traffic, and what it refuses."""

import os
import socket
import subprocess
import sys
import time
import traceback

import genl
import roce

DEV, OTHER = 'gn0', 'gn1'
PEER, OTHER_PEER = '192.0.2.2', '192.0.2.6'
TESTS = []
LIMIT = 30      # seconds: more than what is waited for takes on a busy machine


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
        want(refusal.message and words in refusal.message, refusal, 'lacks', words)
        return
    raise AssertionError(f'not refused: {values}: {answer}')


def wait_for(condition):
    limit = time.monotonic() + LIMIT
    while not condition():
        want(time.monotonic() < limit, 'waited in vain')
        time.sleep(0.02)


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
    for call in (netlink.get, lambda **values: netlink.dump('job_get', **values)):
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


def main():
    failed = 0
    sh('ip link set lo up')
    print('TAP version 13')
    for number, function in enumerate(TESTS, 1):
        name = function.__name__.replace('_', ' ')
        try:
            function()
            print(f'ok {number} {name}', flush=True)
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
