"""A described table of 1,000,000 rows of 8 columns from CSV, beside `sqlite3` on the same file, and thirty nights."""

import os
import random
import subprocess

from benchmarks.setting import ROOT, Row

ROWS = 1_000_000
NIGHTS = 30
COLUMNS = "sku,name,category,vendor,price,currency,stock,ean"
TABLE = ("CREATE TABLE products(sku TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL, vendor TEXT NOT NULL, "
         "price REAL NOT NULL, currency TEXT NOT NULL, stock INTEGER NOT NULL, ean TEXT NOT NULL)")


def rows(setting):
    first, changed = setting.path("products.csv"), setting.path("changed.csv")
    if not os.path.exists(changed):
        write(first, changed)
    yield from table(setting, first, changed)
    yield from nights(setting)


def table(setting, first, changed):
    imports, memory, again, again_ratio, later, later_ratio, log, rebuilds = ([] for _ in range(8))
    dump = setting.path("products.sql")
    for _ in range(setting.runs):
        loaded = setting.removed("loaded.sqlite")
        plain = setting.timed(["sqlite3", "-cmd", TABLE, loaded, f".import --csv --skip 1 {first} products"]).wall
        folder = setting.removed_folder("products")
        setting.run([setting.program, "init", "--table", f"products={first}", "--key", "sku", "--catalog", folder],
                    stdout=subprocess.DEVNULL)
        took = imported(setting, folder, first)
        imports.append(took.wall / plain)
        memory.append(took.kib / 1024)
        same = imported(setting, folder, first).wall
        again.append(same)
        again_ratio.append(same / plain)
        before = size(folder)
        took = imported(setting, folder, changed).wall
        later.append(took)
        later_ratio.append(took / plain)
        log.append((size(folder) - before) / 1000)
        if not os.path.exists(dump):
            with open(dump, "w", encoding="utf-8") as file:
                subprocess.run(["sqlite3", os.path.join(folder, "catalog.sqlite"), ".dump"], stdout=file, check=True)
        with open(dump, encoding="utf-8") as file:
            restored = setting.timed(["sqlite3", setting.removed("loaded.sqlite")], stdin=file).wall
        rebuilt = setting.timed([setting.program, "rebuild", "--out", setting.removed("rebuilt.sqlite"),
                                 "--catalog", folder]).wall
        rebuilds.append(rebuilt / restored)
    setting.removed("loaded.sqlite")
    setting.removed("rebuilt.sqlite")
    what = f"{ROWS:,} rows of CSV"
    yield Row(f"first import of {what}, in times of `sqlite3 .import`", imports, at_most=3)
    yield Row("memory of it", memory, at_most=300, unit="MiB")
    yield Row(f"the same {what} again", again, at_most=0.4, unit="s")
    yield Row("the same, in times of `sqlite3 .import`", again_ratio)
    yield Row(f"{what}, 1 % of them changed", later, at_most=2, unit="s")
    yield Row("the same, in times of `sqlite3 .import`", later_ratio)
    yield Row("log of the 1 %", log, at_most=100, unit="kB")
    yield Row(f"rebuild of {what}, in times of `sqlite3 < dump.sql`", rebuilds, at_most=1.2)


def nights(setting):
    lists = setting.path("nights")
    if not os.path.exists(lists):
        subprocess.run(["python3", str(ROOT / "Tools" / "make-nights"), lists], check=True)
    files = sorted(os.path.join(lists, name) for name in os.listdir(lists) if name.endswith(".csv"))[:NIGHTS]
    all_imports = []
    asked = {"bisect": ["bisect", "SELECT count(*) > 1000 FROM products WHERE category = 'Lighting/Lamps'"],
             "blame": ["blame", "products", "SKU-00001", "--column", "currency"],
             "diff": ["diff", "118", "128"]}
    answers = {name: [] for name in asked}
    for _ in range(setting.runs):
        folder = setting.removed_folder("nights-catalog")
        setting.run([setting.program, "init", "--table", f"products={files[0]}", "--key", "sku", "--catalog", folder],
                    stdout=subprocess.DEVNULL)
        all_imports.append(sum(imported(setting, folder, file).wall for file in files))
        for name, words in asked.items():
            # The first question makes the history.
            words = [setting.program, *words, "--catalog", folder]
            setting.timed(words, statuses=(0, 2))
            answers[name].append(setting.timed(words, statuses=(0, 2)).wall)
    yield Row(f"{NIGHTS} imports of 5,000 products", all_imports, at_most=5, unit="s")
    for name, values in answers.items():
        yield Row(f"{name} of {NIGHTS} nights", values, at_most=0.15, unit="s")


def imported(setting, folder, file):
    return setting.timed([setting.program, "import", f"products={file}", "--complete", "--catalog", folder])


def size(folder):
    """Bytes of the log."""
    events = os.path.join(folder, "events")
    return sum(os.path.getsize(os.path.join(events, name)) for name in os.listdir(events))


def write(first, changed):
    """The same bytes each time. The keys are in no order: a document need not be sorted."""
    dice = random.Random(61)
    words = ["Ultra", "Slim", "Mini", "Compact", "Classic", "Grand", "Plain", "Twin"]
    categories = [f"{room}/{thing}" for room in ("Bath", "Garden", "Lighting", "Kitchen", "Tools")
                  for thing in ("Taps", "Lamps", "Spades", "Bowls", "Rods", "Mats")]
    vendors = ["Ferrum", "Holt & Sons", "Lumen", "Aqua GmbH", "Nordisk", "Tarn"]
    numbers = list(range(ROWS))
    dice.shuffle(numbers)
    with open(first, "w", encoding="utf-8") as old, open(changed + ".new", "w", encoding="utf-8") as new:
        for file in (old, new):
            file.write(COLUMNS + "\n")
        for number in numbers:
            name = f"{dice.choice(words)} {dice.choice(words)} item number {dice.randrange(100_000)}"
            row = [f"SKU-{number:07d}", name, dice.choice(categories), dice.choice(vendors),
                   f"{dice.randrange(100, 100_000) / 100:.2f}", "EUR", str(dice.randrange(1_000)),
                   str(4_020_000_000_000 + dice.randrange(10**9))]
            old.write(",".join(row) + "\n")
            if dice.random() < 0.01:
                row[6] = str(1_000 + dice.randrange(1_000))
            new.write(",".join(row) + "\n")
    os.rename(changed + ".new", changed)
