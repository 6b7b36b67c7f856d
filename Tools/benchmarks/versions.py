"""A database of three tables and its later versions, as another program would save them: the same each time.

Each version changes one product and one price in a hundred, removes one product in a thousand, and adds as many.
`weight` is a double with all its digits, since a tool that writes numbers as text can lose some.
"""

import csv
import os
import random
import shutil
import sqlite3

TABLES = {
    "product": "CREATE TABLE product (sku TEXT PRIMARY KEY, name TEXT, category TEXT, vendor TEXT, price REAL, stock INTEGER, "
               "weight REAL)",
    "supplier": "CREATE TABLE supplier (id INTEGER PRIMARY KEY, name TEXT, city TEXT)",
    "supply": "CREATE TABLE supply (product TEXT, supplier INTEGER, cost REAL, PRIMARY KEY (product, supplier))",
}
KEYS = {"product": ["sku"], "supplier": ["id"], "supply": ["product", "supplier"]}
ROOMS = ["Bath", "Garden", "Lighting", "Kitchen", "Tools"]
THINGS = ["Taps", "Lamps", "Spades", "Bowls", "Rods", "Mats"]
TOWNS = ["Bremen", "Graz", "Lyon", "Malmö", "Porto"]


def sku(number):
    return f"SKU-{number:07d}"


def written(folder, rows, count):
    """Paths of the versions. The three tables of the first one have about `rows` rows together."""
    folder = os.path.join(folder, f"versions-{rows}-{count}")
    paths = [os.path.join(folder, f"{number:04d}.sqlite") for number in range(count + 1)]
    if os.path.exists(folder):
        return paths
    making = folder + ".new"
    shutil.rmtree(making, ignore_errors=True)
    os.makedirs(making)
    dice = random.Random(62)
    for number, path in enumerate(paths):
        path = os.path.join(making, os.path.basename(path))
        if number:
            shutil.copy(os.path.join(making, f"{number - 1:04d}.sqlite"), path)
        base = sqlite3.connect(path)
        if number:
            changed(base, dice)
        else:
            filled(base, dice, rows)
        base.commit()
        base.close()
    os.rename(making, folder)
    return paths


def filled(base, dice, rows):
    products = max(rows * 5 // 13, 100)
    suppliers = products // 10
    for sql in TABLES.values():
        base.execute(sql)
    base.executemany("INSERT INTO product VALUES (?, ?, ?, ?, ?, ?, ?)", (product(dice, n) for n in range(products)))
    base.executemany("INSERT INTO supplier VALUES (?, ?, ?)",
                     ((n, f"Supplier {n} & Sons", dice.choice(TOWNS)) for n in range(suppliers)))
    pairs = sorted({(n, dice.randrange(suppliers)) for n in range(products) for _ in range(3)})
    base.executemany("INSERT INTO supply VALUES (?, ?, ?)",
                     ((sku(n), supplier, dice.randrange(100, 50_000) / 100) for n, supplier in pairs[:products * 3 // 2]))


def product(dice, number):
    name = f"{dice.choice(['Ultra', 'Slim', 'Mini', 'Grand'])} item number {dice.randrange(100_000)}"
    return (sku(number), name, f"{dice.choice(ROOMS)}/{dice.choice(THINGS)}", f"Vendor {dice.randrange(40)}",
            dice.randrange(100, 100_000) / 100, dice.randrange(1_000), dice.random() * 10)


def changed(base, dice):
    keys = [key for key, in base.execute("SELECT sku FROM product ORDER BY sku")]
    chosen = dice.sample(keys, max(len(keys) // 100, 2))
    base.executemany("UPDATE product SET stock = ?, weight = ? WHERE sku = ?",
                     [(dice.randrange(1_000), dice.random() * 10, key) for key in chosen])
    pairs = list(base.execute("SELECT product, supplier FROM supply ORDER BY product, supplier"))
    base.executemany("UPDATE supply SET cost = ? WHERE product = ? AND supplier = ?",
                     [(dice.randrange(100, 50_000) / 100, *pair) for pair in dice.sample(pairs, max(len(pairs) // 100, 2))])
    few = max(len(keys) // 1_000, 1)
    # The first product stays: the bench asks for its history.
    for key in dice.sample(keys[1:], few):
        base.execute("DELETE FROM product WHERE sku = ?", (key,))
        base.execute("DELETE FROM supply WHERE product = ?", (key,))
    last = int(keys[-1][4:])
    base.executemany("INSERT INTO product VALUES (?, ?, ?, ?, ?, ?, ?)",
                     (product(dice, last + 1 + n) for n in range(few)))
    base.execute("UPDATE product SET price = round(price * 1.01, 2) WHERE sku = ?", (keys[0],))


def listed(path, target, count):
    """Writes the first products of a version as CSV."""
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    rows = base.execute("SELECT * FROM product WHERE sku < ? ORDER BY sku", (sku(count),))
    with open(target, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([column[0] for column in rows.description])
        writer.writerows(rows)
    base.close()
