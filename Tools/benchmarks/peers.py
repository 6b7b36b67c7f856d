"""Others doing the same in the same run: DuckDB and tantivy for facets, `eventsourcing` for a log of events.

They come from PyPI into an environment that is thrown away with the data. Where that cannot be made, for
want of a network or of Python's venv, a note says so and the rows are left out. Each is asked in the way
that suits it best (`peer_facets.py`, `peer_events.py` say how), and its counts must be ours.
"""

import json
import subprocess
import sys

from benchmarks.append import appended
from benchmarks.browse import browse
from benchmarks.setting import ROOT, Row

PACKAGES = ["duckdb", "tantivy", "eventsourcing"]


def rows(setting):
    python = environment(setting)
    if python is None:
        return
    yield from facets(setting, python)
    yield from events(setting, python)


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
