# SPDX-License-Identifier: GPL-2.0
"""flent's test "qdisc-stats" while the qdisc marks every second packet.

flent_test.py DEV ADDRESS DIR: starts flent, sends in pairs until flent ends, and
prints "ecn_mark N dropped N pkts_in N": what flent's data file in DIR says has
come between its first and its last look at the qdisc. It runs longer and longer
until flent has seen marks, which on a slow machine takes its time.
"""

import glob
import gzip
import json
import subprocess
import sys
import time

import roce

SECONDS = (3, 12, 48)
HEAD_START = 4000


def looks(dev, address, directory, seconds, behind, ahead):
    """What flent saw while packets went by: a row for each look."""
    flent = subprocess.Popen(['flent', 'qdisc-stats', '-H', address, '-l', str(seconds),
                              '-s', '0.2', '--test-parameter', 'interface=' + dev,
                              '-D', directory], stdout=sys.stderr)
    # The laggard stays behind, so that every packet ahead is marked for sure.
    while flent.poll() is None:
        if behind.psn < HEAD_START:
            behind.send(1)
            ahead.send(1)
        time.sleep(0.02)
    files = glob.glob(directory + '/*.flent.gz')
    if flent.returncode or not files:
        sys.exit('flent left no data, status %d' % flent.returncode)
    with gzip.open(max(files), 'rt') as f:
        return json.load(f)['raw_values']['qdisc-stats']


def main(dev, address, directory):
    behind, ahead = roce.Sender(address, 3, 0x11), roce.Sender(address, 4, 0x12)
    behind.send(1)
    ahead.send(HEAD_START)
    for seconds in SECONDS:
        rows = looks(dev, address, directory, seconds, behind, ahead)
        if sum(row['ecn_mark'] for row in rows) > 0:
            break
    print('ecn_mark %d dropped %d pkts_in %d' % (
        sum(row['ecn_mark'] for row in rows),
        sum(row['dropped'] for row in rows),
        rows[-1]['pkts_in'] - rows[0]['pkts_in']))


main(*sys.argv[1:])
