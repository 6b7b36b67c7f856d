#!/usr/bin/env python3
"""Captures a database while another process changes it: capturing.py PROGRAM FOLDER JOURNAL_MODE TRANSACTIONS SIGNAL

Each transaction moves an amount from one row to another one, so that their sum is constant. Reads the log's events by its own rules and
checks that each batch keeps the sum, and that the last state is the database's.
"""
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

WRITER = """
import random, sqlite3, sys, time
path, mode, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
chance = random.Random(7)
database = sqlite3.connect(path, isolation_level=None, timeout=60)
database.execute("PRAGMA journal_mode = " + mode)
for number in range(1, count + 1):
    amount = chance.randrange(1, 50)
    database.execute("BEGIN IMMEDIATE")
    database.execute("UPDATE account SET amount = amount - ?, number = ? WHERE id = 1", (amount, number))
    time.sleep(chance.choice([0, 0, 0.002]))
    database.execute("UPDATE account SET amount = amount + ?, number = ? WHERE id = 2", (amount, number))
    database.execute("COMMIT")
    time.sleep(chance.choice([0, 0, 0, 0.03]))
database.close()
"""


def run(*words):
    done = subprocess.run([program, *words, "--catalog", catalog], capture_output=True, text=True)
    assert done.returncode == 0, (words, done)
    return done.stdout


def events():
    return [json.loads(line) for line in run("log", "--format", "json").splitlines()]


def states():
    """The rows after each batch."""
    rows, result, operation = {}, [], None
    for event in events():
        if event["type"] != "rows.put":
            continue
        data = event["data"]
        if operation is not None and event["op"] != operation:
            result.append(dict(rows))
        operation = event["op"]
        for cells in data["rows"]:
            row = rows.setdefault(cells[0], {})
            row.update(zip(data["columns"], cells))
        assert not data["gone"], data
    return result + [dict(rows)]


program, folder, mode, count, ending = sys.argv[1:]
path, catalog = os.path.join(folder, "live.sqlite"), os.path.join(folder, "catalog")
database = sqlite3.connect(path)
database.executescript(
    "CREATE TABLE account (id INTEGER PRIMARY KEY, amount INTEGER, number INTEGER);"
    "INSERT INTO account VALUES (1, 0, 0), (2, 0, 0)")
database.close()
run("adopt", path)
capture = subprocess.Popen(
    [program, "capture", path, "--watch", "--by", "night", "--catalog", catalog],
    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
writer = subprocess.run([sys.executable, "-c", WRITER, path, mode, count])
assert writer.returncode == 0
deadline = time.monotonic() + 240
while states()[-1][1]["number"] != int(count):
    assert capture.poll() is None, capture.communicate()
    assert time.monotonic() < deadline, "the last state does not come"
    time.sleep(0.1)
capture.send_signal(getattr(signal, ending))
output, errors = capture.communicate(timeout=60)
assert capture.returncode == 0 and not errors, (capture.returncode, errors)
found = states()
assert len(found) > 5, len(found)
for state in found:
    assert state[1]["amount"] + state[2]["amount"] == 0 and state[1]["number"] == state[2]["number"], state
live = {row[0]: dict(zip(("id", "amount", "number"), row)) for row in sqlite3.connect(path).execute("SELECT * FROM account")}
assert found[-1] == live, (found[-1], live)
assert {event["by"] for event in events() if event["type"] == "source.read"} == {"import:live", "night"}
print(len(found), "states")
