"""The common part of the reducers: reads the events, compares the tables of a model with a database, and prints.

A reducer has a model with `apply(event)`, `rows()` (table → {key: values}), `sequence` and `conflicts`.

`restored` reads the event `rows.restored`, which brings rows of one table back, for the model of any kind.
"""

import argparse
import base64
import json
import math
import pathlib
import re
import sqlite3
import sys
import urllib.parse

from eventlines import LinesError, event_lines, parse_event


class ReducerError(Exception):
    """Why the events cannot be folded or the database cannot be read."""


class Conflict(Exception):
    """Why an event changes nothing."""


def table_shapes(tables):
    """Table → (columns, number of columns that are its key), from the columns as one text."""
    return {table: (columns.split(), keys) for table, (columns, keys) in tables.items()}


# --- Rows that are brought back ------------------------------------------------------------------

class Shape:
    """A table whose rows an event may bring back: the types of its columns by their names, the names of its key, and lists
    of columns in which no two rows have the same.

    Types: d an id, i an integer, m a time, r a real number, t a text, x bytes; with ? also NULL.
    """

    def __init__(self, columns, key, *uniques):
        pairs = [column.rpartition(":") for column in columns.split()]
        self.types = {name: type for name, _, type in pairs}
        self.key, self.uniques = key.split(), [unique.split() for unique in uniques]


ID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I)
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def held(value, form, name):
    """A value of an event as a column of a form holds it; a conflict if the column cannot."""
    kind = form[0]
    if isinstance(value, dict):
        if value.keys() != {"base64"}:
            raise ReducerError("bytes are an object with base64 alone")
        value = base64.b64decode(value["base64"], validate=True)
    if isinstance(value, (bool, list)):
        raise ReducerError("this is not a value of a row")
    if isinstance(value, bytes) and kind == "t":
        try:
            value = value.decode()
        except UnicodeDecodeError:
            pass
    if type(value) is int and kind == "r":
        value = float(value)
    if type(value) is float and kind == "i" and value.is_integer():
        value = int(value)
    fits = {
        "d": lambda: isinstance(value, str) and ID.fullmatch(value),
        "i": lambda: type(value) is int,
        "m": lambda: isinstance(value, str) and TIME.fullmatch(value),
        "r": lambda: type(value) is float and math.isfinite(value),
        "t": lambda: isinstance(value, str) and "\0" not in value,
        "x": lambda: isinstance(value, bytes),
    }
    if not (form.endswith("?") if value is None else fits[kind]()):
        raise Conflict(f"{name} cannot be {show(value)}")
    return value.lower() if kind == "d" and value is not None else value


def restored(shapes, present, table, columns, rows, key, gone, partly=False):
    """What a `rows.restored` does: a list of (key, row before, row after); rows are dictionaries or None.

    An event has the key and the columns that change; the others are as they were. `present(table)` gives the rows of the model,
    key → dictionary. If the model knows a table only partly, columns that it does not know are left out of the rows after.
    """
    if table not in shapes:
        raise Conflict(f"there is no table {table}")
    shape, known, wanted = shapes[table], present(table), {}
    for names in (columns, key):
        if len(set(names)) != len(names):
            raise Conflict("a column is named twice")

    def add(key, after):
        if key in wanted:
            raise Conflict("a row is named twice")
        wanted[key] = (known.get(key), after)

    def read(names, values):
        if len(names) != len(values):
            raise Conflict("a row has another number of values")
        return {name: held(value, shape.types[name], name)
                for name, value in zip(names, values) if name in shape.types}

    def key_of(row):
        return tuple(row[name] if name in row else held(None, shape.types[name], name)
                     for name in shape.key)

    for values in gone:
        add(key_of(read(key, values)), None)
    for values in rows:
        row = read(columns, values)
        place = key_of(row)
        old = known.get(place) or {}
        whole = {name: row[name] if name in row else held(old.get(name), type, name)
                 for name, type in shape.types.items() if name in row or name in old or not partly}
        add(place, whole)
    for unique in shape.uniques:
        taken = {tuple(row.get(name) for name in unique) for place, row in known.items() if place not in wanted}
        for _, after in wanted.values():
            values = after and tuple(after.get(name) for name in unique)
            if values and None not in values:
                if values in taken:
                    raise Conflict(f"another row has the same {' '.join(unique)}")
                taken.add(values)
    return [(place, before, after) for place, (before, after) in wanted.items()]


REVERTED = Shape("operation:d first:i last:i documents:t reason:t? reverted_by:d reverted_at:m", "operation")


