"""Others doing the same in the same run: DuckDB and tantivy for facets, `eventsourcing` for a log of events, DoltLite for
the past, and those of `adopted.py` for the versions of a database.

They come from PyPI into an environment that is thrown away with the data; what Python has installed is used as it is. A
peer that cannot be had, because there is no network, for example, is a note, and its rows are left out. Each is asked in the way
that suits it best (`peer_facets.py`, `peer_events.py`, `peer_past.py`, `peer_versions.py` say how), and its counts must be ours.
"""

import json
import os
import shutil
import subprocess
import sys

from benchmarks import adopted
from benchmarks.append import appended
from benchmarks.browse import browse
from benchmarks.past import catalog as revised
from benchmarks.past import ends
from benchmarks.setting import ROOT, Row
from benchmarks.start import middle


def rows(setting, subjects):
    wanted = [package for subject in subjects for package in PACKAGES[subject]]
    python, had = environment(setting, list(dict.fromkeys(wanted)))
    for subject in subjects:
        if subject == "adopted":
            # It has rows of our own, and peers that are not from PyPI.
            yield from adopted.rows(setting, python, had)
        elif any(package in had for package in PACKAGES[subject]):
            yield from SUBJECTS[subject](setting, python, had)


def environment(setting, packages):
    """The Python of an environment, and which of the packages it has; each of the others is a note."""
    folder = setting.folder / "peers"
    python = folder / "bin" / "python"
    made = subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", str(folder)], capture_output=True, text=True)
    if made.returncode != 0:
        setting.note(f"Python makes no environment for {', '.join(packages)}: {(made.stderr or made.stdout).strip()[-300:]}")
        return str(python), []
    had = []
    for package in packages:
        done = subprocess.run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package],
                              capture_output=True, text=True)
        if done.returncode == 0:
            had.append(package)
        else:
            # The last line has the reason; those before it can be a hundred.
            reason = (done.stderr.strip().splitlines() or ["pip gives no reason"])[-1]
            setting.note(f"{package} cannot be installed, its rows are left out: {reason}")
    return str(python), had


def facets(setting, python, had):
    catalog = setting.catalog()
    lines = browse(setting, catalog, "--answers")
    ours = [line for line in lines if line["question"] == "facets"]
    answers = setting.path("answers.json")
    with open(answers, "w", encoding="utf-8") as file:
        json.dump(ours, file)
    for name in had:
        if name not in PACKAGES["facets"]:
            continue
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


def events(setting, python, had):
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


def past(setting, python, had):
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


PACKAGES = {"facets": ["duckdb", "tantivy"], "events": ["eventsourcing"], "past": ["doltlite"], "adopted": adopted.PACKAGES}
SUBJECTS = {"facets": facets, "events": events, "past": past}
