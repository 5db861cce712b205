# SPDX-License-Identifier: GPL-2.0
"""RoCEv2 packets of two steps of one job out of a UDP socket."""

import socket
import struct

WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST = 0x06, 0x07, 0x08
ECT0 = 2


def packet(opcode, psn, job, qp, size=256):
    bth = struct.pack('!BBHII', opcode, 0, 0xffff,
                      job >> 7 << 24 | qp, (job & 0x7f) << 24 | psn)
    reth = struct.pack('!QII', 0, 1, 1 << 20) if opcode == WRITE_FIRST else b''
    return bth + reth + bytes(size) + bytes(4)


class Sender:
    """A queue pair that sends one step's packets."""

    def __init__(self, address, step, qp, job=5, ecn=ECT0):
        self.step = step
        self.job = job
        self.qp = qp
        self.psn = 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 26 << 2 | ecn)
        self.socket.bind(('', 0xc000 + step))
        self.socket.connect((address, 4791))

    def send(self, count):
        for _ in range(count):
            opcode = WRITE_MIDDLE if self.psn else WRITE_FIRST
            self.socket.send(packet(opcode, self.psn, self.job, self.qp))
            self.psn += 1

    def messages(self, count):
        """Of two packets each."""
        for _ in range(count):
            for opcode in WRITE_FIRST, WRITE_LAST:
                self.socket.send(packet(opcode, self.psn, self.job, self.qp))
                self.psn += 1
