# SPDX-License-Identifier: GPL-2.0
"""Netlink messages that are nearly right, to live qdiscs with traffic. Prints TAP 13.

    messages.py COUNT SEED

Each is made valid, as tc, ip and the command symphony send them, and then most are changed:
an attribute left out, doubled, cut short, of no bytes or of thousands, of another length than
it says, in another's place or nested in itself; another command, device, parent or handle;
any bytes. Every message has to be answered, a refused one must change nothing, and each
command has to have been accepted, changed ones included. messages.sh looks at the kernel's
log behind it.
"""

import collections
import errno
import os
import random
import socket
import struct
import sys

import genl

DEV, OTHER = 'atk0', 'atk1'
LIMIT = 120     # seconds: far more than an answer takes on a busy machine
ROOT, HANDLE, CHILD = 0xffffffff, 0x50000, 0x60000
CREATE, EXCL, REPLACE = 0x400, 0x200, 0x100
NOOP = 1
QDISC, CLASS, FILTER, CHAIN = 36, 40, 44, 100       # RTM_NEW*; 1 more: DEL, 2: GET
TCA_KIND, TCA_OPTIONS, TCA_RATE, TCA_STAB, TCA_CHAIN, TCA_BLOCK = 1, 2, 5, 8, 11, 14
CHANGED = 'changed in'
# What the core refuses whatever it says: symphony has no classes to be made.
NEVER = {'class new', 'class del'}

LONG = {5, 16, 19, 25, 27, 28, 29, 31, 32}      # options of 64 bits
OPTIONS = 32
RANGES = {2: (1, 2000), 6: (0, 9), 7: (0, 9), 8: (1, 9), 9: (0, 1), 10: (0, 3), 12: (0, 3),
          13: (0, 1), 14: (30, 2000), 15: (4, 5000), 17: (0, 2), 18: (0, 2), 23: (1, 64),
          24: (0, 1), 30: (1, 16), 5: (1000, 10**7), 16: (10**6, 10**9), 25: (1000, 10**7),
          31: (10**5, 10**8), 11: (1, 20)}
EDGES = [0, 1, 2, 3, 4, 8, 64, 65, 255, 65535, 65536, 999999, 10**6, 10**9, 10**9 + 1,
         0x7fffffff, 0x80000000, 0xffffffff, 1 << 32, 60 * 10**9, (1 << 63) - 1, (1 << 64) - 1]


class Message:
    """A message before it is bytes: attributes are lists of kind, payload and the length they
    claim or None; the payload is bytes or a list of attributes."""

    def __init__(self, name, kind, flags, head, attrs):
        self.name = name
        self.kind = kind
        self.flags = flags
        self.head = bytearray(head)
        self.attrs = attrs
        self.generic = len(head) == 4
        self.tail = b''
        self.changed = []

    def encode(self, seq):
        body = bytes(self.head) + encode(self.attrs) + self.tail
        return struct.pack('=IHHII', 16 + len(body), self.kind, self.flags, seq, 0) + body


def encode(attrs):
    data = b''
    for kind, payload, claim in attrs:
        if isinstance(payload, list):
            payload = encode(payload)
            kind |= genl.NESTED
        payload = payload[:65000]
        size = 4 + len(payload) if claim is None else claim
        data += struct.pack('=HH', size & 0xffff, kind & 0xffff) + payload
        data += bytes(-len(payload) % 4)
    return data


def u32(kind, value):
    return [kind, struct.pack('=I', value), None]


def text(kind, value):
    return [kind, value.encode() + b'\0', None]


def nodes(attrs):
    """Every list of attributes with each place in it."""
    for place, one in enumerate(attrs):
        yield attrs, place
        if isinstance(one[1], list):
            yield from nodes(one[1])


def valid_option(rnd):
    kind = rnd.randint(2, OPTIONS)
    low, high = RANGES.get(kind, (0, 10**rnd.randint(0, 8)))
    value = rnd.randint(low, high)
    return [kind, struct.pack('=Q' if kind in LONG else '=I', value), None]


def options(rnd):
    chosen = [valid_option(rnd) for _ in range(rnd.choice((0, 1, 1, 1, 2, 3)))]
    # a number of a job goes with a source that wants one
    kinds = {kind for kind, _, _ in chosen}
    return [one for one in chosen if one[0] not in (11, 12, 30, 31)] + (
        [u32(10, 3), u32(11, rnd.randint(1, 20))] if 11 in kinds else []) + (
        [u32(12, 3), u32(30, rnd.randint(1, 16))] if 30 in kinds else [])


