#!/usr/bin/env python3
"""Compares the tables of a catalog with the database that they were adopted from, cell by cell, types included.

usage: adopted.py SOURCE CATALOG_DB

Knows nothing of the program but the description in the catalog's database and the meaning of `rows` in it. Every table of the
source that is not virtual or SQLite's own has to be described or to be among the names that are passed over. Prints each
difference; exit status 0 if there is none, 2 if there are.
"""
import json
import os
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def opened(path):
    connection = sqlite3.connect(path)
    connection.text_factory = bytes
    return connection


def copied(path, folder):
    """The database and the files beside it, which only this program opens."""
    for suffix in ("", "-wal", "-journal"):
        if os.path.exists(path + suffix):
            shutil.copy(path + suffix, os.path.join(folder, "copy" + suffix))
    return opened(os.path.join(folder, "copy"))


def rows_of(connection, table, columns):
    """How often each row is there, as pairs of storage class and value."""
    cells = ", ".join(f"typeof({quoted(c)}), {quoted(c)}" for c in columns)
    # There is one zero.
    return Counter(
        tuple(v + 0.0 if isinstance(v, float) else v for v in row)
        for row in connection.execute(f"SELECT {cells} FROM {quoted(table)}"))


def main(source_path, catalog_path):
    differences = []
    with tempfile.TemporaryDirectory() as folder:
        source = copied(source_path, folder)
        catalog = opened(catalog_path)
        text = catalog.execute(
            "SELECT description FROM projection_description ORDER BY sequence DESC LIMIT 1").fetchone()[0]
        description = json.loads(text)
        document = next(d for d in description["documents"].values() if "sqlite" in d)
        ignored = document.get("ignore", [])
        ignored = {ignored} if isinstance(ignored, str) else set(ignored)
        tables = {}
        for row in source.execute("PRAGMA main.table_list").fetchall():
            name = row[1].decode()
            if row[2] == b"table" and not name.startswith("sqlite_"):
                for column in source.execute(f"PRAGMA main.index_list({quoted(name)})").fetchall():
                    for part in source.execute(f"PRAGMA main.index_xinfo({quoted(column[1].decode())})").fetchall():
                        collation = (part[4] or b"BINARY").decode()
                        if collation not in ("BINARY", "NOCASE", "RTRIM"):
                            source.create_collation(collation, lambda a, b: (a > b) - (a < b))
                tables[name] = [c[1].decode() for c in source.execute(f"PRAGMA main.table_xinfo({quoted(name)})")
                                if c[6] == 0]
        described = {}
        for name, rows in document["rows"].items():
            described[rows.get("at", name)] = (name, rows.get("columns", {}))
        for name in set(tables) - set(described) - ignored:
            differences.append(f"{name} is neither described nor passed over")
        for name in set(described) - set(tables):
            differences.append(f"{name} is described and not in the database")
        for name, columns in tables.items():
            if name not in described:
                continue
            own, sources = described[name]
            names = {sources.get(c, c): c for c in description["tables"][own]["columns"]}
            kept = [c for c in columns if f"{name}.{c}" not in ignored]
            # A key that no column is: SQLite's number of the row.
            kept += [c for c in names if c in ("rowid", "_rowid_", "oid") and c not in columns]
            if set(kept) != set(names):
                differences.append(f"{name} has the columns {sorted(kept)}, the catalog {sorted(names)}")
                continue
            wanted, found = rows_of(source, name, kept), rows_of(catalog, own, [names[c] for c in kept])
            for row in (wanted - found):
                differences.append(f"{name} lacks {row}")
            for row in (found - wanted):
                differences.append(f"{name} has {row}, which the database has not")
    for line in differences[:20]:
        print(line)
    return 2 if differences else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
