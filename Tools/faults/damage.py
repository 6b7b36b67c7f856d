"""Rows that are changed or removed, and a bit that is lost on a disk."""

import time

from .catalogs import Ledger
from .failovers import appended, started
from .promises import require, wait_until

WITHOUT_KEYS = "SET session_replication_role = replica; "


def finds(run, address, sequence, what):
    """The check must end with 3 and name the event."""
    done = run.program.run("check", "--events", address)
    require(done.status == 3, f"{what}: {done}")
    run.say(f"{what[:90]}: {' / '.join((done.output + done.errors).strip().splitlines())[:500]}")
    words = f"event {sequence:,}"
    require(words in done.output + done.errors, f"{what}: {words} is not named: {done}\n{done.output}")
    return done


def bit(run):
    """check names the event of each row that is not what was written."""
    trio, address, (catalog, reader) = started(run, "bit", 2)
    ledger = Ledger()
    for number in range(8):
        appended(ledger, catalog, f"edit {number}")
    primary, standby = trio.primary, trio.standbys[0]
    alone = trio.address("bit", [primary])
    run.program.must("check", "--events", alone)
    changes = by_sql(run, primary, alone)
    run.program.must("check", "--events", alone)
    on_disk(run, trio, primary, standby)
    ledger.compare(run.program, alone, "bit")
    return f"{changes} changes by SQL and a bit on a standby's disk: check names the event each time, and what the server says"


def by_sql(run, primary, address):
    """Changes rows by SQL, one after the other, and changes them back. Returns how many were changed."""
    rows = [int(row) for row in primary.sql("SELECT first_seq FROM log_batch ORDER BY first_seq").split()]
    primary.sql("CREATE TABLE kept AS SELECT * FROM log_batch")
    last = rows[-1]
    length = int(primary.sql(f"SELECT length(frame) FROM log_batch WHERE first_seq = {rows[4]}"))
    changes = [(rows[4], f"UPDATE log_batch SET frame = set_bit(frame, {bit}, 1 - get_bit(frame, {bit})) WHERE first_seq = {rows[4]}")
               for bit in run.dice.sample(range(length * 8), 60 if run.long else 8)]
    changes += [
        (rows[3], f"UPDATE log_batch SET chain = set_byte(chain, 3, 255 - get_byte(chain, 3)) WHERE first_seq = {rows[3]}"),
        (rows[3], f"UPDATE log_batch SET prev_chain = set_byte(prev_chain, 0, 255 - get_byte(prev_chain, 0)) WHERE first_seq = {rows[3]}"),
        (rows[5], f"UPDATE log_batch SET frame = substring(frame FOR 40) WHERE first_seq = {rows[5]}"),
        (rows[5], f"UPDATE log_batch SET frame = (SELECT frame FROM kept WHERE first_seq = {rows[4]}) WHERE first_seq = {rows[5]}"),
        (rows[5], f"DELETE FROM log_batch WHERE first_seq = {rows[5]}"),
        (rows[0], f"DELETE FROM log_batch WHERE first_seq = {rows[0]}"),
        (last, f"UPDATE log_batch SET chain = set_byte(chain, 31, 255 - get_byte(chain, 31)) WHERE first_seq = {last}"),
    ]
    for sequence, change in changes:
        primary.sql(WITHOUT_KEYS + change)
        finds(run, address, sequence, change)
        primary.sql(WITHOUT_KEYS + "DELETE FROM log_batch; INSERT INTO log_batch SELECT * FROM kept")
    return len(changes)


def on_disk(run, trio, primary, standby):
    """Changes a bit of a row in the file of a standby's table."""
    address = trio.address("bit", [standby])
    sequence, frame = primary.sql(
        "SELECT first_seq, encode(frame, 'hex') FROM log_batch WHERE length(frame) < 1000 ORDER BY first_seq DESC LIMIT 1").split("|")
    path = primary.sql("SELECT pg_relation_filepath('log_batch')")
    primary.sql("VACUUM log_batch")
    primary.sql("CHECKPOINT")
    end = int(primary.sql("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn"))
    wait_until(lambda: standby.position()[1] >= end, 30, "the standby does not replay")
    time.sleep(0.2)
    standby.sql("CHECKPOINT")
    standby.stop()
    data = bytearray((standby.data / path).read_bytes())
    row = bytes.fromhex(frame)
    # A frame that was deleted before may be in the file, too: the last one is not yet removed.
    places = [place for place in range(len(data)) if data.startswith(row, place)]
    require(places, f"the row of event {sequence} is not in the file {path}")
    for place in places:
        data[place + len(row) // 2] ^= 1 << run.dice.randint(0, 7)
    (standby.data / path).write_bytes(data)
    standby.start()
    done = run.program.run("check", "--events", address)
    require(done.status in (1, 3) and "invalid page in block" in done.errors + done.output, f"a bit on the disk: {done}\n{done.output}")
    run.say(f"a bit on the disk: {done}")
    standby.stop()
    # Without the server's own checksum, the row's is left.
    standby.settings["ignore_checksum_failure"] = "on"
    standby.start()
    finds(run, address, int(sequence), "a bit on the disk of a server without checksums")
    run.program.must("check", "--events", trio.address("bit", [primary]))
