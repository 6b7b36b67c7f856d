"""Others doing the same in the same run: DuckDB and tantivy for facets, `eventsourcing` for a log of events, DoltLite for
the past.

They come from PyPI into an environment that is thrown away with the data. Where that cannot be made, for
want of a network or of Python's venv, a note says so and the rows are left out. Each is asked in the way
that suits it best (`peer_facets.py`, `peer_events.py`, `peer_past.py` say how), and its counts must be ours.
"""

import json
import os
import shutil
import subprocess
import sys

from benchmarks.append import appended
from benchmarks.browse import browse
from benchmarks.past import catalog as revised
from benchmarks.past import ends
from benchmarks.setting import ROOT, Row
from benchmarks.start import middle

PACKAGES = ["duckdb", "tantivy", "eventsourcing", "doltlite"]


def rows(setting):
    python = environment(setting)
    if python is None:
        return
    yield from facets(setting, python)
    yield from events(setting, python)
    yield from past(setting, python)


def environment(setting):
    """The Python of an environment with the peers; nil where there is none."""
    folder = setting.folder / "peers"
    python = folder / "bin" / "python"
    for command in ([sys.executable, "-m", "venv", str(folder)],
                    [str(python), "-m", "pip", "install", "--quiet", *PACKAGES]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            setting.note(f"peers are left out: {' '.join(command)}: {done.stderr.strip()[-300:]}")
            return None
    return str(python)


def facets(setting, python):
    catalog = setting.catalog()
    lines = browse(setting, catalog, "--answers")
    ours = [line for line in lines if line["question"] == "facets"]
    answers = setting.path("answers.json")
    with open(answers, "w", encoding="utf-8") as file:
        json.dump(ours, file)
    for name in ("duckdb", "tantivy"):
        ratios = {}
        for run in range(setting.runs):
            if run:
                ours = [line for line in browse(setting, catalog) if line["question"] == "facets"]
            theirs = json.loads(setting.run(
                [python, str(ROOT / "Tools" / "benchmarks" / "peer_facets.py"), name,
                 f"{catalog}/catalog.sqlite", answers, "15"], stdout=subprocess.PIPE))
            for line, took in zip(ours, theirs["times"]):
                ratios.setdefault(line["detail"], []).append(took / line["median"])
        setting.note(f"{name}: {theirs['version']}, {theirs['settings']}")
        for mode, values in ratios.items():
            yield Row(f"facets ({mode}) by {name} {theirs['version']}, in ours, {setting.items:,} items", values)


def events(setting, python):
    catalog = setting.catalog()
    count = min(setting.items, 30_000)
    lines = setting.path("peer-lines.jsonl")
    with open(lines, "wb") as file:
        zstd = subprocess.Popen(["zstd", "-dcq", *setting.segments(catalog)], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL)
        for _ in range(count):
            file.write(zstd.stdout.readline())
        zstd.kill()
        zstd.wait()
    rates = {}
    for _ in range(setting.runs):
        theirs = json.loads(setting.run(
            [python, str(ROOT / "Tools" / "benchmarks" / "peer_events.py"), lines,
             setting.removed("peer.sqlite")], stdout=subprocess.PIPE))
        rates.setdefault("append of one event", []).append(
            appended(setting, f"{catalog}/events", 1, 3_000) / theirs["single"])
        rates.setdefault("append of 100 events", []).append(
            appended(setting, f"{catalog}/events", 100, count) / theirs["hundred"])
        # Ours decompresses, checks the chain and decodes every event to its type.
        took = setting.timed([setting.embedder, "scan", f"{catalog}/events"]).wall
        head = int(setting.run([setting.program, "head", "--catalog", catalog],
                               stdout=subprocess.PIPE).split()[0])
        rates.setdefault("reading all events, decoded", []).append(head / took / theirs["read"])
    setting.note(f"eventsourcing: {theirs['version']}, {theirs['settings']}")
    for name, values in rates.items():
        yield Row(f"{name}, our rate in those of eventsourcing {theirs['version']}", values)


def past(setting, python):
    """The rows of two tables after each of 300 revisions of 1 %, and 20,000 changes of one row."""
    path = revised(setting, 300, 1, items=12_000)
    here = ["--catalog", path]
    program = [python, str(ROOT / "Tools" / "benchmarks" / "peer_past.py")]
    setting.run([setting.program, "history", "make", *here])
    moments = ends(path)[1:]
    file = setting.removed("peer-past.db")
    loading = subprocess.Popen([*program, "load", file], stdin=subprocess.PIPE, text=True)
    for moment in moments:
        tables = {}
        for name, columns in (("library_item", "id, kind, title, updated_at"), ("item_mood", "item_id, mood_id")):
            answer = setting.run([setting.program, "query", "--at", str(moment), f"SELECT {columns} FROM {name}",
                                  "--format", "json", *here], stdout=subprocess.PIPE)
            tables[name] = [[str(cell) for cell in row] for row in json.loads(answer)["rows"]]
        loading.stdin.write(json.dumps(tables) + "\n")
    loading.stdin.close()
    if loading.wait() != 0:
        sys.exit("bench: DoltLite did not take the rows")
    item = tables["item_mood"][0][0]
    at = len(moments) // 2
    moment, before, last = str(moments[-1 - at]), str(moments[-2]), str(moments[-1])
    ours = {
        "point": ["query", "--at", moment, f"SELECT title FROM library_item WHERE id = '{item}'"],
        "group": ["query", "--at", moment, "SELECT i.kind, count(*) FROM item_mood t JOIN library_item i "
                  "ON i.id = t.item_id GROUP BY i.kind"],
        "diff": ["diff", before, last, "--table", "library_item"],
        "blame": ["blame", "library_item", item]}
    words = {"point": "one row at a moment", "group": "a group over a join at a moment",
             "diff": "the difference of one revision in one table", "blame": "blame of one row"}
    ratios = {}
    for _ in range(setting.runs):
        nothing = middle(setting, [setting.program, "head", *here])
        theirs = json.loads(setting.run([*program, "ask", file, item, str(at), "15"], stdout=subprocess.PIPE))
        for name, question in ours.items():
            times = sorted(setting.timed([setting.program, *question, *here], statuses=(0, 2)).wall
                           for _ in range(15))
            ratios.setdefault(name, []).append(theirs[name] / 1_000 / max(times[7] - nothing, 1e-4))
    setting.note(f"doltlite: {theirs['version']}, an open connection; ours is a command, `head` taken off")
    for name, values in ratios.items():
        yield Row(f"{words[name]} by DoltLite {theirs['version']}, in ours", values)
    yield Row("bytes of DoltLite (two tables, 300 commits of 1 %), in log and history (all tables)",
              [theirs["bytes"] / bytes_of(path)])
    yield Row("opening DoltLite with 300 commits", [theirs["opening"]], unit="ms")
    single = json.loads(setting.run([*program, "single", setting.removed("peer-single.db"), "20000"],
                                    stdout=subprocess.PIPE))
    copy = setting.removed_folder("single")
    setting.run([setting.embedder, "copy", f"{setting.catalog()}/events", f"{copy}/events", "--seals", "--count",
                 "20000", "--batch", "1"], makes=copy)
    setting.run([setting.program, "rebuild", "--catalog", copy])
    setting.run([setting.program, "history", "make", "--catalog", copy])
    yield Row("bytes of DoltLite after 20,000 commits of one row, in log and history of 20,000 batches",
              [single["bytes"] / bytes_of(copy)])
    yield Row("opening DoltLite with 20,000 commits", [single["opening"]], unit="ms")
    shutil.rmtree(copy)


def bytes_of(path):
    events = os.path.join(path, "events")
    files = [os.path.join(events, name) for name in os.listdir(events)] + [os.path.join(path, "history.sqlite")]
    return sum(os.path.getsize(file) for file in files)
