"""A program that follows a log through all faults."""

import json
import signal
import subprocess
import threading

from .promises import require, wait_until


class Follower:
    """`catalogctl follow` on a folder of its own, from its start to `finish`."""

    def __init__(self, program, catalog):
        self.catalog = catalog
        self.reached = 0
        self.complaints = []
        self.process = subprocess.Popen(
            [program.path, "follow", "--every", "0.2", "--format", "json", "--catalog", str(catalog.folder)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            # A shell makes what it runs in the background ignore Ctrl-C, and so would this program.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.threads = [threading.Thread(target=read, daemon=True) for read in (self._read, self._read_complaints)]
        for thread in self.threads:
            thread.start()

    def _read(self):
        for line in self.process.stdout:
            self.reached = json.loads(line)["sequence"]

    def _read_complaints(self):
        self.complaints += self.process.stderr

    def _words(self):
        return "".join(self.complaints[-3:]).strip() or "nothing"

    def finish(self, events):
        """Waits until it has reached an event, and ends it. Returns how often it said that the server does not answer."""
        def is_done():
            require(self.process.poll() is None, f"follow ended with {self.process.returncode}: {self._words()}")
            return self.reached >= events
        wait_until(is_done, 60, f"follow is at event {self.reached} of {events}: {self._words()}")
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(60)
        # A shell says 130 of a process that ended by this signal.
        require(status in (0, 130, -signal.SIGINT), f"follow ended with {status} after Ctrl-C: {self._words()}")
        return len(self.complaints)

    def end(self):
        self.process.kill()
        self.process.wait(30)
        for thread in self.threads:
            thread.join(30)
        self.process.stdout.close()
        self.process.stderr.close()
