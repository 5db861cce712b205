# SPDX-License-Identifier: GPL-2.0
"""Jobs begin and end, and the kernels of all routers say when their rules do.

usage: rulewatch.py SYMPHONY ROUTERS ROUNDS

Says of each job how many routers had its rule later than GOAL_MS and who was the last, and
in its last line how many jobs there were with any.
"""
import ctypes
import os
import select
import socket
import statistics
import struct
import subprocess
import sys
import time

RTMGRP_TC = 1 << 3
RTM_NEWTFILTER = 44
RTM_DELTFILTER = 45
LIMIT = 120
# Here alone: routers.sh asks who was late, not after how long that is.
GOAL_MS = 100


def enter(path):
    """Go to another network namespace."""
    with open(path, encoding="ascii") as space:
        if ctypes.CDLL(None, use_errno=True).setns(space.fileno(), 0):
            raise OSError(ctypes.get_errno(), path)


def listen(router):
    """A socket that hears of a router's filters."""
    enter(f"/run/netns/r{router}")
    sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_NONBLOCK, 0)
    sock.bind((0, RTMGRP_TC))
    return sock


def handles(data, kind):
    """How many messages of a kind there are that tell of a filter, not of a frame of many."""
    at = count = 0
    while at + 36 <= len(data):
        length, message = struct.unpack_from("=IH", data, at)
        # of struct tcmsg behind the header
        handle, = struct.unpack_from("=I", data, at + 16 + 8)
        count += message == kind and handle != 0
        at += (length + 3) & ~3
    return count


def wait(poll, socks, kind):
    """Until all routers have said so: ms of each, by its number, since it was called."""
    since = time.monotonic()
    times = {}
    while len(times) < len(socks) and time.monotonic() - since < LIMIT:
        for number, _ in poll.poll(1000):
            router, sock = socks[number]
            if handles(sock.recv(65536), kind):
                times[router] = (time.monotonic() - since) * 1000
    return times


def settle():
    """Until the store has heard from all routers that the job is over."""
    since = time.monotonic()
    while time.monotonic() - since < LIMIT:
        keys = subprocess.run(["etcdctl", "--endpoints", os.environ["SYMPHONY_ETCD"], "get",
                               "--prefix", "/symphony/applied/", "--keys-only"],
                              stdout=subprocess.PIPE, check=False).stdout
        if not keys.strip():
            return
        time.sleep(0.2)


def say_late(job, times):
    """Who had a job's rule too late, as a line for people: was anybody?"""
    late = [router for router, ms in times.items() if ms > GOAL_MS]
    if late:
        last = max(late, key=times.get)
        print(f"job {job}: {len(late)} routers later than {GOAL_MS} ms, r{last} the last:"
              f" {times[last]:.1f} ms", flush=True)
    return bool(late)


def say(what, times):
    """A line for people."""
    print(f"{what}: median {statistics.median(times):.1f} ms, most {max(times):.1f} ms"
          f" (goal {GOAL_MS} ms)", flush=True)


def main():
    """Rounds of one job each."""
    symphony, routers, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    socks = {}
    for router in range(1, routers + 1):
        sock = listen(router)
        socks[sock.fileno()] = router, sock
    enter(f"/proc/self/fd/{home}")
    poll = select.poll()
    for number in socks:
        poll.register(number, select.POLLIN)
    first, half, last, waited, gone = [], [], [], [], []
    missing = left = late = 0
    for number in range(1, rounds + 1):
        name = ["id", f"round{number}"]
        began = time.monotonic()
        add = subprocess.Popen([symphony, "job", "add", *name, "hosts", f"192.0.2.{number}",
                                "wait", str(LIMIT)], stdout=subprocess.DEVNULL)
        times = wait(poll, socks, RTM_NEWTFILTER)
        missing += routers - len(times)
        missing += add.wait() != 0
        waited.append((time.monotonic() - began) * 1000)
        first.append(min(times.values()))
        half.append(statistics.median(times.values()))
        last.append(max(times.values()))
        late += say_late(number, times)
        end = subprocess.Popen([symphony, "job", "del", *name], stdout=subprocess.DEVNULL)
        times = wait(poll, socks, RTM_DELTFILTER)
        left += routers - len(times)
        left += end.wait() != 0
        gone.append(max(times.values()))
        settle()
    say("job add until the first router has its rule", first)
    say("until half of them have", half)
    say("until the last has", last)
    say("until job add knows of it", waited)
    say("job del until the last has none", gone)
    print(f"rounds {rounds} missing {missing} left {left} late {late}")


if __name__ == "__main__":
    main()
