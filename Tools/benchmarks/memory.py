"""How much memory a rebuild and an import take at their peak, an item."""

import shutil

from benchmarks.setting import Row


def rows(setting):
    for items in [setting.items] + ([setting.large] if setting.large else []):
        catalog = setting.catalog(items)
        # A peak hardly differs between runs: one is enough for a million items.
        runs = min(setting.runs, 3) if items == setting.items else 1
        rebuilds, imports = [], []
        for run in range(runs):
            rebuilds.append(setting.timed(
                [setting.program, "rebuild", "--out", setting.removed("rebuilt.sqlite"),
                 "--catalog", catalog]))
            imports.append(imported(setting, items, run))
        yield Row(f"memory of a rebuild, {items:,} items", [t.kib / items for t in rebuilds], at_most=1.5,
                  unit="KiB an item")
        yield Row(f"memory of an import, {items:,} items", [t.kib / items for t in imports], at_most=5,
                  unit="KiB an item")


def imported(setting, items, run):
    catalog = setting.path(f"imported-{items}-{run}")
    shutil.rmtree(catalog, ignore_errors=True)
    try:
        return setting.timed([setting.program, "import", setting.seed(items), "--catalog", catalog])
    finally:
        shutil.rmtree(catalog, ignore_errors=True)
