"""Kills of the programs and of their one server."""

import time

from .catalogs import Ledger, agree, joined, read_again
from .crowd import Crowd
from .follower import Follower
from .node import Node
from .promises import require


def kills(run):
    """Eight writers on four folders, and a follower; programs and the server are killed at random moments."""
    edits = 50 if run.long else 6
    server = run.adopt(Node("server", run.folder / "server"))
    server.make()
    server.start()
    address = f"postgresql://postgres@/postgres?host={server.folder}#kills"
    *catalogs, watcher = joined(run.program, run.folder, address, 5)
    follower = run.adopt(Follower(run.program, watcher))
    ledger = Ledger()
    crowd = run.crowd(Crowd(catalogs, ledger, 8, edits, run.dice.getrandbits(30), deaths=0.15))
    crashes = 0
    crowd.start()
    while crowd.runs:
        time.sleep(run.dice.uniform(1, 5))
        if crowd.runs:
            server.kill()
            time.sleep(run.dice.choice([0, 0, 0.5]))
            server.start()
            crashes += 1
    crowd.finish()
    count = ledger.compare(run.program, address, "kills")
    complaints = follower.finish(ledger.events)
    agree(run.program, [*catalogs, watcher], address, "kills")
    read_again(run, server, address, "kills")
    require(server.sql("SELECT sum(count) = max(last_seq) FROM log_batch") == "t", "the rows have a gap or an overlap")
    run.note(crowd)
    return (f"8 programs, {8 * edits} edits, {crowd.kills} kills of clients, {crashes} of the server: each of "
            f"{len(ledger.acknowledged)} acknowledged edits is in the log once, {count} in all; "
            f"a program that followed met {complaints} silences; {len(catalogs) + 1} equal receipts")
