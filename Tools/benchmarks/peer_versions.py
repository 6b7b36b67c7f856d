"""Keeps the versions of a database with one program, asks it for the past, and prints times as JSON (run by adopted.py).

usage: peer_versions.py doltlite|sqlite-history-json FILE VERSION …
       peer_versions.py views HISTORY VIEWS MOMENT VERSION

A peer takes the difference of each saved version in one transaction, with two statements a table: one for rows that are gone, and one
for rows that are new or changed. Neither peer has a command for that; a person would write these statements. The questions
are all rows of all tables at the version in the middle, which are compared with the saved file, value for value, and the
history of one row. `views` asks the same of a history of catalogctl by the SQL that `history views` writes. All questions go through
Python's sqlite3 on an open connection.
"""

import collections
import hashlib
import importlib.metadata
import json
import os
import sqlite3
import statistics
import sys
import time

from versions import KEYS, TABLES, sku

RUNS = 5


def main():
    name, path, *rest = sys.argv[1:]
    if name == "views":
        result = views(path, *rest)
    else:
        result = kept({"doltlite": DoltLite, "sqlite-history-json": Triggers}[name], path, rest)
    print(json.dumps(result))


def kept(program, path, versions):
    base = sqlite3.connect(path, isolation_level=None)
    program = program(base)
    took = []
    for number, version in enumerate(versions):
        start = time.perf_counter()
        base.execute("ATTACH ? AS saved", (version,))
        base.execute("BEGIN")
        if number == 0:
            for sql in TABLES.values():
                base.execute(sql)
        program.follow(number, lambda: taken(base))
        base.execute("DETACH saved")
        took.append(time.perf_counter() - start)
    middle = len(versions) // 2
    times, rows = asked(lambda: program.state(middle))
    row_times, row = asked(lambda: program.row(sku(0)))
    base.close()
    return {"version": program.version, "first": took[0], "later": sum(took[1:]), "bytes": sized(path),
            "state": times, "row": row_times, "versions of the row": len(row),
            "wrong": differing(rows, saved(versions[middle]))}


def taken(base):
    """Makes the rows those of the saved version, by its differences."""
    for table, key in KEYS.items():
        columns = [row[1] for row in base.execute(f"PRAGMA table_info({table})")]
        same = " AND ".join(f"s.{column} = t.{column}" for column in key)
        values = [column for column in columns if column not in key]
        base.execute(f"DELETE FROM {table} AS t WHERE NOT EXISTS (SELECT 1 FROM saved.{table} AS s WHERE {same})")
        base.execute(
            f"INSERT INTO {table} SELECT * FROM saved.{table} WHERE true ON CONFLICT ({', '.join(key)}) DO UPDATE SET "
            + ", ".join(f"{column} = excluded.{column}" for column in values) + " WHERE "
            + " OR ".join(f"{table}.{column} IS NOT excluded.{column}" for column in values))


class DoltLite:
    def __init__(self, base):
        import doltlite  # noqa: F401 (from here on sqlite3 is DoltLite)
        self.base = base
        self.version = base.execute("SELECT dolt_version()").fetchone()[0]
        self.commits = []

    def follow(self, number, take):
        take()
        self.base.execute("COMMIT")
        self.commits.append(self.base.execute("SELECT dolt_commit('-A', '-m', ?)", (str(number),)).fetchone()[0])

    def state(self, number):
        return {table: self.base.execute(f"SELECT * FROM dolt_at_{table}('{self.commits[number]}')").fetchall()
                for table in TABLES}

    def row(self, key):
        # `dolt_diff_product` has the changes alone, and takes a hundred times as long for one key.
        return self.base.execute("SELECT * FROM dolt_history_product WHERE sku = ?", (key,)).fetchall()


class Triggers:
    """sqlite-history-json: triggers write each change of a row as JSON into a table beside its own."""

    def __init__(self, base):
        import sqlite_history_json
        self.library = sqlite_history_json
        self.base = base
        self.version = importlib.metadata.version("sqlite-history-json")
        self.ends = []

    def follow(self, number, take):
        take()
        if number == 0:
            for table in TABLES:
                self.library.enable_tracking(self.base, table)
        self.base.execute("COMMIT")
        self.ends.append({table: self.base.execute(f"SELECT max(id) FROM _history_json_{table}").fetchone()[0]
                          for table in TABLES})

    def state(self, number):
        # The library restores into a table of the database; the rollback removes it for the next run.
        self.base.execute("BEGIN")
        rows = {}
        for table, end in self.ends[number].items():
            name = self.library.restore(self.base, table, up_to_id=end)
            rows[table] = self.base.execute(f"SELECT * FROM {name}").fetchall()
        self.base.execute("ROLLBACK")
        return rows

    def row(self, key):
        return self.library.get_row_history(self.base, "product", {"sku": key})


def views(history, script, moment, version):
    base = sqlite3.connect(f"file:{history}?mode=ro", uri=True, isolation_level=None)
    with open(script, encoding="utf-8") as file:
        base.executescript(file.read())
    columns = {}
    file = sqlite3.connect(f"file:{version}?mode=ro", uri=True)
    for table in TABLES:
        columns[table] = ", ".join(row[1] for row in file.execute(f"PRAGMA table_info({table})"))
    file.close()

    def state():
        base.execute("UPDATE moment SET sequence = ?", (int(moment),))
        return {table: base.execute(f"SELECT {columns[table]} FROM {table}").fetchall() for table in TABLES}

    def row():
        base.execute("UPDATE moment SET sequence = (SELECT max(last) FROM main.history_batch)")
        return base.execute("SELECT * FROM product_history WHERE sku = ?", (sku(0),)).fetchall()

    times, rows = asked(state)
    row_times, found = asked(row)
    return {"state": times, "row": row_times, "versions of the row": len(found), "wrong": differing(rows, saved(version))}


def asked(question):
    """Milliseconds in the middle, and the answer."""
    took = []
    for _ in range(RUNS):
        start = time.perf_counter()
        answer = question()
        took.append((time.perf_counter() - start) * 1_000)
    return statistics.median(took), answer


def saved(version):
    base = sqlite3.connect(f"file:{version}?mode=ro", uri=True)
    return {table: base.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}


def differing(rows, expected):
    """The number of saved rows that the answer lacks, has too often, or has with another value or another type of value."""
    def counts(of):
        return collections.Counter((table, digest(row)) for table in TABLES for row in of[table])
    saved_rows, answered = counts(expected), counts(rows)
    return max((saved_rows - answered).total(), (answered - saved_rows).total())


def digest(row):
    return hashlib.sha256(repr(tuple(row)).encode()).digest()


def sized(path):
    return sum(os.path.getsize(path + suffix) for suffix in ("", "-wal", "-journal") if os.path.exists(path + suffix))


if __name__ == "__main__":
    main()
