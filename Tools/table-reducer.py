#!/usr/bin/env python3
"""Independent projection of a catalog that describes itself: rebuilds its tables from the events and compares the database.

usage: Tools/table-reducer.py EVENTS_DIR DATABASE [--limit N]
       Tools/table-reducer.py EVENTS_DIR --dump TABLE | --conflicts

Written from docs/TABLES.md, not from the projector, so that the two can disagree. It finds the description in the log and
carries each event out as it comes: a new description changes the tables that are there, where the projector reads older
events by the newest one. It compares every column of every described table, types included, with the SQLite database,
which is opened read-only. Prints each difference and one line a table.

Exit status: 0 equal, 1 an error (an unknown event, no database …), 2 different, 64 a wrong argument.
"""

import base64
import datetime
import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from eventlines import LinesError  # noqa: E402
from reducing import Conflict, Parser, ReducerError, compare, dump, fold  # noqa: E402

WIDENINGS = {("integer", "text"), ("number", "text"), ("flag", "text"), ("time", "text"), ("id", "text"),
             ("json", "text"), ("flag", "integer"), ("integer", "number")} | {
                 (kind, "any") for kind in ("text", "integer", "number", "blob", "flag", "time", "id", "json")}


class Column:
    def __init__(self, name, form):
        form = {"type": form} if isinstance(form, str) else form
        self.name, self.type, self.optional = name, form["type"].rstrip("?"), form["type"].endswith("?")
        self.unique, self.refers = form.get("unique", False), form.get("refers")
        self.gone, self.kept = form.get("gone", "refuse"), form.get("ignore") is not True
        self.default = value_of(form["default"], self.type) if form.get("default") is not None else None

    @property
    def has_default(self):
        return self.default is not None or self.optional


class Table:
    """A table as a description has it, and its rows: key → column → value."""

    def __init__(self, name, form):
        self.name = name
        self.columns = {c: Column(c, f) for c, f in form["columns"].items() if Column(c, f).kept}
        key = form["key"]
        self.key = ["_key"] if key == "whole row" else [key] if isinstance(key, str) else key
        if key == "whole row":
            self.columns = {"_key": Column("_key", "text"), **self.columns}
        self.rows = {}

    def key_of(self, row):
        return tuple(row[name] for name in self.key)


def value_of(value, kind):
    """A value of JSON as a column of a type has it."""
    if kind == "json":
        return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    if kind == "any" and isinstance(value, dict) and value.keys() == {"text64"}:
        return base64.b64decode(value["text64"], validate=True).decode()
    if kind == "any" and isinstance(value, bool):
        value = int(value)
    if isinstance(value, dict) and value.keys() == {"base64"}:
        value = base64.b64decode(value["base64"], validate=True)
        if kind == "text":
            value = value.decode()
    if kind == "flag" and isinstance(value, bool):
        value = int(value)
    if kind == "number" and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if kind == "time" and isinstance(value, str):
        value = time_of(value)
    if kind == "id" and isinstance(value, str):
        value = value.lower()
    return value


