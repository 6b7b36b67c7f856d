"""Failovers of three servers by a script that compares both standbys."""

import shutil
import signal
import time

from .catalogs import Ledger, agree, identity, joined, read_again
from .crowd import Crowd
from .follower import Follower
from .node import Node
from .promises import Broken, require, wait_until
from .trio import Trio


def started(run, name, count, settings=()):
    """Three servers, and folders that join a log which names all of them."""
    trio = run.adopt(Trio(run.folder, settings))
    trio.make()
    address = trio.address(name)
    return trio, address, joined(run.program, run.folder, address, count)


def failover(run):
    """The primary is killed while programs append."""
    rounds = 6 if run.long else 2
    trio, address, (*catalogs, watcher) = started(run, "failover", 4)
    follower = run.adopt(Follower(run.program, watcher))
    ledger = Ledger()
    moved = differences = 0
    for number in range(1, rounds + 1):
        crowd = run.crowd(Crowd(catalogs, ledger, 4, None, run.dice.getrandbits(30), label=f"edit {number}."))
        crowd.start()
        wait_until(lambda: crowd.made >= 4 or crowd.failure, 120, "programs append nothing")
        # Every other time one standby lacks what the other one confirmed.
        late = run.dice.choice(trio.standbys) if number % 2 == 0 else None
        if late:
            late.freeze()
        time.sleep(run.dice.uniform(0.3, 2))
        if late:
            before = crowd.made
            wait_until(lambda: crowd.made >= before + 2 or crowd.failure, 60, "one standby of two is not enough")
        old = trio.primary
        old.kill()
        if late:
            late.kill()
            late.start()
        places = trio.fail_over()
        differences += places[0] != places[1]
        before = crowd.made
        wait_until(lambda: crowd.made >= before + 4 or crowd.failure, 240, "programs append nothing after a failover")
        crowd.finish()
        moved += crowd.made
        count = ledger.compare(run.program, trio.address("failover", [trio.primary]), f"failover {number}")
        run.note(crowd)
        trio.renew(old)
        agree(run.program, catalogs, address, f"failover {number}")
    complaints = follower.finish(ledger.events)
    read_again(run, trio.primary, trio.address("failover", [trio.primary]), "failover")
    agree(run.program, [*catalogs, watcher], address, "failover")
    return (f"{rounds} primaries killed, 4 programs, {moved} edits acknowledged, 0 lost, {count} in the log once; the standbys "
            f"differed {differences} times; a program that followed met {complaints} silences; {len(catalogs) + 1} equal receipts")


def begin_edit(run, catalog, name):
    """Starts an edit and returns its process."""
    return run.program.start("tag", "add", identity(1), "--mood", name, "--wait", "60", "--format", "json", "--catalog",
                             str(catalog.folder))


# Functions that cut off the wait of a server process.
CUTS = ("pg_cancel_backend", "pg_terminate_backend")


def waiting(primary):
    """The server processes that wait for a standby."""
    return primary.sql("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'").split()


def cut(primary, function, crowd=None, seconds=90):
    """Cuts off all waits for a standby, by a function of PostgreSQL. Returns how many."""
    def found():
        if crowd and crowd.failure:
            raise crowd.failure
        if crowd and crowd.ahead:
            raise Broken(f"no failover has happened: {list(crowd.ahead.values())[0]}")
        return waiting(primary)
    pids = wait_until(found, seconds, "no append waits for a standby", 0.02)
    for pid in pids:
        primary.sql(f"SELECT {function}({pid})")
    return len(pids)


def refused(catalog, what):
    """Each command ends with status 3, and no byte of the folder is changed."""
    before = catalog.contents()
    for arguments in (["head"], ["check"], ["doctor"], ["items", "sfx"], ["follow", "--for", "0.2"],
                      ["tag", "add", identity(2), "--mood", "refused", "--wait", "2"]):
        done = catalog(*arguments)
        require(done.status == 3, f"{what}: {done}")
        after = catalog.contents()
        changed = sorted(name for name in before | after if before.get(name) != after.get(name))
        require(not changed, f"{what}: a file was changed: {', '.join(changed)}: {done}")


def appended(ledger, catalog, name):
    """An edit that must succeed."""
    require(ledger.note(name, done := catalog.add(name)) and done.status == 0, f"{name}: {done}")


ROWS = "SELECT max(last_seq) FROM log_batch"


