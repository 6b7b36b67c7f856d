"""The past beside the present: what the history costs, and what questions to it take.

Two histories of the same items: 40 revisions that change one item in a hundred each, and one revision that changes nine
of ten. A question is a whole command, `head` taken off; what it is compared with is measured in the same run.
"""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

from benchmarks.setting import ROOT, Row
from benchmarks.start import middle

REVISIONS = 40
ITEM = "(SELECT item_id FROM item_mood ORDER BY item_id LIMIT 1)"
# A question, and how many times its time on the live rows it may take.
QUESTIONS = {
    "a point question": (f"SELECT title FROM library_item WHERE id = {ITEM}", 1.3),
    "the tags of an item": (f"SELECT mood_id FROM item_mood WHERE item_id = {ITEM}", 1.3),
    "a facet over two joins": (
        "SELECT m.name, count(*) FROM mood m JOIN item_mood t ON t.mood_id = m.id JOIN library_item i "
        "ON i.id = t.item_id WHERE i.kind = 'sfx' AND i.is_visible GROUP BY m.name", 1.6),
    "a group over one table": ("SELECT mood_id, count(*) FROM item_mood GROUP BY mood_id", 3),
    "a scan of one table": ("SELECT sum(length(title)) FROM library_item", 2.5),
    "a scan of a table that did not change": ("SELECT sum(length(item_id)) FROM pack_item", 1.1),
}


def rows(setting):
    many, large = catalog(setting, REVISIONS, 1), catalog(setting, 2, 90)
    yield from making(setting, many, f"{REVISIONS} revisions of 1 %")
    yield from making(setting, large, "a revision of 90 %")
    yield from questions(setting, many, f"{REVISIONS} revisions of 1 %")
    yield from questions(setting, large, "a revision of 90 %")
    yield from differences(setting, many, large)
    yield from without(setting, many)
    yield from keeping(setting, many)
    yield from diverging(setting, many)


def catalog(setting, revisions, change, items=None):
    """A catalog with so many revisions of a seed, each of which changes so many items in a hundred."""
    items = items or setting.items
    path = setting.path(f"past-{items}-{revisions}-{change}")
    if os.path.exists(path):
        return path
    setting.note(f"importing {revisions} revisions of {items:,} items, {change} % each …")
    shutil.rmtree(path + ".new", ignore_errors=True)
    seed = setting.path("past-seed.json")
    for number in range(1, revisions + 1):
        with open(seed, "wb") as file:
            subprocess.run([str(ROOT / "Tools" / "generate-seed"), "--items", str(items), "--tags", "5",
                            "--revision", str(number), "--change", str(change)], stdout=file, check=True)
        setting.run([setting.program, "import", seed, "--catalog", path + ".new"])
    os.rename(path + ".new", path)
    return path


def making(setting, path, shape):
    made, memory = [], []
    for _ in range(setting.runs):
        rebuilt = setting.timed([setting.program, "rebuild", "--catalog", path])
        history = setting.timed([setting.program, "history", "make", "--again", "--catalog", path])
        made.append(history.processor / rebuilt.processor)
        memory.append(history.kib / rebuilt.kib)
    yield Row(f"making the history, in rebuilds, {shape}", made, at_most=1.35)
    yield Row(f"memory of making it, in that of a rebuild, {shape}", memory, at_most=2)
    live, whole, ended = sizes(path)
    yield Row(f"size of the history, in that of the database, {shape}", [whole / live])
    if ended:
        yield Row("its bytes beyond 1.15 databases, in bytes of the ended versions with their indexes, "
                  + shape, [max(0, whole - 1.15 * live) / ended], at_most=1.5)


