"""A primary and two standbys, one of which confirms each commit, and a failover by a script."""

import shutil

from .node import Node
from .promises import require, wait_until

NAMES = ("n1", "n2", "n3")


def waits_for(name):
    """The setting by which a node, as the primary, waits for one of the two others."""
    return "ANY 1 (" + ", ".join(other for other in NAMES if other != name) + ")"


class Trio:
    # Options of libpq at the end of addresses with several servers.
    options = ""

    def __init__(self, folder, settings=(), nodes=None):
        """nodes: three nodes that a scenario made itself, with other folders or in namespaces."""
        self.folder = folder
        self.nodes = nodes or [
            Node(name, folder / name, {"synchronous_standby_names": waits_for(name), **dict(settings)})
            for name in NAMES]
        self.primary = self.nodes[0]

    def make(self):
        """Makes and starts the three servers."""
        self.primary.make()
        self.primary.start()
        for node in self.standbys:
            node.copy(self.primary)
            node.start()
        self.await_standbys()

    @property
    def standbys(self):
        return [node for node in self.nodes if node is not self.primary]

    def await_standbys(self, count=2, seconds=60):
        """Waits until so many standbys receive what the primary writes."""
        wait_until(
            lambda: int(self.primary.sql("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")) >= count,
            seconds, f"{self.primary.name} has not {count} standbys")

    def address(self, name, nodes=None):
        """The address of a log on all nodes, or on some."""
        hosts = [str(node.folder) for node in nodes or self.nodes]
        options = self.options if len(hosts) > 1 else ""
        return f"postgresql://postgres@/postgres?host={','.join(hosts)}{options}#{name}"

    def end(self):
        for node in self.nodes:
            node.end()

    # MARK: Failover

    def settled(self, standbys):
        """How far each standby is, after it stopped receiving and replayed everything."""
        wait_until(lambda: not any(node.receives for node in standbys), 90, "a standby still receives")

        def places():
            known = [node.position() for node in standbys]
            same = known == [node.position() for node in standbys]
            return same and all(replayed >= received for received, replayed in known) and known
        return [max(place) for place in wait_until(places, 60, "the standbys do not replay to the end", 0.3)]

    def fail_over(self):
        """Promotes the standby that has more, and lets the other one follow it. Returns both places.

        The old primary must not run, and both standbys must. With the places of both, the longer log has each batch that
        one of them confirmed.
        """
        standbys = self.standbys
        require(len(standbys) == 2, "a failover compares two standbys")
        places = self.settled(standbys)
        new, other = standbys if places[0] >= places[1] else reversed(standbys)
        require(new.sql("SELECT pg_promote(true, 60)", 90) == "t", f"{new.name} is not promoted")
        self.primary = new
        self.follow(other)
        self.await_standbys(1)
        return places

    def follow(self, node):
        """Points a standby at the primary."""
        node.sql(f"ALTER SYSTEM SET primary_conninfo = 'user=postgres host={self.primary.folder}'")
        node.sql("SELECT pg_reload_conf()")

    def renew(self, node):
        """Makes a node that does not run a standby of the primary, from a new base backup."""
        shutil.rmtree(node.data)
        node.copy(self.primary)
        node.start()
        self.await_standbys()
