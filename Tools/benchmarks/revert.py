"""Taking a revision back: what the plan takes, and what the revert takes, beside a rebuild and the import of the revision.

A revert folds the log in memory, since what goes back into the log comes from the log. So its plan costs less than a rebuild,
whatever the revision changed; carrying it out is an import of as many rows.
"""

import json
import subprocess

from benchmarks.revision import revision
from benchmarks.setting import Row


def rows(setting):
    yield from reverting(setting, 1, at_most=1)
    yield from reverting(setting, 90)


def reverting(setting, change, **target):
    """A revision of so many items in a hundred, which is undone."""
    shape = f"a revision of {change} % of {setting.items:,} items"
    seed = revision(setting, setting.items, change)
    planned, undone = [], []
    for _ in range(setting.runs):
        copy = setting.copied(setting.catalog())
        here = ["--catalog", copy]
        before = head(setting, copy)
        imported = setting.timed([setting.program, "import", seed, *here])
        rebuilt = setting.timed([setting.program, "rebuild", *here])
        events = f"{before + 1}..{head(setting, copy)}"
        plan = setting.timed([setting.program, "revert", events, "--dry-run", *here])
        planned.append(plan.processor / rebuilt.processor)
        done = setting.timed([setting.program, "revert", events, *here])
        undone.append(done.processor / (rebuilt.processor + 2 * imported.processor))
    yield Row(f"`revert --dry-run` of {shape}, in rebuilds", planned, **target)
    yield Row(f"`revert` of {shape}, in a rebuild and two of its imports", undone, **target)


def head(setting, path):
    words = setting.run([setting.program, "head", "--format", "json", "--catalog", path], stdout=subprocess.PIPE)
    return json.loads(words)["sequence"]