def tcm(dev, handle=0, parent=ROOT, info=0):
    return struct.pack('=BBHiIII', 0, 0, 0, socket.if_nametoindex(dev), handle, parent, info)


def qdisc(rnd, name, flags, dev=DEV, handle=HANDLE, parent=ROOT, kind='symphony', command=0):
    attrs = [text(TCA_KIND, kind)]
    if kind == 'symphony' and command == 0:
        attrs.append([TCA_OPTIONS, options(rnd), None])
        if rnd.random() < 0.1:
            attrs.append(u32(TCA_BLOCK, rnd.randint(1, 2)))
        if rnd.random() < 0.1:
            attrs.append([TCA_STAB, [[1, struct.pack('=BBHiIIII', 0, 0, 0, 9, 0, 0, 0, 0),
                                      None]], None])
    return Message(name, QDISC + command, flags, tcm(dev, handle, parent), attrs)


def filters(rnd, name, command, flags=0):
    info = rnd.randint(1, 2) << 16 | 0x0300
    attrs = [text(TCA_KIND, 'matchall')]
    if command == 0:
        attrs.append([TCA_OPTIONS, [u32(1, HANDLE + rnd.randint(1, 20))], None])
    return Message(name, FILTER + command, flags,
                   tcm(DEV, 1, HANDLE, info), attrs)


def generic(rnd, family, name, command, flags=0, job=True, extra=()):
    attrs = [u32(2, socket.if_nametoindex(DEV))]
    if rnd.random() < 0.2:
        attrs.append(u32(3, HANDLE))
    if job:
        attrs.append(u32(6, rnd.randint(1, 20)))
    return Message(name, family, flags, struct.pack('=BBH', command, 1, 0), attrs + list(extra))


def overrides(rnd):
    chosen = [u32(1, rnd.choice((0, 10**9, 0xffffffff))), u32(2, rnd.randint(0, 10**9)),
              u32(3, rnd.randint(0, 2)), u32(4, 1)]
    return [[9, rnd.sample(chosen, rnd.randint(1, 4)), None]]


def seeds(family):
    """What makes a valid message, with its share of all."""
    create, replace, dump = CREATE | EXCL, CREATE | REPLACE, genl.DUMP
    other = OTHER
    return [
        (6, lambda r: qdisc(r, 'qdisc add', create)),
        (9, lambda r: qdisc(r, 'qdisc replace', replace)),
        (4, lambda r: qdisc(r, 'qdisc replace', replace, dev=other)),
        (3, lambda r: qdisc(r, 'qdisc replace', replace, handle=HANDLE + 0x20000)),
        (9, lambda r: qdisc(r, 'qdisc change', 0)),
        (6, lambda r: qdisc(r, 'child replace', replace, handle=CHILD, parent=HANDLE + 1,
                            kind=r.choice(('symphony', 'pfifo', 'codel')))),
        (5, lambda r: qdisc(r, 'child del', 0, handle=CHILD, parent=HANDLE + 1, command=1)),
        (2, lambda r: qdisc(r, 'qdisc del', 0, command=1)),
        (3, lambda r: qdisc(r, 'qdisc get', 0, command=2)),
        (2, lambda r: qdisc(r, 'qdisc dump', dump, command=2)),
        (1, lambda r: Message('class new', CLASS, replace, tcm(DEV, HANDLE + 1, HANDLE),
                              [text(TCA_KIND, 'symphony'), [TCA_OPTIONS, options(r), None]])),
        (1, lambda r: Message('class del', CLASS + 1, 0, tcm(DEV, HANDLE + 1, HANDLE), [])),
        (2, lambda r: Message('class get', CLASS + 2, 0, tcm(DEV, HANDLE + 1, HANDLE), [])),
        (2, lambda r: Message('class dump', CLASS + 2, dump, tcm(DEV, 0, 0), [])),
        (5, lambda r: filters(r, 'filter add', 0, CREATE)),
        (2, lambda r: filters(r, 'filter del', 1)),
        (3, lambda r: filters(r, 'filter get', 2)),
        (2, lambda r: filters(r, 'filter dump', 2, dump)),
        (2, lambda r: Message('chain add', CHAIN, create, tcm(DEV, 0, HANDLE),
                              [u32(TCA_CHAIN, r.randint(0, 3))])),
        (2, lambda r: Message('chain del', CHAIN + 1, 0, tcm(DEV, 0, HANDLE),
                              [u32(TCA_CHAIN, r.randint(0, 3))])),
        (4, lambda r: generic(r, family, 'job get', 1)),
        (4, lambda r: generic(r, family, 'job dump', 1, dump, r.random() < 0.5,
                              [[16, struct.pack('=Q', 10**r.randint(0, 12)), None]])),
        (4, lambda r: generic(r, family, 'flow dump', 2, dump, r.random() < 0.5)),
        (9, lambda r: generic(r, family, 'job set', 3, 0, True, overrides(r))),
        (4, lambda r: generic(r, family, 'job reset', 4)),
        (4, lambda r: generic(r, family, 'job del', 5)),
        (1, lambda r: Message('family', genl.CTRL, 0, struct.pack('=BBH', 3, 2, 0),
                              [text(2, 'symphony')])),
        (1, lambda r: Message('policy', genl.CTRL, dump, struct.pack('=BBH', 10, 2, 0),
                              [text(2, 'symphony')])),
    ]


