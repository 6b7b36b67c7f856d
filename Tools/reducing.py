"""The common part of the reducers: reads the events, compares the tables of a model with a database, and prints.

A reducer has a model with `apply(event)`, `rows()` (table → {key: values}), `sequence` and `conflicts`.
"""

import argparse
import json
import pathlib
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
    found = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    if set(columns) - set(found):
        missing = "does not exist" if not found else (
            f"lacks the columns {', '.join(c for c in columns if c not in found)}")
        report.difference(f"{table}: {missing}")
    else:
        seen = set()
        for row in connection.execute(f"SELECT {', '.join(columns)} FROM {table}"):
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
