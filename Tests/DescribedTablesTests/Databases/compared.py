#!/usr/bin/env python3
"""Compares what `diff OLD NEW --format json` says with the rows: compared.py OLD NEW DIFFERENCE

Written from the documentation alone. It finds the key of each table and counts the rows that came, went and changed; and it makes
the rows of NEW from those of OLD and the difference.
"""
import collections
import json
import sqlite3
import sys

CLASSES = {type(None): "null", int: "integer", float: "real", str: "text", bytes: "blob"}


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class Text(bytes):
    """A text by its bytes, which need not be UTF-8."""


def opened(path):
    database = sqlite3.connect(path)
    database.text_factory = Text
    database.create_collation("own", lambda left, right: (left > right) - (left < right))
    return database


def cell(value):
    """A value that equals another one only if SQLite stores both in the same way."""
    return ("text" if isinstance(value, Text) else CLASSES[type(value)], value)


def word(value):
    return value.decode() if isinstance(value, bytes) else value


def tables(database):
    found = {}
    for (name,) in database.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
    ).fetchall():
        name = word(name)
        info = database.execute(f"PRAGMA table_info({quoted(name)})").fetchall()
        columns = [word(row[1]) for row in info]
        key = [word(row[1]) for row in sorted(info, key=lambda row: row[5]) if row[5]]
        uniques = [key] if key else []
        for index in reversed(database.execute(f"PRAGMA index_list({quoted(name)})").fetchall()):
            if index[2] and word(index[3]) != "pk" and not index[4]:
                parts = database.execute(f"PRAGMA index_info({quoted(word(index[1]))})").fetchall()
                uniques.append([word(part[2]) for part in parts])
        rows = [
            tuple(map(cell, row))
            for row in database.execute(f"SELECT {', '.join(map(quoted, columns))} FROM {quoted(name)}")
        ]
        found[name] = (columns, uniques, rows)
    return found


def key_of(columns, uniques, *sides):
    for names in uniques:
        places = [columns.index(name) for name in names]
        if not any(row[place][0] == "null" for rows in sides for row in rows for place in places):
            return places
    return None


def parsed(literals, columns):
    with_values = sqlite3.connect(":memory:")
    with_values.text_factory = Text
    words = {"inf": "9e999", "-inf": "-9e999"}
    def one(literal):
        # Python hands SQL over as a text that ends with U+0000.
        if "\0" in literal:
            return ("text", Text(literal[1:-1].replace("''", "'").encode()))
        return cell(with_values.execute("SELECT " + words.get(literal, literal)).fetchone()[0])

    return tuple(one(literals[name]) for name in columns)


old, new = tables(opened(sys.argv[1])), tables(opened(sys.argv[2]))
said = {table["table"]: table for table in json.load(open(sys.argv[3]))}
for name, (columns, uniques, before) in old.items():
    after = new[name][2]
    table = said.pop(name, {"added": 0, "removed": 0, "changed": 0, "differences": []})
    places = key_of(columns, uniques, before, after)
    if places is None:
        left, right = collections.Counter(before), collections.Counter(after)
        counts = ((right - left).total(), (left - right).total(), 0)
    else:
        left, right = ({tuple(row[place] for place in places): row for row in rows} for rows in (before, after))
        assert len(left) == len(before) and len(right) == len(after), name
        counts = (
            len(right.keys() - left.keys()), len(left.keys() - right.keys()),
            sum(left[key] != right[key] for key in left.keys() & right.keys()))
    assert counts == (table["added"], table["removed"], table["changed"]), (name, counts, table)
    result = collections.Counter(before)
    changes = collections.defaultdict(dict)
    for difference in table["differences"]:
        key = parsed(difference["key"], [columns[place] for place in places or range(len(columns))])
        if difference["change"] == "changed":
            changes[key][difference["column"]] = (difference["before"], difference["after"])
            continue
        row = parsed(difference["row"], columns)
        result[row] += 1 if difference["change"] == "added" else -1
    for key, cells in changes.items():
        row = left[key]
        changed = list(row)
        for column, (was, now) in cells.items():
            place = columns.index(column)
            assert parsed({column: was}, [column])[0] == row[place], (name, key, column)
            changed[place] = parsed({column: now}, [column])[0]
        result[row] -= 1
        result[tuple(changed)] += 1
    assert +result == collections.Counter(after) and min(result.values(), default=0) >= 0, name
assert not said, said
print("the difference makes the rows")
