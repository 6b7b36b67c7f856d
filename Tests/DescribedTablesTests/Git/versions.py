#!/usr/bin/env python3
"""Repositories with generated versions of a table, and a reader of their histories that knows nothing of the catalog's code.

usage: versions.py make REPO SEED COUNT NAME…      writes a repository by git fast-import: of each NAME a CSV with versions
       versions.py check REPO PROGRAM CATALOG TABLE=NAME…
                                                   compares each version, as `git show` gives it, with the rows at its time,
                                                   and the log's sources with git's commits
"""
import csv
import datetime
import io
import json
import random
import subprocess
import sys

WORDS = ["Rake", "Spade", "5\" pipe", "a,b", "line\nend", "Ä o\u0308 ñ", "", "NULL", "007", "x" * 60, "=1+1", "'"]


def git(repository, *arguments, data=None):
    run = subprocess.run(["git", "-C", repository, *arguments], input=data, capture_output=True)
    if run.returncode:
        raise SystemExit(f"git {arguments}: {run.stderr.decode()}")
    return run.stdout


def quoted(path):
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Table:
    """The rows of one file, which change from version to version."""

    def __init__(self, chance):
        self.chance = chance
        self.rows = {}
        self.columns = ["sku", "name", "price", "stock"]
        for _ in range(chance.randint(21, 60)):
            self.add()

    def add(self):
        chance = self.chance
        sku = f"S{chance.randrange(10_000):04d}"
        self.rows[sku] = [chance.choice(WORDS), f"{chance.randrange(1, 9_999) / 100:.2f}", str(chance.randrange(90))]

    def change(self):
        for sku in list(self.rows):
            draw = self.chance.random()
            if draw < 0.02:
                del self.rows[sku]
            elif draw < 0.1:
                self.rows[sku][self.chance.randrange(3)] = self.chance.choice(["", "7", "12", "3"])
        for _ in range(self.chance.randrange(3)):
            self.add()

    def text(self):
        out = io.StringIO()
        writer = csv.writer(out, lineterminator=self.chance.choice(["\n", "\r\n"]))
        order = list(self.rows)
        self.chance.shuffle(order)
        writer.writerow(self.columns)
        for sku in order:
            writer.writerow([sku] + self.rows[sku])
        return self.chance.choice(["", "\ufeff"]) + out.getvalue()


class Stream:
    """A stream for git fast-import."""

    def __init__(self, chance):
        self.chance = chance
        self.out = io.BytesIO()
        self.mark = 0
        self.time = 1_600_000_000

    def commit(self, branch, files, parent=None, merge=None):
        self.mark += 1
        self.time += self.chance.randrange(1, 90_000)
        zone = self.chance.choice(["+0000", "+0530", "-0800"])
        # The author's time is another one: it goes back.
        author = self.time - self.chance.randrange(10_000_000)
        text = [f"commit refs/heads/{branch}", f"mark :{self.mark}", f"author A <a@x> {author} {zone}",
                f"committer C <c@x> {self.time} {zone}", "data 1", "v"]
        if parent:
            text.append(f"from :{parent}")
        if merge:
            text.append(f"merge :{merge}")
        self.out.write(("\n".join(text) + "\n").encode())
        for path, content in files.items():
            if content is None:
                self.out.write(f"D {quoted(path)}\n".encode())
            else:
                data = content.encode()
                self.out.write(f"M 644 inline {quoted(path)}\ndata {len(data)}\n".encode() + data + b"\n")
        return self.mark


