"""Changes a catalog's database in any way that a hand can, runs commands on it, and judges what came of it.

A round copies a catalog, tampers with its database, and runs a random sequence of commands. Each must end with a
documented status, in time and never by a signal. Then `rebuild` must succeed, `verify` must find nothing, and the
changes that were accepted, done again on an untouched copy of the catalog, must give the same content.
"""

import json
import os
import pathlib
import shutil
import sqlite3
import subprocess

STATUSES = (0, 1, 2, 3, 64)
SECONDS = 120
VALUES = ["'x'", "x'00ff'", "1.5", "-9223372036854775808", "9223372036854775807", "NULL", "CAST(x'ff' AS TEXT)",
          "''", "'12 MB'", "0", "-1"]


class TamperingFailed(Exception):
    """A command ended as it must not, or the truth was hurt."""


def seeds(folder, repository):
    """Two revisions of a small seed: three packs and the music of the starter seed."""
    seed = json.loads((repository / "Seeds" / "starter.json").read_text())
    seed["packs"] = [dict(pack, items=pack["items"][:12]) for pack in seed["packs"][:3]]
    paths = []
    for revision in (1, 2):
        seed["revision"] = revision
        if revision == 2:
            seed["music"][0]["title"] += " again"
            for pack in seed["packs"]:
                pack["items"][0]["tags"] = {"locations": ["Nowhere Yet", "Forest"]}
        path = folder / f"seed-{revision}.json"
        path.write_text(json.dumps(seed))
        paths.append(str(path))
    items = [item["id"] for pack in seed["packs"] for item in pack["items"]]
    return paths, items, seed["packs"][0]["id"]


