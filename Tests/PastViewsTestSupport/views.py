#!/usr/bin/env python3
"""Asks statements of the views over a history, at many moments in one connection, and of the database of each moment.

usage: views.py WORK.json     {"history", "views", "moments": [{"sequence", "file", "statements", "versions"}]}

Prints how many statements had the same answers; ends with 1 and the first that had another one.
"""
import json
import sqlite3
import sys


def answer(database, sql):
    cursor = database.execute(sql)
    # A type besides the value: 1, 1.0 and '1' are three answers.
    rows = sorted([[type(cell).__name__, cell] for cell in row].__repr__() for row in cursor)
    return [column[0] for column in cursor.description], rows


def main():
    work = json.load(open(sys.argv[1]))
    history = sqlite3.connect(f"file:{work['history']}?mode=ro", uri=True, isolation_level=None)
    history.executescript(open(work["views"], encoding="utf-8").read())
    count = rows = 0
    for moment in work["moments"]:
        history.execute("UPDATE moment SET sequence = ?", (moment["sequence"],))
        state = sqlite3.connect(f"file:{moment['file']}?mode=ro", uri=True)
        for sql in moment["statements"]:
            wanted, found = answer(state, sql), answer(history, sql)
            if wanted != found:
                raise SystemExit(f"event {moment['sequence']}: {sql}\n{wanted}\n{found}")
            count += 1
            rows += len(wanted[1])
        for table, sums in moment["versions"].items():
            sql = ("SELECT count(*), count(_to), coalesce(sum(_from), 0), coalesce(sum(_to), 0) "
                   f'FROM "{table}_history"')
            found = list(history.execute(sql).fetchone())
            if found != sums:
                raise SystemExit(f"event {moment['sequence']}: versions of {table}: {found}, not {sums}")
        state.close()
    generations = history.execute("SELECT count(*) FROM history_generation WHERE number > 0").fetchone()[0]
    print(f"{count} statements, {rows} rows, {generations} later generations")


main()
