"""Keeps the versions of a catalog's rows in DoltLite and prints sizes and times as JSON (run by peers.py).

usage: peer_past.py load FILE        rows of a moment from standard input, as JSON, a commit for each
       peer_past.py ask FILE ITEM AT RUNS
       peer_past.py single FILE COUNT

DoltLite is a SQLite whose tables are trees of content-addressed chunks. It has the same two tables with the same keys and
one commit for each revision; what does not change is not written. It is asked through Python's sqlite3, and each question
is one statement on an open connection.
"""

import json
import os
import sqlite3
import statistics
import sys
import time

import doltlite  # noqa: F401 (from here on sqlite3 is DoltLite)

TABLES = {
    "library_item": "CREATE TABLE library_item(id TEXT PRIMARY KEY, kind TEXT, title TEXT, updated_at TEXT) "
                    "WITHOUT ROWID",
    "item_mood": "CREATE TABLE item_mood(item_id TEXT, mood_id TEXT, PRIMARY KEY(item_id, mood_id)) WITHOUT ROWID",
}
KEYS = {"library_item": 1, "item_mood": 2}


def main():
    mode, path = sys.argv[1:3]
    base = sqlite3.connect(path, isolation_level=None)
    if mode == "load":
        load(base)
    elif mode == "ask":
        ask(base, path, *sys.argv[3:])
    else:
        single(base, path, int(sys.argv[3]))


def load(base):
    known = {name: {} for name in TABLES}
    for sql in TABLES.values():
        base.execute(sql)
    for line in sys.stdin:
        tables = json.loads(line)
        base.execute("BEGIN")
        for name, rows in tables.items():
            size = KEYS[name]
            now = {tuple(row[:size]): row for row in rows}
            condition = " AND ".join(f"{column} = ?" for column in
                                     (["id"] if size == 1 else ["item_id", "mood_id"]))
            base.executemany(f"DELETE FROM {name} WHERE {condition}",
                             [key for key in known[name] if key not in now])
            marks = ", ".join("?" * len(rows[0]))
            base.executemany(f"REPLACE INTO {name} VALUES ({marks})",
                             [row for key, row in now.items() if known[name].get(key) != row])
            known[name] = now
        base.execute("COMMIT")
        base.execute("SELECT dolt_commit('-A', '-m', 'revision')").fetchall()


def ask(base, path, item, at, runs):
    commits = [name for name, in base.execute("SELECT commit_hash FROM dolt_log")]
    past, head, before = commits[int(at)], commits[0], commits[1]
    questions = {
        "point": f"SELECT title FROM dolt_at_library_item('{past}') WHERE id = '{item}'",
        "group": "SELECT i.kind, count(*) FROM "
                 f"dolt_at_item_mood('{past}') t JOIN dolt_at_library_item('{past}') i ON i.id = t.item_id "
                 "GROUP BY i.kind",
        "diff": f"SELECT * FROM dolt_diff_library_item('{before}', '{head}')",
        "blame": f"SELECT * FROM dolt_blame_library_item WHERE id = '{item}'",
    }
    times = {}
    for name, sql in questions.items():
        took = []
        for _ in range(int(runs)):
            start = time.perf_counter()
            rows = base.execute(sql).fetchall()
            took.append((time.perf_counter() - start) * 1_000)
        times[name] = statistics.median(took)
        times[name + " rows"] = len(rows)
    print(json.dumps({**measured(base, path), **times}))


def single(base, path, count):
    """Commits of one row each."""
    base.execute("CREATE TABLE row(id INTEGER PRIMARY KEY, title TEXT)")
    base.executemany("INSERT INTO row VALUES (?, ?)", [(number, f"title {number}") for number in range(1_000)])
    base.execute("SELECT dolt_commit('-A', '-m', 'rows')").fetchall()
    start = time.perf_counter()
    for number in range(count):
        base.execute("UPDATE row SET title = ? WHERE id = ?", (f"title of {number}", number % 1_000))
        base.execute("SELECT dolt_commit('-A', '-m', 'row')").fetchall()
    seconds = time.perf_counter() - start
    print(json.dumps({**measured(base, path), "commits a second": count / seconds}))


def measured(base, path):
    version = base.execute("SELECT dolt_version()").fetchone()[0]
    start = time.perf_counter()
    other = sqlite3.connect(path)
    other.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    opening = (time.perf_counter() - start) * 1_000
    return {"version": version, "opening": opening,
            "bytes": sum(os.path.getsize(file) for file in (path, path + "-wal") if os.path.exists(file))}


if __name__ == "__main__":
    main()