def time_of(text):
    moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.timezone.utc)
    moment = moment.astimezone(datetime.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"


def held(value, column):
    """A value of `rows.put` as its column has it; a conflict if the column cannot."""
    if isinstance(value, dict) and "text64" in value:
        value = base64.b64decode(value["text64"], validate=True).decode()
    elif isinstance(value, dict):
        value = base64.b64decode(value["base64"], validate=True)
        if column.type in ("text", "json", "time"):
            value = value.decode()
    if column.type == "number" and type(value) is int and int(float(value)) == value:
        value = float(value)
    if column.type in ("integer", "flag") and type(value) is float and value.is_integer():
        value = int(value)
    return checked(value, column)


def checked(value, column):
    fits = {
        "text": lambda: isinstance(value, str) and "\0" not in value, "json": lambda: isinstance(value, str),
        "any": lambda: type(value) in (int, bytes) or type(value) is float and math.isfinite(value)
        or type(value) is str and "\0" not in value, "integer": lambda: type(value) is int,
        "flag": lambda: type(value) is int and value in (0, 1), "blob": lambda: isinstance(value, bytes),
        "number": lambda: type(value) is float and math.isfinite(value),
        "time": lambda: isinstance(value, str) and time_of(value) == value, "id": lambda: isinstance(value, str),
    }
    if not (column.optional if value is None else fits[column.type]()):
        raise Conflict(f"{column.name} cannot be {value!r}")
    return value


class Catalog:
    def __init__(self):
        self.sequence, self.conflicts = 0, []
        self.tables, self.events = {}, {}

    def apply(self, event):
        self.sequence = event["seq"]
        type, data = event["type"], event["data"]
        try:
            if type == "kind.described":
                self.describe(data)
            elif type in ("rows.put", "rows.restored"):
                self.put(**data)
            elif type in self.events:
                self.carry_out(self.events[type], event)
            elif type not in ("catalog.created", "source.read", "operation.reverted"):
                raise ReducerError(f"unknown event {type}")
        except Conflict as conflict:
            self.conflicts.append((self.sequence, type, str(conflict)))

    # --- Descriptions ---------------------------------------------------------------------------

    def describe(self, data):
        old, description = self.tables, data["description"]
        renamed = {m["to"]: m["rename"] for m in data["moves"] if "rename" in m and "table" not in m}
        gone = {m["drop"] for m in data["moves"] if "drop" in m and "table" not in m} | set(renamed.values())
        self.events = description.get("events", {})
        self.tables = {name: Table(name, form) for name, form in description["tables"].items()}
        self.indexes = {name: form.get("indexes", []) for name, form in description["tables"].items()}
        for name, table in self.tables.items():
            former = old.get(renamed.get(name, None if name in gone else name))
            if former is None:
                continue
            moves = [m for m in data["moves"] if m.get("table") == name]
            names = {m["to"]: m["rename"] for m in moves if "rename" in m}
            lost = {m["drop"] for m in moves if "drop" in m} | set(names.values())
            for row in former.rows.values():
                new = {}
                for column in table.columns.values():
                    source = names.get(column.name, None if column.name in lost else column.name)
                    if source in row:
                        new[column.name] = widened(row[source], former.columns[source].type, column.type)
                    else:
                        new[column.name] = column.default
                table.rows[table.key_of(new)] = new

    # --- Rows -----------------------------------------------------------------------------------

    def put(self, table, columns, rows, key, gone):
        if table not in self.tables:
            return
        shape, changes = self.tables[table], Changes(self)
        named = set()

        def note(place):
            if place in named:
                raise Conflict("a row is named twice")
            named.add(place)

        for values in gone:
            place = tuple(held(dict(zip(key, values))[name], shape.columns[name]) for name in shape.key)
            note(place)
            changes.remove(shape, place)
        for values in rows:
            given = {name: held(value, shape.columns[name])
                     for name, value in zip(columns, values) if name in shape.columns}
            place = tuple(given[name] for name in shape.key)
            note(place)
            changes.write(shape, {**self.former(shape, place), **given})
        changes.finish()

    def former(self, table, place):
        return table.rows.get(place) or {c.name: c.default for c in table.columns.values()}

    # --- Events of the kind's own ---------------------------------------------------------------

    def carry_out(self, form, event):
        members = {}
        for name, kind in form["data"].items():
            value = event["data"].get(name)
            if value is None and not kind.endswith("?"):
                raise Conflict(f"{name} is missing")
            members[name] = None if value is None else value_of(value, kind.rstrip("?"))
        if set(event["data"]) - set(members):
            raise Conflict("a member is unknown")

        def operand(value, column):
            special = {"@at": event["at"], "@by": event["by"], "@sequence": event["seq"]}
            if isinstance(value, str) and value[:1] in "$@" and value[:1] == value[1:2]:
                value = value[1:]
            elif isinstance(value, str) and value.startswith("$"):
                value = members[value[1:]]
            elif isinstance(value, str) and value in special:
                value = special[value]
            elif value is not None:
                value = value_of(value, column.type)
            return float(value) if column.type == "number" and type(value) is int else value

        def key(table, values):
            values = values if isinstance(values, list) else [values]
            return tuple(operand(v, table.columns[n]) for v, n in zip(values, table.key))

        changes = Changes(self)
        for need in form.get("needs", []):
            table = self.tables[need.get("row") or need["noRow"]]
            row = table.rows.get(key(table, need["key"]))
            passes = row is not None and all(
                self.passes(row[name], test, table.columns[name], operand) for name, test in need.get("where", {}).items())
            if passes != ("row" in need):
                raise Conflict(need["else"])
        for step in form["does"]:
            verb = next(v for v in ("put", "merge", "set", "add", "remove", "removeAll") if v in step)
            table = self.tables[step[verb]]
            if verb in ("put", "merge"):
                row = {c.name: c.default for c in table.columns.values()}
                if verb == "merge":
                    known = changes.row(table, key(table, [step["row"][name] for name in table.key]))
                    row = dict(known) if known else row
                row.update({n: operand(v, table.columns[n]) for n, v in step["row"].items()})
                changes.write(table, row)
            elif verb in ("set", "add"):
                row = changes.row(table, key(table, step["key"]))
                if row is None:
                    raise Conflict("there is no such row")
                row = dict(row)
                for name, value in step["to"].items():
                    value = operand(value, table.columns[name])
                    if verb == "add":
                        if row[name] is None or value is None:
                            raise Conflict("NULL is no number")
                        value = row[name] + value
                        if type(value) is int and not -2**63 <= value < 2**63:
                            raise Conflict("the sum is too large")
                    row[name] = value
                changes.write(table, row)
            elif verb == "remove":
                changes.remove(table, key(table, step["key"]))
            else:
                wanted = {n: operand(v, table.columns[n]) for n, v in step["where"].items()}
                for place, row in changes.all(table):
                    if all(row[n] == v for n, v in wanted.items()):
                        changes.remove(table, place)
        changes.finish()

    @staticmethod
    def passes(value, test, column, operand):
        if isinstance(test, dict):
            (name, other), = test.items()
            other = operand(other, column)
            if name == "not":
                return value != other
            if value is None or other is None:
                return False
            order = (lambda v: v.encode()) if isinstance(value, str) else (lambda v: v)
            return order(value) >= order(other) if name == "atLeast" else order(value) <= order(other)
        return value in [operand(other, column) for other in (test if isinstance(test, list) else [test])]

    def rows(self):
        return {name: {key: tuple(row[c] for c in table.columns if c not in table.key)
                       for key, row in table.rows.items()} for name, table in self.tables.items()}

    def shapes(self):
        return {name: (table.key + [c for c in table.columns if c not in table.key], len(table.key))
                for name, table in self.tables.items()}


class Changes:
    """The changes of one event, which are made together or not at all."""

    def __init__(self, catalog):
        self.catalog, self.changed = catalog, {}

    def row(self, table, place):
        changed = self.changed.get(table.name, {})
        return changed[place] if place in changed else table.rows.get(place)

    def all(self, table):
        merged = {**table.rows, **self.changed.get(table.name, {})}
        return [(place, row) for place, row in merged.items() if row is not None]

    def write(self, table, row):
        for name, column in table.columns.items():
            checked(row[name], column)
        self.changed.setdefault(table.name, {})[table.key_of(row)] = row

    def remove(self, table, place):
        if self.row(table, place) is None:
            return
        self.changed.setdefault(table.name, {})[place] = None
        for child in self.catalog.tables.values():
            for column in child.columns.values():
                if column.refers == table.name and column.gone == "remove":
                    for key, row in self.all(child):
                        if row[column.name] == place[0]:
                            self.remove(child, key)

    def finish(self):
        for name, changed in self.changed.items():
            table = self.catalog.tables[name]
            merged = {**table.rows, **changed}
            for column in table.columns.values():
                values = [row[column.name] for row in merged.values() if row and row[column.name] is not None]
                if column.unique and len(set(values)) != len(values):
                    raise Conflict(f"another row has the same {column.name}")
        for name, changed in self.changed.items():
            rows = self.catalog.tables[name].rows
            for place, row in changed.items():
                rows.pop(place, None)
                if row is not None:
                    rows[place] = row


def widened(value, old, new):
    if old == new or value is None:
        return value
    if (old, new) not in WIDENINGS:
        raise ReducerError(f"{old} does not become {new}")
    if new == "number":
        if int(float(value)) != value:
            raise ReducerError(f"a number does not hold {value}")
        return float(value)
    if new == "text" and isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value) if new == "text" else value


