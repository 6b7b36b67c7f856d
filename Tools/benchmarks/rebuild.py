"""A rebuild against SQLite filling the same tables with the same rows.

Our side starts from the log: it decompresses, checks the chain, decodes and folds the events, writes
every table, index and full-text index, and syncs. The other sides start from finished rows and leave the
full-text indexes out, unless the row says otherwise:

- the floor (floor.c) has the rows in memory, in key order: one prepared statement a table, indexes last,
  no journal, no constraint checked, one transaction, one sync at the end;
- the plain loop is the same program with the rows of all tables as they arrive, item after item;
- the dump is what `.dump` gives of these tables, read by `sqlite3 new.db < dump.sql`.
"""

import re
import subprocess

from benchmarks.setting import Row


def rows(setting):
    catalog = setting.catalog()
    finished = setting.removed("finished.sqlite")
    setting.run([setting.program, "rebuild", "--out", finished, "--catalog", catalog])
    floor = setting.compiled("floor.c", "-l:libsqlite3.so.0")
    dump = make_dump(setting, finished)
    order = make_order(setting, finished)

    ours, floors, searches, loops, dumps = [], [], [], [], []
    for _ in range(setting.runs):
        rebuilt = setting.removed("rebuilt.sqlite")
        ours.append(setting.timed([setting.program, "rebuild", "--out", rebuilt, "--catalog", catalog]))
        floors.append(measure(setting, floor, finished, "key"))
        searches.append(measure(setting, floor, finished, "key", "search"))
        loops.append(measure(setting, floor, finished, order))
        with open(dump, "rb") as file:
            dumps.append(setting.timed(["sqlite3", setting.removed("dumped.sqlite")], stdin=file))
    walls = [timing.wall for timing in ours]

    def ratio(others, ours):
        return [other / our for other, our in zip(others, ours)]

    yield Row("`sqlite3 new.db < dump.sql`, in rebuilds", ratio([t.wall for t in dumps], walls), at_least=2.5)
    yield Row("plain loop of statements in arrival order, in rebuilds",
              ratio([t["all"] for t in loops], walls))
    yield Row("rebuild, search index and all, in floors", ratio(walls, [t["all"] for t in floors]),
              at_most=1.3)
    yield Row("rebuild, in floors that make the search index too",
              ratio(walls, [t["all"] for t in searches]))
    yield Row("search index made by the floor, in floors",
              ratio([t["search"] for t in searches], [t["all"] for t in floors]), at_most=1)
    yield Row("processor time of a rebuild, in floors' wall time",
              ratio([t.processor for t in ours], [t["all"] for t in floors]))


def measure(setting, floor, finished, *mode):
    """The seconds that floor.c prints, by name."""
    printed = setting.run([floor, finished, setting.removed("floor.sqlite"), *mode],
                          stdout=subprocess.PIPE)
    words = printed.split()
    return {name: float(value) for name, value in zip(words[::2], words[1::2])}


def names(setting, finished, sql):
    return setting.run(["sqlite3", finished, sql], stdout=subprocess.PIPE).split()


def ordinary_tables(setting, finished):
    searches = names(setting, finished, "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%'")
    tables = names(
        setting, finished,
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid")
    return [name for name in tables
            if not any(name == search or name.startswith(search + "_") for search in searches)]


def make_dump(setting, finished):
    """The dump of the ordinary tables and their indexes, rows in key order, one transaction."""
    path = setting.path("dump.sql")
    tables = ordinary_tables(setting, finished)
    with open(path, "wb") as file:
        schema = setting.run(
            ["sqlite3", finished,
             "SELECT sql || ';' FROM sqlite_schema WHERE type = 'table' AND name IN ("
             + ", ".join(f"'{name}'" for name in tables) + ")"], stdout=subprocess.PIPE)
        indexes = setting.run(
            ["sqlite3", finished,
             "SELECT sql || ';' FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"],
            stdout=subprocess.PIPE)
        file.write(b"PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n" + schema.encode())
        file.flush()
        dump = subprocess.Popen(["sqlite3", finished, ".dump --data-only " + " ".join(tables)],
                                stdout=subprocess.PIPE)
        for line in dump.stdout:
            if not re.match(rb"(PRAGMA|BEGIN|COMMIT)\b", line):
                file.write(line)
        if dump.wait() != 0:
            raise SystemExit("bench: sqlite3 could not dump the database")
        file.write(indexes.encode() + b"COMMIT;\n")
    return path


def make_order(setting, finished):
    """How rows arrive: each table's by the number of the item that they are about."""
    path = setting.path("arrival.txt")
    with open(path, "w", encoding="utf-8") as file:
        for name in ordinary_tables(setting, finished):
            columns = names(setting, finished, f"SELECT name FROM pragma_table_info('{name}')")
            if "item_id" in columns and name != "projection_item":
                item = "item_id"
            elif name == "library_item":
                item = "id"
            else:
                continue
            file.write(f"{name} SELECT t.* FROM \"{name}\" AS t JOIN projection_item AS i "
                       f"ON i.item_id = t.{item} ORDER BY i.number\n")
    return path
