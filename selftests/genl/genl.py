# SPDX-License-Identifier: GPL-2.0
"""Generic netlink family "symphony" over a raw socket: what the kernel says, and how."""

import socket
import struct

NETLINK_GENERIC = 16
SOL_NETLINK = 270
SO_RCVBUFFORCE = 33
NETLINK_ADD_MEMBERSHIP, NETLINK_EXT_ACK, NETLINK_CAP_ACK = 1, 11, 10
NETLINK_GET_STRICT_CHK = 12
REQUEST, ACK, DUMP = 0x1, 0x4, 0x300
MULTI, DUMP_INTR, ACK_TLVS, CAPPED = 0x2, 0x10, 0x200, 0x100
MSG_ERROR, MSG_DONE, MSG_OVERRUN = 2, 3, 4
CTRL, CTRL_GETFAMILY = 16, 3
NESTED = 0x8000

CMD = {'job_get': 1, 'flow_get': 2, 'job_set': 3, 'job_reset': 4, 'job_del': 5, 'event': 6}
ATTRS = ('unspec pad ifindex handle parent domain job state stats overrides flow event time '
         'alpha step_min lost active jobs').split()
NESTS = {
    'state': 'unspec pad step_min psn_rec alpha cnt_total cnt_op first_seen last_seen '
             'misaligned flows idle'.split(),
    'stats': 'unspec pad packets bytes outpacing marked would_mark not_ect already_ce '
             'corrections'.split(),
    'overrides': 'unspec k tau mode pinned'.split(),
    'flow': 'unspec pad src dst dest step position last_seen'.split(),
}
EVENTS = {1: 'job-appeared', 2: 'job-expired', 3: 'misaligned', 4: 'aligned', 5: 'table-full'}
NO_OVERRIDE = 0xffffffff


class Refused(Exception):
    """What the kernel refused: errno, the sentence, the attribute that it names."""

    def __init__(self, errno, message, attribute):
        super().__init__(f'{errno}: {message}')
        self.errno = errno
        self.message = message
        self.attribute = attribute


class Overrun(Exception):
    """Messages were lost, as ENOBUFS says."""


def attr(kind, payload):
    """An attribute; payload: u32, bytes, or a list of attributes."""
    if isinstance(payload, list):
        kind |= NESTED
        payload = b''.join(payload)
    elif isinstance(payload, int):
        payload = struct.pack('=I', payload)
    return struct.pack('=HH', 4 + len(payload), kind) + payload + bytes(-len(payload) % 4)


def attrs_of(data):
    offset = 0
    while offset + 4 <= len(data):
        size, kind = struct.unpack_from('=HH', data, offset)
        yield kind & 0x3fff, data[offset + 4:offset + size]
        offset += size + 3 & ~3


def decode(data, names):
    message = {}
    for kind, payload in attrs_of(data):
        name = names[kind] if kind < len(names) else kind
        if names is ATTRS and name in NESTS:
            message[name] = decode(payload, NESTS[name])
        elif name in ('src', 'dst'):
            family = socket.AF_INET if len(payload) == 4 else socket.AF_INET6
            message[name] = socket.inet_ntop(family, payload)
        elif name != 'pad':
            message[name] = int.from_bytes(payload, 'little') if payload else True
    return message


def encode(names, values):
    return [attr(names.index(name), encode(NESTS[name], value)
                 if isinstance(value, dict) else value)
            for name, value in values.items() if value is not None]


class Genl:
    """A socket of the family."""

    def __init__(self, events=False, rcvbuf=None):
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC)
        self.socket.setsockopt(SOL_NETLINK, NETLINK_EXT_ACK, 1)
        self.socket.setsockopt(SOL_NETLINK, NETLINK_CAP_ACK, 1)
        if rcvbuf:
            self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, rcvbuf)
        self.socket.bind((0, 0))
        self.seq = 0
        self.interrupted = False
        self.family, self.group = self.lookup()
        if events:
            self.socket.setsockopt(SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, self.group)

    def lookup(self):
        family = group = None
        for data in self.transact(CTRL, CTRL_GETFAMILY, REQUEST | ACK,
                                  [attr(2, b'symphony\0')], 2):
            for kind, payload in attrs_of(data):
                if kind == 1:
                    family, = struct.unpack('=H', payload)
                if kind == 7:
                    for _, one in attrs_of(payload):
                        group = struct.unpack('=I', dict(attrs_of(one))[2])[0]
        return family, group

    def transact(self, family, cmd, flags, attrs, version=1):
        self.send(family, cmd, flags, attrs, version)
        yield from self.replies()

    def send(self, family, cmd, flags, attrs, version=1):
        self.seq += 1
        self.interrupted = False
        payload = struct.pack('=BBH', cmd, version, 0) + b''.join(attrs)
        self.socket.send(struct.pack('=IHHII', 16 + len(payload), family, flags, self.seq, 0) +
                         payload)

    def receive(self):
        try:
            data = self.socket.recv(1 << 20)
        except OSError as error:
            if error.errno == 105:
                raise Overrun() from error
            raise
        offset = 0
        while offset + 16 <= len(data):
            size, kind, flags, seq, _ = struct.unpack_from('=IHHII', data, offset)
            yield kind, flags, seq, data[offset + 16:offset + size]
            offset += size + 3 & ~3

    def replies(self):
        """Payloads of the reply behind the header of generic netlink."""
        while True:
            for kind, flags, seq, data in self.receive():
                if seq != self.seq:
                    continue
                self.interrupted |= bool(flags & DUMP_INTR)
                if kind in (MSG_ERROR, MSG_DONE):
                    self.check(kind, flags, data)
                    return
                yield data[4:]

    @staticmethod
    def check(kind, flags, data):
        error, = struct.unpack_from('=i', data)
        if error >= 0:
            return
        message = attribute = None
        if flags & ACK_TLVS:
            for tlv, payload in attrs_of(data[4:] if kind == MSG_DONE else data[20:]):
                if tlv == 1:
                    message = payload.rstrip(b'\0').decode()
                if tlv == 2:
                    attribute, = struct.unpack('=I', payload)
        raise Refused(-error, message, attribute)

    def request(self, cmd, flags=0, raw=None, **values):
        attrs = encode(ATTRS, values) + (raw or [])
        return [decode(data, ATTRS) for data in
                self.transact(self.family, CMD[cmd], REQUEST | ACK | flags, attrs)]

    def dump(self, cmd, **values):
        return self.request(cmd, DUMP, **values)

    def get(self, **values):
        return self.request('job_get', **values)[0]

    def events(self, seconds):
        """Events as they come, none for so many seconds being their end."""
        self.socket.settimeout(seconds)
        try:
            while True:
                for _, _, _, data in self.receive():
                    event = decode(data[4:], ATTRS)
                    event['event'] = EVENTS.get(event['event'], event['event'])
                    yield event
        except TimeoutError:
            return
        finally:
            self.socket.settimeout(None)
