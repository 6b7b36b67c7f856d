"""A PostgreSQL server that a scenario starts, kills, freezes and copies."""

import glob
import os
import pwd
import shutil
import signal
import subprocess

from . import processes
from .promises import Skipped, require, wait_until

LOCAL = "-c synchronous_commit=local -c client_min_messages=error"


def programs():
    """The folder of the server's programs.

    Raises Skipped if there is none, or if this process can start no server.
    """
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=lambda path: int(path.split("/")[4]))
    initdb = found[-1] if found else shutil.which("initdb")
    if not initdb:
        raise Skipped("PostgreSQL's server is not installed")
    if os.geteuid() == 0:
        try:
            pwd.getpwnam("postgres")
        except KeyError:
            raise Skipped("a server refuses to run as root, and there is no user postgres") from None
    return os.path.dirname(os.path.realpath(initdb))


def as_owner():
    """The words before a command that root runs as the user postgres."""
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []


class Node:
    """A server: its data, its socket and what it prints are in one folder."""

    def __init__(self, name, folder, settings=(), before=()):
        """
        settings: pairs of a setting of the server and its value.
        before:   words before the command of the server, such as those that enter a network namespace.
        """
        self.name, self.folder = name, folder
        self.data = folder / "data"
        self.settings = dict(settings)
        self.before = list(before)
        self.bin = programs()
        self.process = None
        folder.mkdir(exist_ok=True)
        self.own(folder)

    def own(self, path):
        if os.geteuid() == 0:
            shutil.chown(path, "postgres", "postgres")

    def run(self, program, *arguments, timeout=120, environment=None):
        done = subprocess.run(
            [*as_owner(), f"{self.bin}/{program}", *arguments], cwd=self.folder, capture_output=True, text=True,
            timeout=timeout, env=os.environ | (environment or {}))
        require(done.returncode == 0, f"{program} on {self.name} ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def make(self):
        """Makes the data of a new server."""
        self.run("initdb", "-D", str(self.data), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C",
                 "--data-checksums")

    def copy(self, primary, *options):
        """Makes the data of a standby by a base backup of a running primary."""
        self.run("pg_basebackup", "-D", str(self.data), "-R", "-X", "stream", "-c", "fast", "-U", "postgres",
                 *(options or ("-h", str(primary.folder))))

    def copy_data(self, target):
        """Copies the data of a server that does not run, with its owner."""
        done = subprocess.run(["cp", "-a", str(self.data), str(target)], capture_output=True, text=True)
        require(done.returncode == 0, done.stderr)

    # MARK: Running

    def start(self, seconds=60):
        """Starts the server and waits until it answers."""
        self.launch()
        wait_until(self.answers, seconds, f"{self.name} does not answer: {self.printed()}")

    def launch(self):
        require(self.process is None, f"{self.name} runs already")
        settings = {"listen_addresses": "", "shared_buffers": "16MB", "max_connections": "100",
                    "cluster_name": self.name, "wal_keep_size": "256MB", "wal_retrieve_retry_interval": "200ms",
                    "max_wal_senders": "10", **self.settings}
        with open(self.folder / "server.log", "ab") as log:
            self.own(self.folder / "server.log")
            self.process = subprocess.Popen(
                [*self.before, *as_owner(), f"{self.bin}/postgres", "-D", str(self.data), "-k", str(self.folder),
                 *[word for name, value in settings.items() for word in ("-c", f"{name}={value}")]],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder)

    def answers(self):
        require(self.process.poll() is None, f"{self.name} ended with {self.process.returncode}: {self.printed()}")
        return subprocess.run([f"{self.bin}/pg_isready", "-q", "-h", str(self.folder)], timeout=30).returncode == 0

    def printed(self):
        """The last lines that the server printed."""
        text = (self.folder / "server.log").read_text(errors="replace")
        return "\n".join(text.splitlines()[-8:])

    @property
    def runs(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        """Kills all processes of the server with SIGKILL."""
        if self.process:
            processes.kill_with_children(self.process.pid)
            self.process.wait(30)
            self.process = None

    def stop(self):
        """Stops the server in order."""
        if self.process:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(60)
            self.process = None

    def end(self):
        """Ends the server in any state, for cleaning up."""
        self.kill()

    # MARK: Asking

    def sql(self, text, seconds=30):
        """The answer to a statement. A change by it waits for no standby."""
        done = subprocess.run(
            [f"{self.bin}/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", str(self.folder), "-U",
             "postgres", "-d", "postgres", "-c", text], capture_output=True, text=True, timeout=seconds,
            env=os.environ | {"PGOPTIONS": LOCAL, "PGCONNECT_TIMEOUT": "10"})
        require(done.returncode == 0, f"{self.name} refuses {text}: {done.stderr}")
        return done.stdout.strip()

    def position(self):
        """The places up to which a standby received and replayed, as numbers of bytes."""
        received, replayed = self.sql(
            "SELECT coalesce(pg_last_wal_receive_lsn() - '0/0'::pg_lsn, 0), "
            "coalesce(pg_last_wal_replay_lsn() - '0/0'::pg_lsn, 0)").split("|")
        return int(received), int(replayed)

    @property
    def receives(self):
        return self.sql("SELECT count(*) FROM pg_stat_wal_receiver WHERE status = 'streaming'") == "1"

    # MARK: Faults

    def receiver(self):
        """The process that receives the primary's log; None if there is none."""
        for pid in processes.children(self.process.pid):
            if "walreceiver" in processes.command(pid):
                return pid
        return None

    def freeze(self):
        """Stops the process that receives, so that the standby confirms nothing."""
        pid = wait_until(self.receiver, 30, f"{self.name} has no process that receives")
        processes.send(pid, signal.SIGSTOP)
        wait_until(lambda: (processes.state(pid) or "T")[0] == "T", 10, f"{self.name} does not freeze", 0.005)

    def thaw(self):
        pid = self.receiver()
        if pid:
            processes.send(pid, signal.SIGCONT)