def sizes(path):
    """Bytes of the database, of the history, and of the versions in it that have ended; 0 if SQLite cannot tell."""
    history = os.path.join(path, "history.sqlite")
    base = sqlite3.connect(f"file:{history}?mode=ro", uri=True)
    ended = 0
    try:
        pages = dict(base.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
        for name in [name for name in pages if name[0] == "g" and not pages.keys().isdisjoint(
                {f"{name}_ended", f"{name}_began"})]:
            count, over = base.execute(f"SELECT count(*), total(_to < 0) FROM {name}").fetchone()
            indexes = sum(size for index, size in pages.items()
                          if index.startswith(f"{name}_") and index[len(name) + 1:] in
                          ("key", "1", "2", "3", "4", "ended", "began"))
            ended += (pages[name] + indexes) * over / max(count, 1)
    except sqlite3.OperationalError:
        pass
    return os.path.getsize(os.path.join(path, "catalog.sqlite")), os.path.getsize(history), ended


def questions(setting, path, shape):
    here = ["--catalog", path]
    moment = str(head(setting, path) * 3 // 4)
    ratios = {}
    counts = []
    for _ in range(setting.runs):
        nothing = middle(setting, [setting.program, "head", *here])
        for name, (sql, _) in QUESTIONS.items():
            live = middle(setting, [setting.program, "query", sql, *here])
            past = middle(setting, [setting.program, "query", "--at", moment, sql, *here])
            ratios.setdefault(name, []).append((past - nothing) / (live - nothing))
        small = middle(setting, [setting.program, "query", "--at", moment, "SELECT 1", *here])
        count = middle(setting, [setting.program, "query", "--at", moment,
                                 "SELECT count(*) FROM item_mood", *here])
        counts.append((count - small) * 1_000)
    for name, values in ratios.items():
        yield Row(f"{name} at a moment, in the same live, {shape}", values, at_most=QUESTIONS[name][1])
    yield Row(f"`count(*)` at a moment beyond `SELECT 1`, {shape}", counts, at_most=1, unit="ms")


def differences(setting, many, large):
    here = ["--catalog", many]
    batches = ends(many)
    last, before = batches[-1], batches[-2]
    item = setting.run([setting.program, "query", f"SELECT {ITEM}", "--format", "json", *here],
                       stdout=subprocess.PIPE)
    key = json.loads(item)["rows"][0][0]
    found = {}

    def beyond(name, arguments, statuses=(0,)):
        times = sorted(setting.timed([setting.program, *arguments], statuses=statuses).wall for _ in range(9))
        found.setdefault(name, []).append(times[4])

    for _ in range(setting.runs):
        beyond("head", ["head", *here])
        beyond("diff", ["diff", str(before), str(last), "--summary", *here], (2,))
        beyond("blame", ["blame", "library_item", key, *here])
        beyond("row", ["history", "row", "library_item", key, *here])
        beyond("receipt", ["receipt", "--at", str(before), *here])
    nothing = found.pop("head")

    def values(name, scale):
        return [(time - start) * scale for time, start in zip(found[name], nothing)]

    yield Row("`diff` of a revision of 1 % beyond `head`", values("diff", 1), at_most=0.15, unit="s")
    for name, words in (("blame", "`blame` of a row"), ("row", "`history row`"), ("receipt", "`receipt --at`")):
        yield Row(f"{words} beyond `head`", values(name, 1_000), at_most=10, unit="ms")
    here = ["--catalog", large]
    first, last = ends(large)[-2:]
    base = sqlite3.connect(f"file:{large}/history.sqlite?mode=ro", uri=True)
    differing = base.execute("SELECT sum(added + removed + changed) FROM history_step WHERE last = ?",
                             (last,)).fetchone()[0]
    took = [setting.timed([setting.program, "diff", str(first), str(last), "--summary", *here],
                          statuses=(2,)).wall for _ in range(setting.runs)]
    yield Row(f"`diff` of a revision of 90 %, {differing:,} rows, a row",
              [time * 1e6 / differing for time in took], at_most=4, unit="µs")


def without(setting, path):
    here = ["--no-history", "--catalog", path]
    moment = str(head(setting, path) * 3 // 4)
    differences, queries, searches = [], [], []
    question = turning(path)
    for _ in range(setting.runs):
        rebuilt = setting.timed([setting.program, "rebuild", "--catalog", path]).processor
        differences.append(setting.timed([setting.program, "diff", moment, "live", "--summary", *here],
                                         statuses=(2,)).processor / rebuilt)
        queries.append(setting.timed([setting.program, "query", "--at", moment, "SELECT 1", *here]).processor
                       / rebuilt)
        done = subprocess.run([setting.program, "bisect", question, "--catalog", path],
                              capture_output=True, text=True)
        asked = int(re.search(r"(\d+) of \d+ states queried", done.stderr).group(1))
        searched = setting.timed([setting.program, "bisect", question, "--catalog", path],
                                 statuses=(2,)).processor
        nothing = setting.timed([setting.program, "head", "--catalog", path]).processor
        searches.append((searched - nothing) / asked * 20 / rebuilt)
    yield Row("`bisect` with the history, for 20 questions, in rebuilds", searches, at_most=0.1)
    yield Row("`diff A live` without a history, in rebuilds", differences, at_most=0.8)
    yield Row("`query --at` without a history, in rebuilds", queries, at_most=0.6)


def diverging(setting, path):
    """A catalog and its copy with one revision more, and another copy in which that revision is another one."""
    copies = []
    for change in (1, 2):
        copy = setting.removed_folder(f"diverging-{change}")
        shutil.copytree(path, copy)
        seed = setting.path("past-seed.json")
        with open(seed, "wb") as file:
            subprocess.run([str(ROOT / "Tools" / "generate-seed"), "--items", str(setting.items), "--tags", "5",
                            "--revision", str(REVISIONS + 1), "--change", str(change)], stdout=file, check=True)
        setting.run([setting.program, "import", seed, "--catalog", copy])
        setting.run([setting.program, "history", "make", "--catalog", copy])
        copies.append(copy)
    took = [setting.timed([setting.program, "diverge", *copies], statuses=(2,)).wall
            for _ in range(setting.runs)]
    yield Row(f"`diverge` of two catalogs whose last revisions differ, {head(setting, copies[0]):,} events", took,
              at_most=1, unit="s")
    for copy in copies:
        shutil.rmtree(copy)


def turning(path):
    """A question by an index whose answer changes, and does not change back."""
    base = sqlite3.connect(f"file:{path}/history.sqlite?mode=ro", uri=True)
    for mood, in base.execute("SELECT DISTINCT mood_id FROM g0_item_mood"):
        first, last = (base.execute(
            f"SELECT count(*) FROM g0_item_mood WHERE mood_id = ? AND {condition}", (mood,)).fetchone()[0]
            for condition in (f"_from <= {ends(path)[1]}", "_to = 0"))
        if last > first:
            return f"SELECT count(*) > {first} FROM item_mood WHERE mood_id = {mood}"
    sys.exit("bench: the revisions change no mood")


def keeping(setting, path):
    """A history that lacks one revision, beside a database that lacks it."""
    kept = []
    for _ in range(setting.runs):
        copy = setting.copied(path)
        seed = setting.path("past-seed.json")
        with open(seed, "wb") as file:
            subprocess.run([str(ROOT / "Tools" / "generate-seed"), "--items", str(setting.items), "--tags", "5",
                            "--revision", str(REVISIONS + 1)], stdout=file, check=True)
        shutil.copy(os.path.join(copy, "catalog.sqlite"), setting.path("before.sqlite"))
        setting.run([setting.program, "import", seed, "--catalog", copy])
        history = setting.timed([setting.program, "history", "make", "--catalog", copy]).processor
        shutil.copy(setting.path("before.sqlite"), os.path.join(copy, "catalog.sqlite"))
        live = setting.timed([setting.program, "items", "sfx", "--limit", "1", "--catalog", copy]).processor
        kept.append(history / live)
    yield Row("keeping the history up with a revision of 1 %, in applying it to the live rows", kept,
              at_most=0.5)


def ends(path):
    base = sqlite3.connect(f"file:{path}/history.sqlite?mode=ro", uri=True)
    return [last for last, in base.execute("SELECT last FROM history_batch ORDER BY last")]


def head(setting, path):
    return int(setting.run([setting.program, "head", "--catalog", path], stdout=subprocess.PIPE).split()[0])