class Tampering:
    def __init__(self, catalogctl, dice, folder, repository):
        self.catalogctl, self.dice, self.folder = catalogctl, dice, folder
        self.seeds, self.items, self.pack = seeds(folder, repository)
        self.base = folder / "base"
        self.commands = self.accepted = self.refused = 0
        self.run(self.base, ["import", self.seeds[0]], (0,))
        for change in (["tag", "add", self.items[0], "--location", "Cellar"],
                       ["tag", "suppress", self.items[1], "--location", "Forest"],
                       ["tag", "rename", "locations", "Cellar", "Basement"],
                       ["tag", "alias", "locations", "Downstairs", "Basement"]):
            self.run(self.base, change, (0, 1))

    def run(self, catalog, arguments, statuses=STATUSES):
        self.commands += 1
        environment = dict(os.environ, CATALOG_HOME=str(catalog))
        try:
            done = subprocess.run([self.catalogctl, *arguments], capture_output=True, env=environment, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise TamperingFailed(f"catalogctl {' '.join(arguments)} did not end within {SECONDS} s")
        if done.returncode not in statuses:
            raise TamperingFailed(f"catalogctl {' '.join(arguments)} ended with {done.returncode}: "
                                  f"{done.stderr.decode(errors='replace')[-2000:]}")
        return done

    # Tampering

    def tamper(self, path):
        """Changes the database in one way; returns what was done."""
        if self.dice.random() < 0.08:
            return self.replace_file(path)
        if self.dice.random() < 0.08:
            return self.overwrite_bytes(path)
        connection = sqlite3.connect(path, isolation_level=None)
        # Chances that --seed repeats; SQLite's own do not.
        connection.create_function("chance", 0, self.dice.random)
        try:
            return self.dice.choice([self.change_cells, self.change_cells, self.change_cells, self.delete_rows,
                                     self.double_rows, self.swap_cells, self.change_schema])(connection)
        except sqlite3.Error as error:
            # SQLite itself says no to what a constraint forbids.
            return f"refused by SQLite: {error}"
        finally:
            connection.close()

    def table(self, connection):
        names = [name for name, in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
            " AND name NOT LIKE 'sqlite%' AND name NOT LIKE '%_search_%'")]
        return self.dice.choice(sorted(names))

    def column(self, connection, table):
        return self.dice.choice([row[1] for row in connection.execute(f"PRAGMA table_info({table})")])

    def some(self):
        """A condition that all rows meet, or some."""
        return self.dice.choice(["1", "chance() < 0.3"])

    def execute(self, connection, sql):
        connection.execute("PRAGMA ignore_check_constraints = 1")
        connection.execute(sql)
        return sql

    def change_cells(self, connection):
        table = self.table(connection)
        column, value = self.column(connection, table), self.dice.choice(VALUES)
        return self.execute(connection, f"UPDATE OR IGNORE {table} SET {column} = {value} WHERE {self.some()}")

    def delete_rows(self, connection):
        table = self.table(connection)
        return self.execute(connection, f"DELETE FROM {table} WHERE {self.some()}")

    def double_rows(self, connection):
        table = self.table(connection)
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        changed = self.dice.choice(columns)
        parts = [f"{name} || '9'" if name == changed else name for name in columns]
        return self.execute(
            connection, f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) SELECT {', '.join(parts)} FROM {table} "
                        f"LIMIT {self.dice.randint(1, 5)}")

    def swap_cells(self, connection):
        table = self.table(connection)
        column = self.column(connection, table)
        return self.execute(
            connection, f"UPDATE OR IGNORE {table} SET {column} = (SELECT {column} FROM {table} ORDER BY chance() LIMIT 1)")

    def change_schema(self, connection):
        table = self.table(connection)
        kinds = [f"DROP TABLE {table}", f"ALTER TABLE {table} RENAME TO other_{table}",
                 f"ALTER TABLE {table} ADD COLUMN extra TEXT", "CREATE TABLE mine (a)",
                 f"CREATE VIEW seen AS SELECT * FROM {table}", "DROP TABLE projection_item_search",
                 f"CREATE TRIGGER mine AFTER INSERT ON {table} BEGIN DELETE FROM library_item; END",
                 f"CREATE TRIGGER mine AFTER UPDATE ON {table} BEGIN SELECT RAISE(ABORT, 'mine'); END"]
        for kind in ("index", "trigger"):
            names = [name for name, in connection.execute(
                "SELECT name FROM sqlite_schema WHERE type = ? AND sql IS NOT NULL", (kind,))]
            if names:
                kinds.append(f"DROP {kind} {self.dice.choice(sorted(names))}")
        return self.execute(connection, self.dice.choice(kinds))

    def overwrite_bytes(self, path):
        with open(path, "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            places = [self.dice.randrange(size) for _ in range(self.dice.randint(1, 40))]
            for place in places:
                file.seek(place)
                file.write(bytes([self.dice.randrange(256)]))
            if self.dice.random() < 0.2:
                file.truncate(self.dice.randrange(size))
        return f"{len(places)} bytes overwritten"

    def replace_file(self, path):
        for name in (path, f"{path}-wal", f"{path}-shm"):
            if os.path.exists(name):
                os.remove(name)
        kind = self.dice.choice(["nothing", "a text", "a folder", "a dangling link", "a FIFO", "another database"])
        if kind == "a text":
            pathlib.Path(path).write_text("no database\n" * 300)
        elif kind == "a folder":
            os.mkdir(path)
        elif kind == "a dangling link":
            os.symlink("nowhere", path)
        elif kind == "a FIFO":
            os.mkfifo(path)
        elif kind == "another database":
            connection = sqlite3.connect(path)
            connection.execute("CREATE TABLE mine (a)")
            connection.close()
        return f"replaced by {kind}"

    # Commands

    def reading(self):
        item = self.dice.choice(self.items)
        return self.dice.choice([
            ["head"], ["items", "sfx"], ["items", "atmosphere", "--sort", "updated"], ["facets", "atmosphere"],
            ["facets", "sfx", "--mode", "disjunctive"], ["search", "the"], ["item", item], ["packs"], ["pack", self.pack],
            ["music", "list"], ["tag", "list"], ["lint", "--brief"], ["doctor"], ["verify", "--quick"], ["receipt"],
            ["stats"], ["log", "--newest", "--limit", "3"], ["check"], ["blame", "library_item", item]])

    def writing(self):
        item, other = self.dice.choice(self.items), self.dice.choice(["Cave", "Attic", "Forest", "Basement"])
        return self.dice.choice([
            ["import", self.seeds[0]], ["import", self.seeds[1]], ["import", "--retire-missing", self.seeds[1]],
            ["tag", "add", item, "--location", other], ["tag", "remove", self.items[0], "--location", "Basement"],
            ["tag", "suppress", item, "--location", other], ["tag", "rename", "locations", "Basement", "Vault"],
            ["tag", "merge", "locations", "Cave", "Forest"], ["tag", "alias", "locations", "Under", "Basement"]])

    # Rounds

    def round(self):
        catalog, twin = self.folder / "tampered", self.folder / "twin"
        for folder in (catalog, twin):
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(self.base, folder)
        done = []
        try:
            for _ in range(self.dice.randint(1, 3)):
                path = str(catalog / "catalog.sqlite")
                if os.path.isfile(path):
                    done.append(self.tamper(path))
                for _ in range(self.dice.randint(1, 3)):
                    arguments = self.writing() if self.dice.random() < 0.5 else self.reading()
                    status = self.run(catalog, arguments).returncode
                    done.append(f"catalogctl {' '.join(arguments)}: {status}")
                    if arguments[0] in ("import", "tag") and arguments[1] != "list":
                        if status == 0:
                            self.accepted += 1
                            self.run(twin, arguments, (0,))
                        else:
                            self.refused += 1
            self.run(catalog, ["rebuild"], (0,))
            self.run(catalog, ["verify"], (0,))
            for folder in (catalog, twin):
                self.run(folder, ["import", self.seeds[1]], (0,))
            contents = [json.loads(self.run(folder, ["receipt"], (0,)).stdout)["content"] for folder in (catalog, twin)]
            if contents[0] != contents[1]:
                raise TamperingFailed("the catalog is not what the same changes make of an untouched one")
        except TamperingFailed as failure:
            raise TamperingFailed(f"{failure}\nafter: " + "\n       ".join(done))
