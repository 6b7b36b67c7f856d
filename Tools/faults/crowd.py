"""Processes that edit at once and are killed."""

import random
import signal
import threading
import time

from .promises import Broken, require


class Crowd:
    """Threads that each run one command after another, on their own folders."""

    def __init__(self, catalogs, ledger, writers, edits, seed, deaths=0.0, patience=240, label="edit",
                 may_lose=False):
        """
        edits:    of each writer, or None to write until `finish`.
        deaths:   the part of the commands that is killed after a random time.
        patience: seconds after which an edit that is tried again and again must have succeeded.
        may_lose: whether a folder may have applied a batch that no standby had, and is refused after a failover.
        """
        self.catalogs, self.ledger, self.edits = catalogs, ledger, edits
        self.deaths, self.patience, self.label = deaths, patience, label
        self.may_lose = may_lose
        self.ahead = {}  # How the first refused command on a folder ended, by the folder.
        self.lock = threading.Lock()
        self.enough = threading.Event()
        self.kills = self.refusals = self.made = 0
        self.messages = {}
        self.slowest = None
        self.failure = None
        self.threads = [
            threading.Thread(target=self._write, args=(number, random.Random(seed * 1000 + number)), daemon=True)
            for number in range(writers)]

    def start(self):
        for thread in self.threads:
            thread.start()
        return self

    @property
    def runs(self):
        return any(thread.is_alive() for thread in self.threads) and not self.failure

    def _write(self, number, dice):
        edit = 0
        try:
            while not self.enough.is_set() and (self.edits is None or edit < self.edits):
                catalog = self.catalogs[number % len(self.catalogs)]
                if catalog in self.ahead:
                    return
                self._edit(catalog, f"{self.label} {number}-{edit}", dice)
                edit += 1
        except BaseException as failure:  # The thread that waits raises it.
            self.failure = self.failure or failure
            self.enough.set()

    def _edit(self, catalog, name, dice):
        deadline = time.monotonic() + self.patience
        item = dice.randint(1, 3)
        while True:
            doom = dice.uniform(0.02, 1.2) if dice.random() < self.deaths else None
            done = catalog.add(name, item, kill_after=doom)
            with self.lock:
                if self.slowest is None or done.seconds > self.slowest.seconds:
                    self.slowest = done
                if self.may_lose and done.status == 3:
                    self.ahead.setdefault(catalog, done)
                    self.ledger.possible.add(name)
                    return
                self.kills += done.status == -signal.SIGKILL
                self.made += done.status == 0
                is_settled = self.ledger.note(name, done)
                if not is_settled:
                    self.refusals += 1
                    message = done.errors.strip().splitlines()[-1] if done.errors.strip() else ""
                    message = message.rpartition(" failed: ")[2][:200]
                    count, longest = self.messages.get(message, (0, 0))
                    self.messages[message] = count + 1, max(longest, done.seconds)
            if is_settled or self.enough.is_set() and self.edits is None:
                return
            if time.monotonic() > deadline:
                raise Broken(f"{name} was not appended in {self.patience} seconds: {done}")
            time.sleep(0.1)

    def finish(self, seconds=600):
        """Lets the writers end, and raises the failure of one of them."""
        if self.edits is None:
            self.enough.set()
        deadline = time.monotonic() + seconds
        for thread in self.threads:
            thread.join(max(0.1, deadline - time.monotonic()))
        if self.failure:
            raise self.failure
        require(not any(thread.is_alive() for thread in self.threads), f"writers have not ended after {seconds} seconds")

    def stop(self):
        """Ends the threads after a failure, for cleaning up."""
        self.enough.set()
        for thread in self.threads:
            if thread.ident:
                thread.join(200)
