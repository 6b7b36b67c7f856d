"""The versions of a database that another program saved, beside programs that keep or compare such versions.

DoltLite and sqlite-history-json keep all tables (`peer_versions.py` says how); git-history keeps a list of products that is in a
git repository; csv-diff and sqldiff compare two files and keep nothing. If a program is not installed and pip cannot get it, a
note says so, and its rows are left out.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys

from benchmarks import versions
from benchmarks.past import ends
from benchmarks.setting import ROOT, Row

# Few rows, since git-history needs seconds for each version of a list of this size.
LISTED = 2_000
KEEPERS = ["doltlite", "sqlite-history-json"]
PACKAGES = [*KEEPERS, "git-history", "csv-diff"]


def rows(setting, python, had):
    saved = versions.written(setting.folder, setting.database, setting.versions)
    yield from tables(setting, python, had, saved)
    yield from lists(setting, python, had, saved)
    yield from scripts(setting, saved)


def tables(setting, python, had, saved):
    own, theirs = [], {}
    for _ in range(setting.runs):
        own.append(ours(setting, saved))
        for name in had:
            if name in KEEPERS:
                file = setting.removed(f"{name}.db")
                theirs.setdefault(name, []).append(answered(setting, python, name, file, *saved))
    shape = f"{setting.database:,} rows"
    many = f"{setting.versions} versions"
    yield Row(f"`adopt` of a database of {shape}", column(own, "first"), unit="s")
    yield Row(f"{many} of it by `capture`, a process each", column(own, "later"), unit="s")
    yield Row("making the history of them", column(own, "history"), unit="s")
    yield Row("log", column(own, "log", 1e-6), unit="MB")
    yield Row("log, database and history", column(own, "bytes", 1e-6), unit="MB")
    yield Row("all rows of all tables at a version, `history views`", column(own, "state"), unit="ms")
    yield Row("the same as a file, `materialize`", column(own, "file"), unit="ms")
    yield Row("all versions of a row, `history views`", column(own, "row"), unit="ms")
    for name, results in theirs.items():
        title = f"by {name} {results[0]['version']}, in ours"
        for wrong in {result["wrong"] for result in results if result["wrong"]}:
            setting.note(f"{name}: {wrong} rows of the version are not as they were saved")
        for what, member in ((f"taking in {shape}", "first"), (f"{many} of it", "later"),
                             ("bytes on disk", "bytes"), ("all rows at a version", "state"), ("versions of a row", "row")):
            yield Row(f"{what} {title}", [their[member] / our[member] for our, their in zip(own, results)])


def ours(setting, saved):
    """Times, sizes and answers of one catalog that adopts the first version and captures the others."""
    catalog = setting.removed_folder("adopted")
    here = ["--catalog", catalog]
    file = setting.path("adopted.sqlite")
    shutil.copy(saved[0], file)
    result = {"first": setting.timed([setting.program, "adopt", file, *here]).wall}
    later, heads = 0, [head(setting, catalog)]
    for path in saved[1:]:
        shutil.copy(path, file)
        later += setting.timed([setting.program, "capture", file, *here]).wall
        heads.append(head(setting, catalog))
    result["later"] = later
    result["history"] = setting.timed([setting.program, "history", "make", *here]).wall
    result["log"] = size(os.path.join(catalog, "events"))
    result["bytes"] = size(catalog)
    middle = len(saved) // 2
    script = setting.path("views.sql")
    setting.run([setting.program, "history", "views", script, *here])
    answers = answered(setting, sys.executable, "views", os.path.join(catalog, "history.sqlite"), script,
                   str(heads[middle]), saved[middle])
    if answers["wrong"]:
        sys.exit(f"bench: {answers['wrong']} rows at event {heads[middle]} are not those of {saved[middle]}")
    result["file"] = setting.timed([setting.program, "materialize", str(heads[middle]),
                                    setting.removed("then.sqlite"), *here]).wall * 1_000
    return {**result, "state": answers["state"], "row": answers["row"]}


def lists(setting, python, had, saved):
    """The first products of each version as a list of CSV in a repository of git, as programs that scrape keep them."""
    had = [name for name in ("git-history", "csv-diff") if name in had]
    if not shutil.which("git"):
        setting.note("git is not installed: lists in git are left out")
        return
    repository, files = committed(setting, saved)
    taken, kept, ratios = [], [], {name: [] for name in [*had, "bytes"]}
    document = f"product={repository}:product.csv"
    for _ in range(setting.runs):
        catalog = setting.removed_folder("listed")
        first = setting.timed([setting.program, "init", "--table", document, "--git", "--key", "sku", "--catalog", catalog]).wall
        taken.append(first + setting.timed([setting.program, "import", document, "--git", "--catalog", catalog]).wall)
        kept.append(size(os.path.join(catalog, "events")))
        for name in had:
            # A package that the system has is not installed again, and its command is elsewhere.
            program = shutil.which(name, path=os.path.dirname(python)) or shutil.which(name)
            if name == "git-history":
                file = setting.removed("listed.db")
                took = setting.timed([program, "file", file, os.path.join(repository, "product.csv"), "--repo", repository,
                                      "--id", "sku", "--csv", "--dialect", "excel", "--silent", "--branch", "main"]).wall
                ratios["bytes"].append(os.path.getsize(file) / size(catalog))
            else:
                took = sum(setting.timed([program, before, after, "--key", "sku", "--json"]).wall
                           for before, after in zip(files, files[1:]))
            ratios[name].append(took / taken[-1])
    with open(files[0], encoding="utf-8") as file:
        listed = sum(1 for _ in file) - 1
    shape = f"{len(saved)} versions of {listed:,} rows of CSV"
    yield Row(f"{shape} out of git", taken, unit="s")
    yield Row("log of them", [value / 1e6 for value in kept], unit="MB")
    for name in had:
        what = "out of git" if name == "git-history" else "compared, nothing is kept"
        yield Row(f"{shape} {what} by {name} {version(setting, python, name)}, in ours", ratios[name])
    if ratios["bytes"]:
        yield Row("bytes of git-history, in log and database", ratios["bytes"])
        setting.note("git-history: no state at a version, since it does not keep that a row is gone")


def scripts(setting, saved):
    """SQL that makes one version of the database the next."""
    if not shutil.which("sqldiff"):
        setting.note("sqldiff is not installed (Debian's sqlite3-tools): its row is left out")
        return
    ratios = []
    for _ in range(setting.runs):
        ours = setting.timed([setting.program, "diff", *saved[:2], "--sql"], statuses=(0, 2)).wall
        ratios.append(setting.timed(["sqldiff", "--primarykey", *saved[:2]]).wall / ours)
    yield Row(f"SQL of the difference of two databases of {setting.database:,} rows by sqldiff, in ours", ratios)


def committed(setting, saved):
    """A repository with a commit for each version of the list, and the lists as files."""
    folder = setting.path(f"lists-{setting.database}-{setting.versions}")
    repository = os.path.join(folder, "repository")
    files = [os.path.join(folder, os.path.basename(path).replace(".sqlite", ".csv")) for path in saved]
    if os.path.exists(folder):
        return repository, files
    shutil.rmtree(folder + ".new", ignore_errors=True)
    making = os.path.join(folder + ".new", "repository")
    os.makedirs(making)
    person = {"GIT_AUTHOR_NAME": "bench", "GIT_AUTHOR_EMAIL": "bench@example.com",
              "GIT_COMMITTER_NAME": "bench", "GIT_COMMITTER_EMAIL": "bench@example.com"}

    def git(*arguments, **more):
        subprocess.run(["git", "-C", making, *arguments], check=True, env={**os.environ, **person, **more})

    git("init", "-q", "-b", "main")
    for number, path in enumerate(saved):
        file = os.path.join(folder + ".new", os.path.basename(files[number]))
        versions.listed(path, file, LISTED)
        shutil.copy(file, os.path.join(making, "product.csv"))
        git("add", "product.csv")
        git("commit", "-q", "-m", "nightly", GIT_COMMITTER_DATE=f"{1_790_000_000 + number * 86_400} +0000",
            GIT_AUTHOR_DATE=f"{1_790_000_000 + number * 86_400} +0000")
    os.rename(folder + ".new", folder)
    return repository, files


def answered(setting, python, *arguments):
    script = str(ROOT / "Tools" / "benchmarks" / "peer_versions.py")
    return json.loads(setting.run([python, script, *arguments], stdout=subprocess.PIPE))


def version(setting, python, name):
    return setting.run([python, "-c", f"import importlib.metadata as m; print(m.version({name!r}))"],
                       stdout=subprocess.PIPE).strip()


def head(setting, catalog):
    return int(setting.run([setting.program, "head", "--catalog", catalog], stdout=subprocess.PIPE).split()[0])


def column(results, member, scale=1):
    return [result[member] * scale for result in results]


def size(folder):
    return sum(os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(folder) for name in names)
