#!/usr/bin/env python3
"""Makes two databases of one schema, the second one changed: pairs.py SEED OLD NEW

Names, types, keys and values are those that trip a reader: words of SQL, quotes, NULL and bytes in keys, 1 beside 1.0, texts that
differ in their form alone, UTF-16, collations of the program's own.
"""
import contextlib
import random
import sqlite3
import sys

seed, old, new = int(sys.argv[1]), sys.argv[2], sys.argv[3]
chance = random.Random(seed)
NAMES = [
    "stock", "order", "a b", 'q"q', "it's", "projection_x", "größe", "select", "7up", "rowid", "Mixed", "mismatch",
]
TYPES = ["", "TEXT", "INTEGER", "REAL", "BLOB", "NUMERIC", "DECIMAL(10,2)", "TEXT COLLATE NOCASE"]
IS_WIDE = seed % 4 == 3
# Only Python knows this collation.
HAS_OWN = seed % 8 in (1, 3)
# Neither UTF-16 nor Python's collations know of bytes that are not a text.
HAS_BYTES = not IS_WIDE and not HAS_OWN
if HAS_OWN:
    TYPES.append("TEXT COLLATE own")
VALUES = [
    None, 0, 1, 1.0, -1, 1.5, 0.1, 2**53 + 1, -(2**63), 2**63 - 1, 9007199254740992.0, 1e300, 5e-324, float("inf"),
    -0.0, 17.3, 1 / 3, 0.30000000000000004, 123456.789012, -2.2250738585072014e-308, 1.7976931348623157e308,
    "", "a", "A", "a ", "it's", "two\nlines", "cr\r\n", "\u00e9", "e\u0301", "\U0001f600", "\ufffd", "1", "1.0", "x" * 300,
    b"", b"\x00\xff", b"a", "nul\x00after", "\\n\n\\", "\r\\r\x00",
]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def opened(path):
    database = sqlite3.connect(path, isolation_level=None)
    database.create_collation("own", lambda left, right: (left > right) - (left < right))
    return database


def value():
    if HAS_BYTES and chance.random() < 0.02:
        return b"\xff\xfe", "CAST(? AS TEXT)"
    return chance.choice(VALUES), "?"


def insert(database, table, columns):
    cells = [value() for _ in columns]
    names = ", ".join(map(quoted, columns))
    places = ", ".join(place for _, place in cells)
    # A key that is the row's number takes whole numbers alone.
    with contextlib.suppress(sqlite3.IntegrityError):
        database.execute(
            f"INSERT OR IGNORE INTO {quoted(table)} ({names}) VALUES ({places})", [cell for cell, _ in cells])


def make(path):
    database = opened(path)
    if IS_WIDE:
        database.execute("PRAGMA encoding = 'UTF-16le'")
    if seed % 3:
        database.execute("PRAGMA journal_mode = wal")
    tables = {}
    for table in chance.sample(NAMES, chance.randint(1, 4)):
        columns = chance.sample(NAMES, chance.randint(1, 4))
        types = {name: chance.choice(TYPES) for name in columns}
        parts = [f"{quoted(name)} {types[name]}" for name in columns]
        kind = chance.choice(["none", "one", "several", "number", "without", "unique"])
        ending = ""
        if kind == "number":
            parts[0] = f"{quoted(columns[0])} INTEGER PRIMARY KEY"
        elif kind in ("one", "several", "without"):
            key = columns[:1] if kind == "one" else columns[:2]
            parts.append(f"PRIMARY KEY ({', '.join(map(quoted, key))})")
            ending = " WITHOUT ROWID" if kind == "without" else ""
        elif kind == "unique":
            parts[-1] += " NOT NULL UNIQUE"
        database.execute(f"CREATE TABLE {quoted(table)} ({', '.join(parts)}){ending}")
        for _ in range(chance.choice([0, 5, 40])):
            insert(database, table, columns)
        tables[table] = columns
    database.close()
    return tables


tables = make(old)
source, target = opened(old), opened(new)
source.backup(target)
source.close()
for table, columns in tables.items():
    for _ in range(chance.choice([0, 3, 30])):
        one, place = value()
        column, other = quoted(chance.choice(columns)), quoted(chance.choice(columns))
        match chance.choice(["insert", "insert", "update", "delete"]):
            case "insert":
                insert(target, table, columns)
            case "update":
                with contextlib.suppress(sqlite3.IntegrityError):
                    cell, filler = value()
                    target.execute(
                        f"UPDATE OR IGNORE {quoted(table)} SET {column} = {filler} WHERE {other} IS {place}",
                        (cell, one))
            case "delete":
                target.execute(f"DELETE FROM {quoted(table)} WHERE {other} IS {place}", (one,))
target.close()
