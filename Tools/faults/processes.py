"""Processes of this machine, by their ids."""

import os
import signal
import time


def state(pid):
    """The letter of a process in /proc and the id of its parent; None if it has ended."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in "ZX" else (fields[0], int(fields[1]))


def children(parent):
    """The processes that a process started and that have not ended."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            known = state(int(name))
            if known and known[1] == parent:
                found.append(int(name))
    return found


def command(pid):
    """The command line of a process; empty if it has ended."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def send(pid, number):
    """Sends a signal. A process that has ended gets none."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def kill_with_children(pid):
    """Kills a process and its children with SIGKILL, and waits until the children have ended.

    The process is stopped first, so that it starts no child that this function does not know.
    """
    send(pid, signal.SIGSTOP)
    young = children(pid)
    for child in young:
        send(child, signal.SIGKILL)
    send(pid, signal.SIGKILL)
    deadline = time.monotonic() + 30
    while any(state(child) for child in young) and time.monotonic() < deadline:
        time.sleep(0.01)