def fold(model, path):
    for place, line in event_lines(path):
        try:
            model.apply(parse_event(line))
        except ReducerError as error:
            raise ReducerError(f"{place}: {error}")
        except (ValueError, KeyError, TypeError) as error:
            raise ReducerError(f"{place}: no event: {error}")
    return model


# --- Comparison ----------------------------------------------------------------------------------

class Report:
    def __init__(self, limit):
        self.limit, self.total = limit, 0

    def difference(self, text):
        self.total += 1
        if self.total <= self.limit:
            print(text)
        elif self.total == self.limit + 1:
            print(f"… more differences are counted, not shown (--limit {self.limit})")


def show(value):
    return repr(value[:40]) if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False)


def compare_table(connection, table, shape, rows, report):
    """Compares one table and empties `rows` on the way; prints its summary line."""
    columns, keys = shape
    before, expected_count, count = report.total, len(rows), 0
    found = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
    if set(columns) - set(found):
        missing = "does not exist" if not found else (
            f"lacks the columns {', '.join(c for c in columns if c not in found)}")
        report.difference(f"{table}: {missing}")
    else:
        seen = set()
        quoted = ", ".join(f'"{column}"' for column in columns)
        for row in connection.execute(f'SELECT {quoted} FROM "{table}"'):
            count += 1
            key, values = row[:keys], row[keys:]
            name = f"{table} {' '.join(f'{c}={show(v)}' for c, v in zip(columns, key))}"
            expected = rows.pop(key, None)
            if expected is None:
                report.difference(f"{name}: {'twice' if key in seen else 'only'} in the database")
                continue
            seen.add(key)
            for column, wanted, value in zip(columns[keys:], expected, values):
                if type(wanted) is not type(value) or wanted != value:
                    report.difference(f"{name}: {column}: log {show(wanted)}, "
                                      f"database {show(value)}")
        for key in sorted(rows, key=str):
            name = f"{table} {' '.join(f'{c}={show(v)}' for c, v in zip(columns, key))}"
            report.difference(f"{name}: only in the log")
    extra = [column for column in found if column not in columns]
    more = f", not compared: {', '.join(extra)}" if extra else ""
    different = report.total - before
    verdict = "equal" if not different else (
        f"{expected_count} in the log, {different} difference{'' if different == 1 else 's'}")
    print(f"{table}: {count} rows, {verdict}{more}")


def compare(model, shapes, database, limit):
    path = pathlib.Path(database)
    if not path.is_file():
        raise ReducerError(f"{database}: no such file; name the catalog's SQLite database")
    uri = f"file:{urllib.parse.quote(str(path.resolve()))}?mode=ro"
    report = Report(limit)
    tables = model.rows()
    try:
        connection = sqlite3.connect(uri, uri=True)
        connection.execute("BEGIN")  # all tables from one snapshot
        for table, shape in shapes.items():
            compare_table(connection, table, shape, tables[table], report)
        connection.close()
    except sqlite3.Error as error:
        raise ReducerError(f"{database}: {error}")
    print(f"{model.sequence} events, "
          f"{'equal' if not report.total else f'{report.total} differences'}")
    return 2 if report.total else 0


def dump(model, shapes, table):
    columns, _ = shapes[table]
    for key, values in sorted(model.rows()[table].items(), key=repr):
        print(json.dumps(dict(zip(columns, key + values)), ensure_ascii=False))
    return 0


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(64, f"{self.prog}: {message}\n")


def reduce(name, make, shapes, description):
    parser = Parser(prog=name, description=description)
    parser.add_argument("events", metavar="EVENTS_DIR",
                        help="directory of segments, or a file of JSON Lines")
    parser.add_argument("database", metavar="DATABASE", nargs="?", help="the SQLite projection")
    parser.add_argument("--dump", metavar="TABLE", choices=shapes, help="print a table's rows")
    parser.add_argument("--conflicts", action="store_true",
                        help="print the events that change nothing")
    parser.add_argument("--limit", type=int, default=200, metavar="N",
                        help="print at most N differences (200)")
    options = parser.parse_args()
    if [options.database is None, options.dump is None, not options.conflicts].count(False) != 1:
        parser.error("name either a DATABASE, --dump TABLE or --conflicts")
    model = fold(make(), options.events)
    if options.conflicts:
        for sequence, type, why in model.conflicts:
            print(f"{sequence} {type}: {why}")
        return 0
    if options.dump:
        return dump(model, shapes, options.dump)
    return compare(model, shapes, options.database, options.limit)


def main(name, make, shapes, description):
    """Runs a reducer as a program: exit status 0 equal, 1 an error, 2 different, 64 a wrong argument."""
    try:
        sys.exit(reduce(name, make, shapes, description))
    except (ReducerError, LinesError, OSError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        sys.exit(1)
