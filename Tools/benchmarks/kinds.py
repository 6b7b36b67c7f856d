"""What the subjects `concerts` and `tracks` share: import and rebuild beside SQLite reading the same rows, pages."""

import json
import os
import statistics
import subprocess

from benchmarks.setting import Row


# The command of embedder that asks.
SUBJECT = {"concert-archive": "concerts", "track-library": "tracks"}


def rows(setting, kind, things, importing, document, browsing):
    """Rows of one kind. `things` says what was imported; `importing` are the words before the document, `browsing` those
    that `catalogctl` is timed with."""
    def imported():
        folder = setting.removed_folder(kind)
        setting.run([setting.program, "init", "--kind", kind, "--catalog", folder])
        return folder, setting.timed([setting.program, *importing, document, "--catalog", folder]).wall

    folder, _ = imported()
    database, dump = os.path.join(folder, "catalog.sqlite"), setting.path(f"{kind}.sql")
    with open(dump, "w", encoding="utf-8") as file:
        subprocess.run(["sqlite3", database, ".dump"], stdout=file, check=True)
    imports, rebuilds = [], []
    for _ in range(setting.runs):
        folder, took = imported()
        with open(dump, encoding="utf-8") as file:
            loaded = setting.timed(["sqlite3", setting.removed("loaded.sqlite")], stdin=file).wall
        imports.append(took / loaded)
        rebuilt = setting.timed([setting.program, "rebuild", "--out", setting.removed("rebuilt.sqlite"),
                                 "--catalog", folder]).wall
        rebuilds.append(loaded / rebuilt)
    setting.removed("loaded.sqlite")
    setting.removed("rebuilt.sqlite")
    yield Row(f"import of {things}, in times of `sqlite3 < dump.sql`", imports, at_most=4)
    yield Row(f"rebuild of {things}, times as fast as `sqlite3 < dump.sql`", rebuilds, at_least=1)
    pages = [asked(setting, kind, folder) for _ in range(setting.runs)]
    for name, is_search in (("page", False), ("search", True)):
        slowest = [max((line for line in lines if line["question"].startswith("search") == is_search),
                       key=lambda line: line["median"]) for lines in pages]
        setting.note(f"slowest {name}: {slowest[0]['question']}")
        yield Row(f"slowest {name} of {things}", [line["median"] for line in slowest], at_most=5, unit="ms")
    for words in browsing:
        beyond = []
        for _ in range(setting.runs):
            head, command = (
                statistics.median(setting.timed([setting.program, *asked, "--catalog", folder]).wall
                                  for _ in range(9)) for asked in (["head"], words))
            beyond.append((command - head) * 1_000)
        yield Row(f"`{' '.join(words)}` from the shell, beyond `head`", beyond, at_most=50, unit="ms")


def asked(setting, kind, folder):
    """What `embedder concerts` or `embedder tracks` prints."""
    output = setting.run([setting.embedder, SUBJECT[kind], folder], stdout=subprocess.PIPE)
    return [json.loads(line) for line in output.splitlines()]
