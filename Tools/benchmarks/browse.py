"""Lists, facets and searches in one process that keeps its index (`embedder browse`).

Each question is asked as a screen with a list and a sidebar asks it: a page of 20 items, the total, and
facets in one call. Filters choose two values in each of three dimensions: the most frequent ones, the
seventh and eighth, the thirty-first and thirty-second. A row shows the slowest of its questions. "SQL
alone" is the same library answering the same without its index.
"""

import json
import subprocess

from benchmarks.setting import Row

# To reach, in ms, by the number of items: facets, pages, searches.
FACETS = {100_000: 1, 1_000_000: 10}
PAGES = {1_000_000: 5}
SEARCHES = {300_000: 5}
RUNS_A_QUESTION = 15


def rows(setting):
    sizes = sorted({100_000, setting.items} | ({setting.large} if setting.large else set()))
    for items in sizes:
        catalog = setting.catalog(items)
        asked = [browse(setting, catalog) for _ in range(setting.runs)]
        joins = [read_joins(setting, catalog) for _ in range(setting.runs)]

        def all_slowest(question, **wanted):
            return [slowest(lines, question, **wanted) for lines in asked]

        for mode in ("afterFilters", "disjunctive"):
            yield Row(f"facets ({mode}) with page and total, {items:,} items",
                      all_slowest("facets", detail=mode), at_most=FACETS.get(items), unit="ms")
        yield Row(f"page of any sort and filter, {items:,} items", all_slowest("page"),
                  at_most=PAGES.get(items), unit="ms")
        yield Row(f"search by a prefix, {items:,} items", all_slowest("search"),
                  at_most=SEARCHES.get(items), unit="ms")
        yield Row(f"facets behind an edit, {items:,} items", all_slowest("edited"), unit="ms")
        yield Row(f"first facets after opening, in readings of the joins, {items:,} items",
                  [first / read for first, read in zip(all_slowest("first"), joins)], at_most=2)
    plain = browse(setting, setting.catalog(), "--index-from", str(10 ** 9), runs=3)
    fast = {key(line): line["median"] for line in browse(setting, setting.catalog())}
    ratios = [line["median"] / fast[key(line)] for line in plain if line["question"] == "facets"]
    yield Row(f"facets by SQL alone, in facets from the index, {setting.items:,} items", ratios)


def slowest(lines, question, **wanted):
    """Of what was asked so, what took longest, in ms."""
    return max(line["median"] for line in lines
               if line["question"] == question
               and all(line.get(key) == value for key, value in wanted.items()))


def key(line):
    return line["question"], line.get("filter"), line.get("detail")


def browse(setting, catalog, *options, runs=RUNS_A_QUESTION):
    """The lines that embedder prints."""
    item = setting.run(["sqlite3", f"{catalog}/catalog.sqlite",
                        "SELECT item_id FROM projection_item WHERE kind = 'sfx' LIMIT 1"],
                       stdout=subprocess.PIPE).strip()
    copy = setting.copied(catalog)
    printed = setting.run([setting.embedder, "browse", copy, "--runs", str(runs), "--edit", item, *options],
                          stdout=subprocess.PIPE)
    return [json.loads(line) for line in printed.splitlines()]


def read_joins(setting, catalog):
    """How long SQLite takes to hand over every row of every join once, in ms: its own tool, no text made."""
    tables = setting.run(
        ["sqlite3", f"{catalog}/catalog.sqlite",
         "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'item\\_%' ESCAPE '\\' "
         "AND name <> 'item_local_audio'"], stdout=subprocess.PIPE).split()
    sql = "".join(f"SELECT max(item_id), sum({table.removeprefix('item_')}_id) FROM {table};"
                  for table in tables)
    return setting.timed(["sqlite3", f"{catalog}/catalog.sqlite", sql]).wall * 1_000
