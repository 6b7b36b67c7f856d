"""A revision of a seed that changes one item in a hundred: what it appends, and what it takes.

The seed's document is read and compared whole, which is a dry run of the same import; what goes beyond it
is in proportion to the change.
"""

import os
import subprocess

from benchmarks.setting import ROOT, Row


def rows(setting):
    seed = setting.path(f"seed-{setting.items}-revised.json")
    if not os.path.exists(seed):
        with open(seed, "wb") as file:
            subprocess.run([str(ROOT / "Tools" / "generate-seed"), "--items", str(setting.items), "--tags", "5",
                            "--revision", "2"], stdout=file, check=True)
    appended, firsts, alone = [], [], []
    for _ in range(min(setting.runs, 3)):
        catalog = setting.copied(setting.catalog())
        before = size(catalog)
        imported = setting.timed([setting.program, "import", setting.seed(setting.items), "--catalog",
                                  setting.removed_folder("first")])
        # Nothing to append: reads the document and compares it with the catalog.
        same = setting.timed([setting.program, "import", setting.seed(setting.items), "--catalog", catalog])
        revised = setting.timed([setting.program, "import", seed, "--catalog", catalog])
        appended.append((size(catalog) - before) / before)
        firsts.append((revised.processor - same.processor) / imported.processor)
        alone.append(same.processor / imported.processor)
        setting.removed_folder("first")
    yield Row("bytes that a revision of 1 % appends, in bytes of the first import", appended, at_most=0.02)
    yield Row("a revision of 1 % beyond reading it, in first imports", firsts, at_most=0.05)
    yield Row("an import that changes nothing, in first imports", alone)


def size(catalog):
    events = os.path.join(catalog, "events")
    return sum(os.path.getsize(os.path.join(events, name)) for name in os.listdir(events))