def reduce():
    parser = Parser(prog="table-reducer", description="Rebuilds the tables of a catalog that describes itself from the "
                    "events and compares the database.")
    parser.add_argument("events", metavar="EVENTS_DIR", help="directory of segments, or a file of JSON Lines")
    parser.add_argument("database", metavar="DATABASE", nargs="?", help="the SQLite projection")
    parser.add_argument("--dump", metavar="TABLE", help="print a table's rows")
    parser.add_argument("--conflicts", action="store_true", help="print the events that change nothing")
    parser.add_argument("--limit", type=int, default=200, metavar="N", help="print at most N differences (200)")
    options = parser.parse_args()
    if [options.database is None, options.dump is None, not options.conflicts].count(False) != 1:
        parser.error("name either a DATABASE, --dump TABLE or --conflicts")
    model = fold(Catalog(), options.events)
    if options.conflicts:
        for sequence, type, why in model.conflicts:
            print(f"{sequence} {type}: {why}")
        return 0
    if options.dump:
        if options.dump not in model.tables:
            parser.error(f"there is no table {options.dump}")
        return dump(model, model.shapes(), options.dump)
    return compare(model, model.shapes(), options.database, options.limit)


if __name__ == "__main__":
    try:
        sys.exit(reduce())
    except (ReducerError, LinesError, OSError) as error:
        print(f"table-reducer: {error}", file=sys.stderr)
        sys.exit(1)