def left_out(rnd, _, attrs, place):
    del attrs[place]


def doubled(rnd, _, attrs, place):
    attrs.insert(rnd.randint(0, len(attrs)), list(attrs[place]))


def as_bytes(one):
    return encode(one[1]) if isinstance(one[1], list) else one[1]


def short(rnd, _, attrs, place):
    payload = as_bytes(attrs[place])
    attrs[place][1] = payload[:rnd.randint(0, max(len(payload) - 1, 0))]


def huge(rnd, _, attrs, place):
    attrs[place][1] = as_bytes(attrs[place]) + rnd.randbytes(
        rnd.choice((1, 3, 4, 8, 256, 4000, 60000)))


def claims(rnd, _, attrs, place):
    size = 4 + len(as_bytes(attrs[place]))
    attrs[place][2] = rnd.choice((0, 1, 3, 4, size - 1, size + 1, size + 4, 0x7fff, 0xffff))


def other_kind(rnd, _, attrs, place):
    one = attrs[place]
    one[0] = rnd.choice((rnd.randint(0, 40), rnd.randint(0, 40), one[0] ^ genl.NESTED,
                         one[0] ^ 0x4000, rnd.randint(0, 0xffff)))


def other_value(rnd, _, attrs, place):
    width = max(len(as_bytes(attrs[place])), 1)
    value = rnd.choice((rnd.choice(EDGES), rnd.randint(0, 20), rnd.getrandbits(64)))
    attrs[place][1] = (value.to_bytes(8, 'little') + bytes(width))[:width]


def nested_in_itself(rnd, _, attrs, place):
    one = list(attrs[place])
    for _ in range(rnd.choice((1, 2, 10, 200))):
        one = [one[0], encode([one]), None]
    attrs[place] = one


def nested_wrong(rnd, message, attrs, place):
    one = attrs.pop(place)
    target, where = rnd.choice(list(nodes(message.attrs)) or [(message.attrs, 0)])
    if where < len(target) and isinstance(target[where][1], list):
        target = target[where][1]
    target.insert(rnd.randint(0, len(target)), one)


def flat(rnd, _, attrs, place):
    one = attrs[place]
    if isinstance(one[1], list):
        attrs[place:place + 1] = one[1]
    else:
        one[1] = [[rnd.randint(0, 40), one[1], None]]


def any_bytes(rnd, _, attrs, place):
    payload = bytearray(as_bytes(attrs[place]))
    for _ in range(rnd.randint(1, 8)):
        if payload:
            payload[rnd.randrange(len(payload))] = rnd.getrandbits(8)
    attrs[place][1] = bytes(payload)


def other_place(rnd, message, _, __):
    """Device, parent, handle or, of generic netlink, command and version."""
    if len(message.head) < (4 if message.generic else 20):
        return
    if message.generic:
        message.head[rnd.randrange(4)] = rnd.randint(0, 12)
        return
    offset, values = rnd.choice((
        (4, [0, 1, socket.if_nametoindex(OTHER), -1, 0x7fffffff]),
        (8, [0, HANDLE, CHILD, HANDLE + 1, ROOT, rnd.getrandbits(32)]),
        (12, [0, HANDLE, HANDLE + 1, CHILD, CHILD + 1, ROOT, 0xfffffff1, rnd.getrandbits(32)]),
        (16, [0, 0x10300, rnd.getrandbits(32)])))
    struct.pack_into('=I', message.head, offset, rnd.choice(values) & 0xffffffff)


