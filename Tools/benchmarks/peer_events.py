"""Appends and reads events with the `eventsourcing` library on SQLite; prints rates as JSON (run by peers.py).

usage: peer_events.py LINES DATABASE

LINES has one event a line; the line is the state that is stored. The recorder of applications is used
itself, without aggregates and mappers above it; its database is in WAL mode, as the library sets it, with
SQLite's default for that mode: `synchronous` is FULL, so that every commit is durable.
"""

import importlib.metadata
import json
import sys
import time
import uuid

from eventsourcing.persistence import StoredEvent
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteDatastore

SINGLES = 3_000


def main():
    lines_path, database = sys.argv[1:]
    with open(lines_path, "rb") as file:
        lines = file.read().splitlines()
    recorder = SQLiteApplicationRecorder(SQLiteDatastore(database))
    recorder.create_table()

    def stored(first, last):
        return [StoredEvent(uuid.uuid4(), 1, "line", line) for line in lines[first:last]]

    start = time.perf_counter()
    for number in range(min(SINGLES, len(lines))):
        recorder.insert_events(stored(number, number + 1))
    single = min(SINGLES, len(lines)) / (time.perf_counter() - start)

    start = time.perf_counter()
    for number in range(0, len(lines), 100):
        recorder.insert_events(stored(number, number + 100))
    hundred = len(lines) / (time.perf_counter() - start)

    start = time.perf_counter()
    count, last = 0, 0
    while found := recorder.select_notifications(last, 1_000, inclusive_of_start=False):
        for notification in found:
            json.loads(notification.state)
            count += 1
        last = found[-1].id
    read = count / (time.perf_counter() - start)
    print(json.dumps({"version": importlib.metadata.version("eventsourcing"),
                      "settings": "SQLite in WAL mode, synchronous FULL", "single": single,
                      "hundred": hundred, "read": read}))


if __name__ == "__main__":
    main()