def old_primary(run):
    """A primary that returns with a batch of its own, and a server that is set back to an earlier copy."""
    trio, address, (writer, catalog, reader) = started(run, "old", 3)
    ledger = Ledger()
    for number in range(3):
        appended(ledger, writer, f"edit before {number}")
    # A batch that the primary alone has.
    for node in trio.standbys:
        node.freeze()
    process = begin_edit(run, writer, "edit alone")
    cut(trio.primary, "pg_terminate_backend")
    alone = wait_until(lambda: int(trio.primary.sql(ROWS)), 10, "the log is empty")
    reader.must("follow", "--every", "0.1", "--for", "0.3")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    ledger.possible.add("edit alone")
    old = trio.primary
    old.kill()
    # What is on its way to a frozen standby is lost with its server.
    for node in trio.standbys:
        node.kill()
        node.start()
    require(all(int(node.sql(ROWS)) < alone for node in trio.standbys), "a standby has the batch of the primary alone")
    trio.fail_over()
    for number in range(2):
        appended(ledger, catalog, f"edit after {number}")
    require(int(trio.primary.sql(ROWS)) > alone, "the new primary has not passed the old one")
    refused(reader, "a folder that applied a batch which the failover lost")
    # The old primary runs again as it was, and it is the first one of the address.
    old.start()
    require(int(old.sql(ROWS)) == alone, "the old primary lost its batch")
    refused(catalog, "an old primary")
    require(int(old.sql(ROWS)) == alone, "a refused command wrote to the old primary")
    old.kill()
    trio.renew(old)
    ledger.compare(run.program, trio.address("old", [trio.primary]), "after the old primary")
    # The remedy that the refusal names.
    (reader.folder / "catalog.sqlite").rename(run.folder / "moved.sqlite")
    reader.must("rebuild")
    agree(run.program, [writer, catalog, reader], address, "after the old primary")
    trio.end()
    restored = set_back(run)
    return (f"event {alone} was on the old primary alone: a folder that applied events of the new one is refused by the old one, "
            f"and a folder that applied event {alone} by the new one; {restored}; status 3 each time, no row written, and the "
            "remedy works")


def set_back(run):
    """A server whose data is replaced by a copy of an earlier day."""
    server = run.adopt(Node("restored", run.folder / "restored"))
    server.make()
    server.start()
    address = f"postgresql://postgres@/postgres?host={server.folder}#restored"
    (run.folder / "two").mkdir()
    first, second = joined(run.program, run.folder / "two", address, 2)
    ledger = Ledger()
    appended(ledger, first, "edit of yesterday")
    server.stop()
    yesterday, today = server.folder / "yesterday", server.folder / "today"
    server.copy_data(yesterday)
    server.start()
    for number in range(2):
        appended(ledger, first, f"edit of today {number}")
    second.must("follow", "--every", "0.1", "--for", "0.3")
    server.stop()
    server.data.rename(today)
    yesterday.rename(server.data)
    server.start()
    end = int(server.sql(ROWS))
    for catalog in (first, second):
        refused(catalog, "a server that was set back")
    require(int(server.sql(ROWS)) == end, "a refused command wrote to a server that was set back")
    server.stop()
    shutil.rmtree(server.data)
    today.rename(server.data)
    server.start()
    ledger.compare(run.program, address, "after the restored server")
    agree(run.program, [first, second], address, "after the restored server")
    return "so is a server that was set back"


def frozen(run):
    """Waits for frozen standbys are cut off again and again, and a failover follows."""
    rounds = 5 if run.long else 2
    cuts = acknowledged = lost = 0
    trio, address, catalogs = started(run, "frozen", 2)
    ledger = Ledger()
    for number in range(1, rounds + 1):
        crowd = run.crowd(Crowd(catalogs, ledger, 4, None, run.dice.getrandbits(30), label=f"edit {number}.", may_lose=True))
        crowd.start()
        for _ in range(6 if run.long else 3):
            for node in trio.standbys:
                node.freeze()
            for _ in range(run.dice.randint(3, 10)):
                cuts += cut(trio.primary, run.dice.choice(CUTS), crowd)
                time.sleep(run.dice.uniform(0, 0.2))
            # One standby is enough for an acknowledgement.
            for node in trio.standbys if run.dice.random() < 0.5 else [run.dice.choice(trio.standbys)]:
                node.thaw()
            time.sleep(run.dice.uniform(0.1, 1))
            for node in trio.standbys:
                node.thaw()
        # One standby confirms more than the other one, and the primary has more than both.
        for node in run.dice.sample(trio.standbys, 2):
            node.freeze()
            time.sleep(run.dice.uniform(0, 1.5))
        for _ in range(run.dice.randint(2, 6)):
            cuts += cut(trio.primary, run.dice.choice(CUTS), crowd)
            for catalog in catalogs[:run.dice.randint(0, 2)]:
                catalog("items", "sfx")
        old = trio.primary
        old.kill()
        for node in trio.standbys:
            if run.dice.random() < 0.5:
                node.thaw()
            else:
                node.kill()
                node.start()
        trio.fail_over()
        time.sleep(2)
        crowd.finish()
        acknowledged += crowd.made
        run.note(crowd)
        trio.renew(old)
        count = ledger.compare(run.program, trio.address("frozen", [trio.primary]), f"frozen {number}")
        # A folder that applied what the failover lost is replaced.
        for index, catalog in enumerate(catalogs):
            if catalog in crowd.ahead:
                lost += 1
                refused(catalog, "a folder that applied a batch which the failover lost")
                catalogs[index] = catalog.again(run.folder / f"again-{number}-{index}", address)
        agree(run.program, catalogs, address, f"frozen {number}")
    return (f"{cuts} waits cut off, {rounds} failovers, {acknowledged} edits acknowledged, 0 lost, {count} in the log once; "
            f"{lost} folders had applied what a failover lost, status 3")
