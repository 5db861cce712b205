# SPDX-License-Identifier: GPL-2.0
"""
A network namespace for each test case, in place of tdc's plugin of this name.

tdc itself moves into a fresh namespace before a case and back after it, so that
no command needs "ip netns exec", nothing outside is touched, and a case takes a
third of the time in an emulated machine. The namespace has the device $DUMMY,
which is up, and lo; it goes with its last process.
"""
import ctypes
import os
import subprocess

from TdcPlugin import TdcPlugin
from tdc_config import ENVIR

CLONE_NEWNET = 0x40000000

libc = ctypes.CDLL(None, use_errno=True)


def check(result, what):
    if result:
        raise OSError(ctypes.get_errno(), what)


class SubPlugin(TdcPlugin):
    def __init__(self):
        self.sub_class = 'ns/SubPlugin'
        self.home = os.open('/proc/self/ns/net', os.O_RDONLY | os.O_CLOEXEC)
        super().__init__()

    def pre_case(self, test, test_skip):
        super().pre_case(test, test_skip)
        if test_skip:
            return
        check(libc.unshare(CLONE_NEWNET), 'unshare')
        batch = 'link add {0} type dummy\nlink set {0} up\n'.format(self.args.NAMES['DUMMY'])
        subprocess.run([self.args.NAMES['IP'], '-batch', '-'], input=batch.encode(),
                       env=ENVIR, check=True)

    def post_case(self):
        super().post_case()
        check(libc.setns(self.home, CLONE_NEWNET), 'setns')
