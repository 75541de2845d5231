#!/usr/bin/env python3
"""What test_record.py records: a process that spins, sleeps, reads, locks and forks, each for a known time."""
import ctypes
import os
import threading
import time

SPIN, SLEEP, HELD = 0.3, 0.2, 0.1


def name_thread(name):
    ctypes.CDLL(None).prctl(15, name.encode(), 0, 0, 0)  # PR_SET_NAME


def spin():
    name_thread('spinner')
    end = time.thread_time() + SPIN
    while time.thread_time() < end:
        pass


def sleep():
    name_thread('sleeper')
    time.sleep(SLEEP)


def read(end):
    name_thread('reader')
    os.read(end, 1)


def write(end):
    name_thread('writer')
    time.sleep(HELD)
    os.write(end, b'x')
    time.sleep(0.01)


def run(*targets):
    threads = [threading.Thread(target=target, args=args) for target, args in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main():
    ends = os.pipe()
    run((spin, ()))
    run((sleep, ()))
    run((read, (ends[0],)), (write, (ends[1],)))
    child = os.fork()
    if child == 0:
        name_thread('child')
        time.sleep(0.05)
        os._exit(0)
    os.waitpid(child, 0)


main()
