"""Three nodes that Patroni keeps, in its strict synchronous mode, with one etcd."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

from . import processes
from .catalogs import Ledger, agree, joined
from .crowd import Crowd
from .node import as_owner, programs
from .promises import Skipped, require, wait_until


def free_ports(count):
    """Ports of the loopback device that no process listens on."""
    opened = [socket.socket() for _ in range(count)]
    try:
        for one in opened:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in opened]
    finally:
        for one in opened:
            one.close()


class Agent:
    """A process of Patroni, and the server that it starts."""

    def __init__(self, name, folder, port, rest, etcd):
        self.name, self.folder, self.port, self.rest = name, folder, port, rest
        self.process = None
        folder.mkdir()
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        authentication = {"superuser": {"username": "postgres"}, "replication": {"username": "postgres"}}
        # A document of JSON is one of YAML, too.
        (folder / "patroni.yml").write_text(json.dumps({
            "scope": "faults", "name": name, "restapi": {"listen": f"127.0.0.1:{rest}"},
            "etcd3": {"hosts": f"127.0.0.1:{etcd}"},
            "bootstrap": {
                "dcs": {
                    "ttl": 20, "loop_wait": 1, "retry_timeout": 3, "maximum_lag_on_failover": 0, "primary_start_timeout": 0,
                    "synchronous_mode": True, "synchronous_mode_strict": True,
                    "postgresql": {"use_pg_rewind": True, "parameters": {"shared_buffers": "16MB", "max_connections": 60}}},
                "initdb": ["data-checksums", {"encoding": "UTF8"}, {"locale": "C"}, {"auth": "trust"}, {"username": "postgres"}],
                "pg_hba": ["local all all trust", "host all all 127.0.0.1/32 trust",
                           "host replication all 127.0.0.1/32 trust"]},
            "postgresql": {
                "listen": f"127.0.0.1:{port}", "data_dir": str(folder / "data"), "bin_dir": programs(),
                "pgpass": str(folder / "pgpass"), "authentication": authentication,
                "parameters": {"unix_socket_directories": str(folder)}}}))

    def start(self):
        require(self.process is None, f"{self.name} runs already")
        with open(self.folder / "patroni.log", "ab") as log:
            self.process = subprocess.Popen(
                [*as_owner(), shutil.which("patroni"), str(self.folder / "patroni.yml")], stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, cwd=self.folder)

    def ask(self):
        """What Patroni says of the node; nothing if it does not answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.rest}/patroni", timeout=5) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return json.load(error)
        except (OSError, ValueError):
            return {}

    def postmaster(self):
        """The server's first process, from the file that it writes; None if it does not run."""
        try:
            pid = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        except (OSError, ValueError, IndexError):
            return None
        # The id may be that of a different process by now.
        return pid if str(self.folder / "data") in processes.command(pid) else None

    def kill(self):
        """Kills Patroni and the server, as if the machine were lost."""
        if self.process:
            processes.send(self.process.pid, signal.SIGSTOP)
        pid = self.postmaster()
        if pid:
            processes.kill_with_children(pid)
        if self.process:
            processes.kill_with_children(self.process.pid)
            self.process.wait(30)
            self.process = None

    end = kill


class Etcd:
    def __init__(self, folder, port, peer):
        self.process = None
        self.port = port
        self.log = open(folder / "etcd.log", "ab")
        here, there = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{peer}"
        self.process = subprocess.Popen(
            ["etcd", "--name", "e", "--data-dir", str(folder / "etcd"), "--listen-client-urls", here, "--advertise-client-urls",
             here, "--listen-peer-urls", there, "--initial-advertise-peer-urls", there, "--initial-cluster", f"e={there}"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)

    def end(self):
        self.process.kill()
        self.process.wait(30)
        self.log.close()


def patroni(run):
    """Patroni promotes its synchronous standby after the loss of a primary."""
    for name in ("patroni", "etcd"):
        if not shutil.which(name):
            raise Skipped(f"{name} is not installed; on Debian: apt-get install patroni etcd-server")
    programs()
    port, peer, *ports = free_ports(8)
    run.adopt(Etcd(run.folder, port, peer))
    agents = [run.adopt(Agent(f"n{number + 1}", run.folder / f"n{number + 1}", ports[number], ports[number + 3], port))
              for number in range(3)]

    def leader():
        found = [agent for agent in agents if agent.process and agent.ask().get("role") in ("master", "primary")
                 and agent.ask().get("state") == "running"]
        return found[0] if len(found) == 1 else None

    def is_whole():
        known = leader()
        followers = known and known.ask().get("replication", [])
        states = [follower.get("sync_state") for follower in followers or []]
        return len(states) == 2 and "sync" in states

    agents[0].start()
    wait_until(leader, 90, "Patroni makes no primary", 0.5)
    for agent in agents[1:]:
        agent.start()
    wait_until(is_whole, 120, "Patroni has no synchronous standby", 0.5)
    hosts = ",".join("127.0.0.1" for _ in agents)
    address = (f"postgresql://postgres@/postgres?host={hosts}&port={','.join(str(agent.port) for agent in agents)}"
               f"{run.options}#patroni")
    catalogs = joined(run.program, run.folder, address, 3)
    ledger = Ledger()
    rounds = 4 if run.long else 1
    made, longest = 0, 0.0
    for number in range(1, rounds + 1):
        crowd = run.crowd(Crowd(catalogs, ledger, 4, None, run.dice.getrandbits(30), label=f"edit {number}.")).start()
        wait_until(lambda: crowd.made >= 4 or crowd.failure, 120, "programs append nothing")
        time.sleep(run.dice.uniform(0.3, 2))
        old = leader()
        old.kill()
        began = time.monotonic()
        before = crowd.made
        wait_until(lambda: crowd.made >= before + 4 or crowd.failure, 200, "programs append nothing after Patroni's failover")
        longest = max(longest, time.monotonic() - began)
        crowd.finish()
        made += crowd.made
        run.note(crowd)
        old.start()
        wait_until(is_whole, 180, f"{old.name} does not follow the new primary", 0.5)
        new = leader()
        own = f"postgresql://postgres@127.0.0.1:{new.port}/postgres#patroni"
        count = ledger.compare(run.program, own, f"patroni {number}")
        agree(run.program, catalogs, address, f"patroni {number}")
    return (f"{rounds} primaries killed with their Patroni, writing resumed within {longest:.0f} s; {made} edits acknowledged, 0 lost, "
            f"{count} in the log once; 3 equal receipts")