def other_command(rnd, message, _, __):
    if message.generic:
        message.head[:1] = rnd.randint(0, 8).to_bytes(1, 'little')
    else:
        message.kind = rnd.choice((QDISC, CLASS, FILTER, CHAIN)) + rnd.randint(0, 2)


def other_flags(rnd, message, _, __):
    message.flags ^= rnd.choice((CREATE, EXCL, REPLACE, genl.DUMP, 0x800, 0x8))


def head_cut(rnd, message, _, __):
    message.head = message.head[:rnd.randint(0, max(len(message.head) - 1, 0))]
    if rnd.random() < 0.5:
        message.attrs = []


def tail(rnd, message, _, __):
    message.tail = rnd.randbytes(rnd.choice((1, 2, 3, 4, 5, 40)))


CHANGES = [left_out, doubled, short, huge, claims, other_kind, other_value, other_value,
           nested_in_itself, nested_wrong, flat, any_bytes, other_place, other_command,
           other_flags, head_cut, tail]


def change(rnd, message):
    for _ in range(rnd.choice((1, 1, 1, 2, 3))):
        places = list(nodes(message.attrs))
        attrs, place = rnd.choice(places) if places else ([[1, b'', None]], 0)
        act = rnd.choice(CHANGES)
        act(rnd, message, attrs, place)
        message.changed.append(act.__name__)


class Channel:
    """A socket on which an answer to everything is waited for."""

    def __init__(self, protocol):
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol)
        self.socket.setsockopt(genl.SOL_NETLINK, genl.NETLINK_EXT_ACK, 1)
        self.socket.setsockopt(genl.SOL_NETLINK, genl.NETLINK_CAP_ACK, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, genl.SO_RCVBUFFORCE, 1 << 22)
        self.socket.settimeout(LIMIT)
        self.socket.bind((0, 0))
        self.seq = 0

    def parts(self):
        data = self.socket.recv(1 << 20)
        offset = 0
        while offset + 16 <= len(data):
            size, kind, flags, seq, _ = struct.unpack_from('=IHHII', data, offset)
            yield kind, flags, seq, data[offset + 16:offset + size]
            offset += size + 3 & ~3

    def ask(self, messages):
        """For each message its errno, its sentence and the payloads; errno None: no answer."""
        first = self.seq + 1
        data = b''
        for message in messages:
            self.seq += 1
            message.flags |= genl.REQUEST | genl.ACK
            one = message.encode(self.seq)
            data += one + bytes(-len(one) % 4)
        self.seq += 1
        self.socket.send(data)
        self.socket.send(struct.pack('=IHHII', 16, NOOP, genl.REQUEST | genl.ACK, self.seq, 0))
        results = {seq: [None, None, []] for seq in range(first, self.seq)}
        dumping = set()
        met = False
        while not met or dumping:
            for kind, flags, seq, payload in self.parts():
                met |= seq == self.seq
                if seq not in results:
                    continue
                if kind not in (genl.MSG_ERROR, genl.MSG_DONE):
                    results[seq][2].append(payload)
                    if flags & genl.MULTI:
                        dumping.add(seq)
                    continue
                dumping.discard(seq)
                results[seq][0] = -struct.unpack_from('=i', payload)[0]
                results[seq][1] = sentence(kind, flags, payload)
        return list(results.values())


def sentence(kind, flags, payload):
    if flags & genl.ACK_TLVS:
        for tlv, value in genl.attrs_of(payload[4:] if kind == genl.MSG_DONE else payload[20:]):
            if tlv == 1:
                return value.rstrip(b'\0').decode()
    return None


