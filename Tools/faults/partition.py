"""A primary that is cut off from its standbys, in network namespaces."""

import os
import shutil
import subprocess
import time

from .catalogs import Ledger, agree, joined
from .crowd import Crowd
from .node import Node
from .promises import Skipped, require, wait_until
from .trio import NAMES, Trio, waits_for

PAIRS = ((1, 2), (1, 3), (2, 3))


def ip(*arguments):
    return subprocess.run(["ip", *arguments], capture_output=True, text=True)


class Network:
    """A namespace for each node, and a cable between each two of them. Nothing leads out of it."""

    def __init__(self):
        self.names = {number: f"faults{os.getpid()}-{number}" for number in (1, 2, 3)}
        self.made = []

    def make(self):
        for name in self.names.values():
            self._do("netns", "add", name)
            self.made.append(name)
            self._do("-n", name, "link", "set", "lo", "up")
        for one, other in PAIRS:
            self._do("-n", self.names[one], "link", "add", f"to{other}", "type", "veth", "peer", "name", f"to{one}", "netns",
                     self.names[other])
            for here, there in ((one, other), (other, one)):
                self._do("-n", self.names[here], "addr", "add", f"{self.address(here, there)}/24", "dev", f"to{there}")
                self._do("-n", self.names[here], "link", "set", f"to{there}", "up")

    def _do(self, *arguments):
        done = ip(*arguments)
        if done.returncode != 0:
            raise Skipped(f"`ip {' '.join(arguments)}`: {done.stderr.strip()}")

    @staticmethod
    def address(here, there):
        """The address of a node for another one."""
        return f"10.77.{min(here, there) * 10 + max(here, there)}.{here}"

    def cut(self, number, is_up=False):
        """Takes the cables of a node down: packets are lost, and no connection is closed."""
        for other in (1, 2, 3):
            if other != number:
                self._do("-n", self.names[number], "link", "set", f"to{other}", "up" if is_up else "down")

    def heal(self, number):
        self.cut(number, is_up=True)

    def end(self):
        for name in self.made:
            ip("netns", "delete", name)


class Networked(Trio):
    """Three servers that reach each other by the network alone. Programs use the sockets."""

    def __init__(self, folder, network):
        nodes = [Node(name, folder / name, {
            "synchronous_standby_names": waits_for(name), "listen_addresses": "*", "wal_sender_timeout": "3s",
            "wal_receiver_timeout": "3s"}, before=["ip", "netns", "exec", network.names[int(name[1])]]) for name in NAMES]
        super().__init__(folder, nodes=nodes)
        self.network = network

    def make(self):
        self.primary.make()
        with open(self.primary.data / "pg_hba.conf", "a") as file:
            file.write("host replication postgres 10.77.0.0/16 trust\n")
        self.primary.start()
        for node in self.standbys:
            # The copy is made over the socket, and the standby then asks over the network.
            node.copy(self.primary)
            node.start()
            self.follow(node)
        self.await_standbys()

    def follow(self, node):
        here, there = int(self.primary.name[1]), int(node.name[1])
        node.sql("ALTER SYSTEM SET primary_conninfo = 'user=postgres connect_timeout=2 "
                 f"host={self.network.address(here, there)}'")
        node.sql("SELECT pg_reload_conf()")
        wait_until(lambda: self.receives_from(node, self.network.address(here, there)), 60,
                   f"{node.name} does not follow {self.primary.name}")

    @staticmethod
    def receives_from(node, host):
        return node.sql("SELECT count(*) FROM pg_stat_wal_receiver WHERE status = 'streaming' "
                        f"AND sender_host = '{host}'") == "1"

    def renew(self, node):
        shutil.rmtree(node.data)
        node.copy(self.primary)
        node.start()
        self.follow(node)
        self.await_standbys()


def partition(run):
    """While no standby can be reached, nothing is acknowledged; after that, nothing is lost."""
    if os.geteuid() != 0:
        raise Skipped("only root makes network namespaces")
    if not shutil.which("ip"):
        raise Skipped("there is no ip; on Debian: apt-get install iproute2")
    network = run.adopt(Network())
    network.make()
    trio = run.adopt(Networked(run.folder, network))
    trio.make()
    address = trio.address("partition")
    catalogs = joined(run.program, run.folder, address, 2)
    ledger = Ledger()
    rounds = 6 if run.long else 2
    made = healed = failed_over = unknown = 0
    for number in range(1, rounds + 1):
        crowd = run.crowd(Crowd(catalogs, ledger, 3, None, run.dice.getrandbits(30), label=f"edit {number}.", may_lose=True))
        crowd.start()
        wait_until(lambda: crowd.made >= 3 or crowd.failure, 120, "programs append nothing")
        cut_off = trio.primary
        network.cut(int(cut_off.name[1]))
        # What was confirmed before the cut is still on its way through the programs.
        time.sleep(4)
        known, before = crowd.made, set(ledger.acknowledged)
        time.sleep(45 if run.long or number == 1 else 8)
        new = set(ledger.acknowledged) - before
        require(crowd.made == known, f"a primary without a standby acknowledged {', '.join(sorted(new))}")
        if number % 2:
            network.heal(int(cut_off.name[1]))
            trio.await_standbys(2, 90)
            healed += 1
        else:
            # The old primary runs, and programs reach it, while another node is promoted.
            trio.fail_over()
            time.sleep(3)
            cut_off.kill()
            network.heal(int(cut_off.name[1]))
            failed_over += 1
        wait_until(lambda: crowd.made > known or crowd.failure or len(crowd.ahead) == len(catalogs), 200,
                   "programs append nothing after the partition")
        crowd.finish()
        made += crowd.made
        unknown += crowd.refusals
        run.note(crowd)
        if not cut_off.runs:
            trio.renew(cut_off)
        count = ledger.compare(run.program, trio.address("partition", [trio.primary]), f"partition {number}")
        for index, catalog in enumerate(catalogs):
            if catalog in crowd.ahead:
                require(number % 2 == 0, f"partition {number}: a healed partition lost what {catalog.folder} applied: "
                                         f"{crowd.ahead[catalog]}")
                catalogs[index] = catalog.again(run.folder / f"again-{number}-{index}", address)
        agree(run.program, catalogs, address, f"partition {number}")
    return (f"{healed} partitions healed and {failed_over} failed over, no acknowledgement meanwhile; {made} edits acknowledged, "
            f"0 lost, {count} in the log once, {unknown} refusals")

