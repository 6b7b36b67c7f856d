"""A revision of a seed that changes one item in a hundred: what it appends, and what it takes to apply.

What is measured is another process that catches up with the revision in the log: its database is as it was
before. (The import itself reads and compares the seed's document, which is in proportion to the document.)
That the price is one of the change and not of the catalog is shown by a catalog of a third of the size: a
changed item costs the same in both. The log is sealed, as an import of this size leaves it.
"""

import os
import shutil
import subprocess

from benchmarks.setting import ROOT, Row


def rows(setting):
    smaller = setting.items // 3
    share = prepared(setting, setting.items)
    prepared(setting, smaller)
    behind, grown, same = [], [], []
    for _ in range(setting.runs):
        imported = setting.timed([setting.program, "import", setting.seed(setting.items), "--catalog",
                                  setting.removed_folder("first")])
        setting.removed_folder("first")
        large, small = caught_up(setting, setting.items), caught_up(setting, smaller)
        behind.append(large.processor / imported.processor)
        grown.append((large.processor / setting.items) / (small.processor / smaller))
        same.append(setting.timed([setting.program, "import", setting.seed(setting.items), "--catalog",
                                   setting.catalog()]).processor / imported.processor)
    yield Row("bytes that a revision of 1 % appends, in bytes of the first import", [share], at_most=0.02)
    yield Row(f"a changed item of {setting.items:,}, in a changed item of {smaller:,}", grown, at_most=1.5)
    yield Row("catching up with a revision of 1 %, in first imports", behind)
    yield Row("an import that changes nothing, in first imports", same)


def prepared(setting, items):
    """A catalog with the revision in its log, and its database of before; what it added to the log's bytes."""
    revised, before = setting.path(f"revised-{items}"), setting.path(f"before-{items}.sqlite")
    catalog = setting.copied(setting.catalog(items))
    setting.run([setting.program, "seal", "--catalog", catalog])
    shutil.copy(os.path.join(catalog, "catalog.sqlite"), before)
    unrevised = size(catalog)
    setting.run([setting.program, "import", revision(setting, items), "--catalog", catalog])
    added = size(catalog) - unrevised
    shutil.rmtree(revised, ignore_errors=True)
    os.rename(catalog, revised)
    return added / unrevised


def caught_up(setting, items):
    catalog = setting.copied(setting.path(f"revised-{items}"))
    shutil.copy(setting.path(f"before-{items}.sqlite"), os.path.join(catalog, "catalog.sqlite"))
    return setting.timed([setting.program, "items", "sfx", "--limit", "1", "--catalog", catalog])


def revision(setting, items, change=1):
    """A revision of the seed that changes so many of a hundred items."""
    path = setting.path(f"seed-{items}-revised{'' if change == 1 else f'-{change}'}.json")
    if not os.path.exists(path):
        with open(path, "wb") as file:
            subprocess.run([str(ROOT / "Tools" / "generate-seed"), "--items", str(items), "--tags", "5",
                            "--revision", "2", "--change", str(change)], stdout=file, check=True)
    return path


def size(catalog):
    events = os.path.join(catalog, "events")
    return sum(os.path.getsize(os.path.join(events, name)) for name in os.listdir(events))
