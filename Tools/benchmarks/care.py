"""What stands around a rebuild: verifying, listing, looking at one event, the first change behind an import.

The catalog has two revisions of a seed in its log, the second of which changes 90 % of the items. `verify` and
`verify --thorough` are told in rebuilds of the same log, by wall and by processor time, those of the processes that
they start included; the quick proof in SQLite's own `PRAGMA quick_check`, which reads the same pages; commands that
answer with a line or two in milliseconds beyond `head`, which reads the log's last header alone.
"""

import os
import shutil
import statistics

from benchmarks.revision import revision
from benchmarks.setting import Row

ITEM = "SELECT id FROM library_item WHERE kind = 'sfx' LIMIT 1"
# Begins words of three quarters of all items; and a tag that a quarter of them have.
COMMON = "a"
TAG = "action"
STARTS = 10


def rows(setting):
    catalog = revised(setting)
    database = os.path.join(catalog, "catalog.sqlite")

    def command(*words):
        return [setting.program, *words, "--catalog", catalog]

    walls, processors, quick, thorough, lint = [], [], [], [], []
    for _ in range(setting.runs):
        rebuild = setting.timed(command("rebuild", "--out", setting.removed("rebuilt.sqlite")))
        verify = setting.timed(command("verify"))
        walls.append(verify.wall / rebuild.wall)
        processors.append(verify.processor / rebuild.processor)
        check = setting.timed(["sqlite3", database, "PRAGMA quick_check"])
        quick.append(setting.timed(command("verify", "--quick")).wall / check.wall)
        lint.append(setting.timed(command("lint", "--brief"), statuses=(0, 2)).wall)
    for _ in range(max(1, setting.runs // 3)):
        rebuild = setting.timed(command("rebuild", "--out", setting.removed("rebuilt.sqlite")))
        thorough.append(setting.timed(command("verify", "--thorough")).wall / rebuild.wall)
    setting.removed("rebuilt.sqlite")
    yield Row("`verify`, in rebuilds, wall time", walls, at_most=2.5)
    yield Row("`verify`, in rebuilds, processor time", processors, at_most=4)
    yield Row("`verify --thorough`, in rebuilds, wall time", thorough, at_most=6)
    yield Row("`verify --quick`, in `PRAGMA quick_check`", quick, at_most=1.5)
    yield Row("`lint --brief`", lint, at_most=1, unit="s")

    carried, imports = [], []
    last = int(setting.run(command("head"), stdout=-1).split()[0])
    for _ in range(setting.runs):
        bulk, mixed = (
            setting.timed(command("replay", "--mode", mode, "--through", str(last), "--out",
                                  setting.removed("replayed.sqlite"))).processor
            for mode in ("memory", "carried"))
        # All but the last 50,000 are folded by both.
        carried.append((mixed - bulk) / 50_000 / (bulk / last) + 1)
        imports.append(revising(setting))
    setting.removed("replayed.sqlite")
    yield Row("an event carried row by row, in folded ones, processor time", carried)
    yield Row("import of the revision, in planning it and one rebuild", imports, at_most=1.3)

    item = setting.run(["sqlite3", database, ITEM], stdout=-1).strip()
    for name, words in [
            ("`event`, in the middle of a long batch", ["event", str(last - 100_000)]),
            ("`log --newest --limit 1`", ["log", "--newest", "--limit", "1"]),
            (f"`search {COMMON} --limit 20`", ["search", COMMON, "--limit", "20"]),
            (f"`search {TAG} --limit 20`", ["search", TAG, "--limit", "20"])]:
        beyond = []
        for _ in range(setting.runs):
            head = middle(setting, command("head"))
            beyond.append((middle(setting, command(*words)) - head) * 1_000)
        yield Row(f"{name}, beyond `head`", beyond, at_most=50, unit="ms")

    starts = []
    for _ in range(setting.runs):
        head = middle(setting, command("head"))
        starts.append(max(
            middle(setting, command(*words)) - head
            for words in [["items", "sfx", "--limit", "1"], ["item", item], ["query", "SELECT 1"],
                          ["log", "--limit", "1"], ["history", "status"]]) * 1_000)
    yield Row("slowest start of `items`, `item`, `query`, `log`, `history status`, beyond `head`", starts, at_most=10,
              unit="ms")

    first = []
    for _ in range(max(1, setting.runs // 2)):
        fresh = setting.removed_folder("first")
        setting.run([setting.program, "import", setting.seed(setting.items), "--catalog", fresh])
        first.append(setting.timed([setting.program, "tag", "add", item, "--mood", "Cozy", "--catalog",
                                    fresh]).wall * 1_000)
    setting.removed_folder("first")
    yield Row("`tag add`, the first behind an import", first, at_most=100, unit="ms")


def revising(setting):
    """The import of a revision of most items, in what it takes to plan it and to rebuild behind it."""
    seed = revision(setting, setting.items, change=90)
    catalog = setting.copied(setting.catalog())
    planning = setting.timed([setting.program, "import", seed, "--dry-run", "--catalog", catalog], statuses=(0, 2))
    importing = setting.timed([setting.program, "import", seed, "--catalog", catalog])
    rebuild = setting.timed([setting.program, "rebuild", "--out", setting.removed("rebuilt.sqlite"),
                             "--catalog", catalog])
    setting.removed("rebuilt.sqlite")
    return importing.wall / (planning.wall + rebuild.wall)


def revised(setting):
    """A catalog with a first import and a revision of most of it."""
    path = setting.path(f"twice-{setting.items}")
    if not os.path.exists(path):
        catalog = setting.copied(setting.catalog())
        setting.run([setting.program, "import", revision(setting, setting.items, change=90), "--catalog", catalog])
        shutil.rmtree(path, ignore_errors=True)
        os.rename(catalog, path)
    return path


def middle(setting, arguments):
    """The median of some starts, in seconds."""
    return statistics.median(setting.timed(arguments).wall for _ in range(STARTS))
