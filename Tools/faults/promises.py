"""Results of a scenario, and waits that have an end."""

import time


class Broken(Exception):
    """A promise that was not kept."""


class Skipped(Exception):
    """The reason for which a scenario cannot run on this machine."""


def require(condition, what):
    if not condition:
        raise Broken(what)


def wait_until(condition, seconds, what, pause=0.05):
    """Waits until a condition holds and returns its value. Raises Broken after so many seconds."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        require(time.monotonic() < deadline, f"after {seconds} seconds: {what}")
        time.sleep(pause)
