#!/usr/bin/env python3
"""Whether two databases have the same rows, value by value and type by type: samerows.py ONE OTHER"""
import collections
import sqlite3
import sys


class Text(bytes):
    """A text by its bytes, which need not be UTF-8."""


def rows(path):
    database = sqlite3.connect(path)
    database.text_factory = Text
    database.create_collation("own", lambda left, right: (left > right) - (left < right))
    found = {}
    for (name,) in database.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    ).fetchall():
        quoted = name.decode().replace('"', '""')
        found[name] = collections.Counter(
            tuple((type(cell).__name__, repr(cell)) for cell in row)
            for row in database.execute(f'SELECT * FROM "{quoted}"'))
    return found


one, other = rows(sys.argv[1]), rows(sys.argv[2])
for name in one.keys() | other.keys():
    left, right = one.get(name), other.get(name)
    if left != right:
        print(name, "only left:", left - right if right else left, "only right:", right - left if left else right)
sys.exit(one != other)