def make(repository, seed, count, names):
    chance = random.Random(int(seed))
    git(".", "init", "-q", "-b", "main", repository)
    stream = Stream(chance)
    tables = {name: Table(chance) for name in names}
    last = stream.commit("main", {"README": "a list"})
    gone = set()
    for _ in range(int(count)):
        name = chance.choice(names)
        table = tables[name]
        draw = chance.random()
        if draw < 0.08:
            last = stream.commit("main", {}, last)
        elif draw < 0.16:
            last = stream.commit("main", {"README": str(draw)}, last)
        elif draw < 0.24:
            last = stream.commit("main", {name: None}, last)
            gone.add(name)
        elif draw < 0.36 and not gone:
            # Two versions on a branch, of which the merge brings the second, or leaves what the branch had.
            side = last
            before = {key: list(value) for key, value in table.rows.items()}
            for _ in range(2):
                table.change()
                side = stream.commit("side", {name: table.text()}, side)
            last = stream.commit("main", {"README": str(draw)}, last)
            files = {"README": "merged"}
            if chance.random() < 0.5:
                files[name] = table.text()
            else:
                table.rows = before
            last = stream.commit("main", files, last, side)
        elif draw < 0.42 and name not in gone:
            last = stream.commit("main", {name: table.text()}, last)
        else:
            files = {}
            for each in names:
                if each == name or chance.random() < 0.3:
                    tables[each].change()
                    files[each] = tables[each].text()
            gone -= set(files)
            last = stream.commit("main", files, last)
    stream.commit("main", {each: tables[each].text() for each in names}, last)
    git(repository, "fast-import", "--quiet", data=stream.out.getvalue())


def versions(repository, name):
    """The commits of the branch at which the file is another one, with its rows."""
    found, before = [], None
    for commit in git(repository, "rev-list", "--first-parent", "--reverse", "main").decode().split():
        run = subprocess.run(["git", "-C", repository, "show", f"{commit}:{name}", "--"], capture_output=True)
        if run.returncode or run.stdout == before:
            before = None if run.returncode else before
            continue
        before = run.stdout
        rows = list(csv.reader(io.StringIO(before.decode("utf-8-sig"), newline="")))
        time = int(git(repository, "show", "-s", "--format=%ct", commit))
        found.append((commit, time, sorted(map(tuple, rows[1:]))))
    return found


def shown(row):
    sku, name, price, stock = row
    return (sku, name, float(price) if price else None, int(stock) if stock else None)


def check(repository, program, catalog, tables):
    def ask(*arguments):
        run = subprocess.run([program, *arguments, "--catalog", catalog, "--format", "json"], capture_output=True)
        if run.returncode:
            raise SystemExit(f"{arguments}: {run.stderr.decode()}")
        return run.stdout.decode()

    log = [json.loads(line) for line in ask("log").splitlines()]
    wanted, found = set(), set()
    for table, name in tables:
        last = None
        for commit, time, rows in versions(repository, name):
            answer = json.loads(ask(
                "query", "--at", stamp(time),
                f"SELECT sku, name, price, stock FROM {table} ORDER BY sku"))
            got = [tuple(row) for row in values(answer)]
            expected = sorted(map(shown, rows))
            if got != expected:
                raise SystemExit(f"{table} at {commit}: {set(got) ^ set(expected)}")
            if expected != last:
                wanted.add((table, commit, stamp(time)))
            last = expected
    for event in log:
        if event["type"] != "source.read":
            continue
        commit, name = event["data"]["name"].split(":", 1)
        by = event["by"]
        if by not in (f"git:{commit}:{name}", f"git:{commit}"):
            raise SystemExit(f"the source is {by}")
        for table, counts in event["data"]["tables"].items():
            if counts["new"] + counts["changed"] + counts["gone"]:
                found.add((table, commit, event["at"]))
    if wanted != found:
        raise SystemExit(f"sources: {wanted ^ found}")
    print(len(found))


def stamp(time):
    moment = datetime.datetime.fromtimestamp(time, datetime.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def values(answer):
    rows = answer["rows"] if isinstance(answer, dict) else answer
    return [list(row.values()) if isinstance(row, dict) else row for row in rows]


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(*sys.argv[2:5], sys.argv[5:])
    else:
        check(*sys.argv[2:5], [pair.split("=", 1) for pair in sys.argv[5:]])