class Fuzzer:
    def __init__(self, seed):
        self.rnd = random.Random(seed)
        self.route = Channel(socket.NETLINK_ROUTE)
        self.genl = Channel(genl.NETLINK_GENERIC)
        self.reader = genl.Genl()
        known = seeds(self.reader.family)
        self.weights = [weight for weight, _ in known]
        self.makers = [maker for _, maker in known]
        self.sent = collections.Counter()
        self.accepted = collections.Counter()
        self.refused = collections.Counter()
        self.errors = collections.Counter()
        self.changes = collections.Counter()
        self.sentences = set()
        self.unanswered = self.compared = 0
        self.broken = []

    def message(self):
        message = self.rnd.choices(self.makers, self.weights)[0](self.rnd)
        if self.rnd.random() < 0.6:
            change(self.rnd, message)
        return message

    def state(self):
        """Options of the qdiscs and what operators set: all that a refusal must leave."""
        shown = []
        for dev in (DEV, OTHER):
            get = Message('', QDISC + 2, 0x8, tcm(dev, HANDLE, 0), [])
            error, _, replies = self.route.ask([get])[0]
            shown.append((error, [payload for reply in replies
                                  for kind, payload in genl.attrs_of(reply[20:])
                                  if kind == TCA_OPTIONS]))
        jobs = self.reader.dump('job_get')
        pinned = [(job['job'], job['overrides']) for job in jobs
                  if job.get('overrides', {}).get('pinned')]
        return shown, sorted(pinned, key=str)

    def step(self):
        messages = [self.message()]
        compare = self.rnd.random() < 0.2
        before = self.state() if compare else None
        while not compare and self.rnd.random() < 0.15:
            messages.append(self.message())
        messages = [one for one in messages if one.generic == messages[0].generic]
        channel = self.genl if messages[0].generic else self.route
        results = channel.ask(messages)
        for message, (error, said, _) in zip(messages, results):
            self.count(message, error, said)
        if compare and results[0][0] and self.state() != before:
            # the core of all qdiscs looks at a size table after the change is done
            if not (results[0][1] or '').startswith('Size table'):
                self.broken.append(f'{messages[0].name}, {messages[0].changed}: '
                                   f'{results[0][:2]}, yet changed by '
                                   f'{messages[0].encode(0).hex()}')
        self.compared += bool(compare and results[0][0])
        return len(messages)

    def count(self, message, error, said):
        kind = message.name if not message.changed else f'{CHANGED} {message.name}'
        self.sent[kind] += 1
        self.changes.update(message.changed)
        if said:
            self.sentences.add(said)
        if error is None:
            self.unanswered += 1
            # of a head that is cut off the core of netlink may say nothing
            if 'head_cut' not in message.changed:
                self.broken.append(f'{message.name}, {message.changed}: no answer')
        elif error:
            self.refused[kind] += 1
            self.errors[errno.errorcode.get(error, error)] += 1
        else:
            self.accepted[kind] += 1

    def report(self):
        sent, accepted = sum(self.sent.values()), sum(self.accepted.values())
        print(f'# {sent} messages, {accepted} accepted, {sum(self.refused.values())} refused, '
              f'{self.unanswered} without an answer; {self.compared} refused ones compared')
        print('# refused: ' + ' '.join(f'{name} {count}' for name, count
                                       in self.errors.most_common()))
        print('# changed: ' + ' '.join(f'{name} {count}' for name, count
                                       in self.changes.most_common()))
        for name in sorted({kind.replace(f'{CHANGED} ', '') for kind in self.sent}):
            print(f'# {name}: ' + ', '.join(
                f'{self.accepted[kind]} of {self.sent[kind]} {word}' for kind, word in
                ((name, 'as they should be'), (f'{CHANGED} {name}', 'changed'))))
        print(f'# {len(self.sentences)} different sentences of refusal')


def point(number, good, name):
    print(f"{'ok' if good else 'not ok'} {number} {name}", flush=True)
    return good


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    print('TAP version 13')
    print(f'# seed {seed}', flush=True)
    fuzzer = Fuzzer(seed)
    done = 0
    try:
        while done < count:
            done += fuzzer.step()
    except TimeoutError:
        fuzzer.broken.append(f'no answer to message {done} of seed {seed}')
    fuzzer.report()
    for line in fuzzer.broken[:20]:
        print(f'# {line}')
    names = {name.replace(f'{CHANGED} ', '') for name in fuzzer.sent}
    missing = [name for name in names - NEVER
               if not fuzzer.accepted[name] or not fuzzer.accepted[f'{CHANGED} {name}']]
    wrongly = [name for name in NEVER if fuzzer.accepted[name]]
    changed = sum(n for name, n in fuzzer.sent.items() if CHANGED in name)
    accepted = sum(n for name, n in fuzzer.accepted.items() if CHANGED in name)
    good = point(1, not fuzzer.broken, 'every message is answered, no refused one changed a thing')
    good &= point(2, not missing, 'each command was accepted, changed ones, too'
                  + f': not {missing}' * bool(missing))
    good &= point(3, not wrongly, 'none that symphony does not have')
    good &= point(4, 0.1 < accepted / changed < 0.7,
                  f'{100 * accepted / changed:.0f} % of the changed ones were accepted')
    good &= point(5, len(fuzzer.sentences) >= 50, 'fifty sentences of refusal and more')
    print('1..5')
    return not good


if __name__ == '__main__':
    sys.exit(main())
