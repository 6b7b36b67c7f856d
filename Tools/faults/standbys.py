"""Standbys that are read while programs append, and one that is late."""

import threading

from .catalogs import Done, Ledger, agree
from .crowd import Crowd
from .failovers import appended, begin_edit, cut, started
from .promises import require, wait_until

LINKS = """
SELECT count(*), coalesce(sum(count), 0), coalesce(max(last_seq), 0), coalesce((array_agg(encode(chain, 'hex')
  ORDER BY first_seq DESC))[1], ''), coalesce(sum((before IS DISTINCT FROM prev_chain AND first_seq > 1)::int), 0),
  coalesce(sum((first_seq <> coalesce(ended, 0) + 1)::int), 0)
FROM (SELECT *, lag(chain) OVER (ORDER BY first_seq) AS before, lag(last_seq) OVER (ORDER BY first_seq) AS ended
  FROM log_batch) AS linked
"""


class Watch:
    """Reads a standby again and again, by SQL and by the program."""

    def __init__(self, run, node, address):
        self.run, self.node, self.address = run, node, address
        self.heads, self.reads, self.checks = {}, 0, 0
        self.enough = threading.Event()
        self.failure = None
        self.threads = [threading.Thread(target=self._watch, args=(read,), daemon=True) for read in (self.by_sql, self.by_check)]
        for thread in self.threads:
            thread.start()

    def _watch(self, read):
        last = 0
        try:
            while not self.enough.is_set():
                sequence, chain = read()
                require(sequence >= last, f"{self.node.name} showed event {last}, and then {sequence} at its end")
                known = self.heads.setdefault(sequence, chain)
                require(known == chain, f"{self.node.name} has two chains at event {sequence}")
                last = sequence
        except BaseException as failure:
            self.failure = failure

    def by_sql(self):
        _, events, last, chain, links, gaps = self.node.sql(LINKS).split("|")
        require(links == gaps == "0" and events == last, f"{self.node.name} shows {gaps} gaps and {links} wrong links")
        self.reads += 1
        return int(last), chain

    def by_check(self):
        done = self.run.program.must("check", "--format", "json", "--events", self.address)
        require(done.json["whole"] and not done.json["damage"], f"{self.node.name}: {done}")
        self.checks += 1
        return done.json["sequence"], done.json["chain"]

    def end(self):
        self.enough.set()
        for thread in self.threads:
            thread.join(60)


def prefix(run):
    """Both standbys show a beginning of the chain at all times."""
    trio, _, catalogs = started(run, "prefix", 3)
    ledger = Ledger()
    watches = [run.adopt(Watch(run, node, trio.address("prefix", [node]))) for node in trio.standbys]
    *writers, follower = catalogs
    own = trio.address("prefix", [trio.primary])
    for catalog in writers:
        catalog.ask(own)
    follower.ask(watches[0].address)
    crowd = run.crowd(Crowd(writers, ledger, 4, 40 if run.long else 6, run.dice.getrandbits(30))).start()
    while crowd.runs:
        follower.must("follow", "--every", "0.1", "--for", "1")
        for watch in watches:
            if watch.failure:
                raise watch.failure
    crowd.finish()
    for watch in watches:
        watch.end()
        if watch.failure:
            raise watch.failure
    ledger.compare(run.program, own, "prefix")
    rows = trio.primary.sql("SELECT last_seq, encode(chain, 'hex') FROM log_batch")
    chain = dict(line.split("|") for line in rows.splitlines())
    for watch in watches:
        for sequence, known in watch.heads.items():
            require(chain.get(str(sequence)) == known, f"{watch.node.name} showed a head at {sequence} that the primary never had")
    end = int(trio.primary.sql("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn"))
    wait_until(lambda: all(node.position()[1] >= end for node in trio.standbys), 30, "a standby does not replay to the end")
    agree(run.program, catalogs, own, "prefix")
    for watch in watches:
        run.program.must("check", "--events", watch.address)
    return (f"{crowd.made} edits; both standbys read {sum(watch.reads for watch in watches)} times by SQL and "
            f"{sum(watch.checks for watch in watches)} times by check: each time a beginning of the chain, no gap")


def late(run):
    """A standby that replays late is the first server of the address: no event is called lost, and no writer starves."""
    trio, _, (catalog, other) = started(run, "late", 2)
    first = trio.standbys[0]
    address = trio.address("late", [first, trio.primary, trio.standbys[1]])
    for folder in (catalog, other):
        folder.ask(address)
    ledger = Ledger()
    appended(ledger, catalog, "edit 1")
    first.sql("SELECT pg_wal_replay_pause()")
    wait_until(lambda: first.sql("SELECT pg_get_wal_replay_pause_state()") == "paused", 30, "replay does not pause")
    try:
        appended(ledger, catalog, "edit 2")
        for arguments in (["head"], ["items", "sfx"], ["follow", "--for", "0.2"], ["check"], ["doctor"], ["receipt"]):
            done = catalog(*arguments)
            require(done.status != 3, f"nothing is lost, and a standby is late: {done}")
        done = other.add("edit 3", wait=10)
        require(ledger.note("edit 3", done) and done.status == 0, f"a standby is late, and the primary answers: {done}")
    finally:
        first.sql("SELECT pg_wal_replay_resume()")
    ledger.compare(run.program, trio.address("late", [trio.primary]), "late")
    agree(run.program, [catalog, other], trio.address("late", [trio.primary]), "late")
    return "a standby that replays late is the first server of an address: nothing is called lost, and a writer appends"


def stalled(run):
    """While an append waits for a standby, its folder can be read and followed, and another program waits to append."""
    trio, _, (catalog, _) = started(run, "stalled", 2)
    ledger = Ledger()
    appended(ledger, catalog, "edit 1")
    for node in trio.standbys:
        node.freeze()
    first = begin_edit(run, catalog, "edit 2")
    cut(trio.primary, "pg_cancel_backend")
    second = begin_edit(run, catalog, "edit 3")
    try:
        for arguments in (["head"], ["check"], ["items", "sfx"], ["follow", "--for", "0.5"]):
            done = catalog(*arguments)
            require(done.status == 0, f"an append waits for a standby: {done}")
    finally:
        for node in trio.standbys:
            node.thaw()
        ends = [(name, process, *process.communicate(timeout=150)) for name, process in (("edit 2", first), ("edit 3", second))]
    for name, process, output, errors in ends:
        done = Done(("tag", "add", name), process.returncode, output, errors, 0)
        require(ledger.note(name, done), f"the standbys answer again: {done}")
    ledger.compare(run.program, trio.address("stalled", [trio.primary]), "stalled")
    return "an append waits for a standby: its folder is read and followed, and another program waits and appends"
