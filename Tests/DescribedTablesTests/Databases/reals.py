#!/usr/bin/env python3
"""Real numbers of all sizes in a database, beside whole numbers and texts.

usage: reals.py make SEED DATABASE | change SEED DATABASE | compare QUERY_JSON DATABASE
"""
import json
import random
import sqlite3
import struct
import sys


def real(random):
    def any_bits():
        value = struct.unpack("<d", struct.pack("<Q", random.getrandbits(64)))[0]
        return value if value == value and abs(value) != float("inf") and value != 0 else 0.5
    sign = random.choice([1, -1])
    return random.choice([
        # The shortest decimals of these are often whole numbers of 64 bits that they are not.
        lambda: sign * random.uniform(1e16, 9.2e18), lambda: sign * random.uniform(2**53, 2**63),
        lambda: sign * float(2**random.randrange(50, 66)), lambda: float(random.getrandbits(63)),
        lambda: sign * random.uniform(1e14, 1e17), lambda: random.random(), any_bits,
    ])()


def cell(random):
    return random.choice([lambda: real(random), lambda: random.getrandbits(63), lambda: "t"])()


def main(command, *words):
    if command == "compare":
        with open(words[0]) as file:
            found = json.load(file)["rows"]
        database = sqlite3.connect(words[1])
        wanted = [list(row) for row in database.execute("SELECT id, typeof(d), d, typeof(a), a FROM m ORDER BY id")]
        wrong = [(a, b) for a, b in zip(found, wanted) if a != b]
        print(len(found), len(wanted), wrong[:5])
        return 0 if found and len(found) == len(wanted) and not wrong else 2
    generator, database = random.Random(int(words[0])), sqlite3.connect(words[1], isolation_level=None)
    database.execute("BEGIN")
    if command == "make":
        database.execute("CREATE TABLE m (id INTEGER PRIMARY KEY, d DOUBLE, a)")
        for number in range(3000):
            database.execute("INSERT INTO m VALUES (?, ?, ?)", (number, real(generator), cell(generator)))
    else:
        generator.seed(int(words[0]) + 1000)
        for number in range(0, 3000, 6):
            database.execute("UPDATE m SET d = ?, a = ? WHERE id = ?", (real(generator), cell(generator), number))
    database.execute("COMMIT")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
