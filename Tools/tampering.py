"""Changes a catalog's database in any way that a hand can, runs commands on it, and judges what came of it.

A round copies a catalog, tampers with its database, and runs a random sequence of commands. Each must end with a
documented status, in time and never by a signal. What is judged:

- events: a command that succeeded, or that appended anything, is run on an untouched twin of the catalog as well. It
  must end alike there, and the types and payloads of all events of the two logs must be the same.
- reverts: the history is tampered with before them, its times put back. A revert appends what it appends on the twin, whose
  history is untouched; a dry run and `what-if` print the same there, or refuse.
- files: those in AudioAssets are what they were before the command, or what the twin's command made of them.
- `verify`: where it finds nothing, the rows, the schema and the indexes are those of a database that is made from the
  log alone.
- `rebuild` succeeds (with `--discard` if the database is another catalog's), `verify` finds nothing then, and both catalogs have the same content after one more import.
"""

import hashlib
import http.server
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import threading

import eventlines

STATUSES = (0, 1, 2, 3, 64)
SECONDS = 120
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
VALUES = ["'x'", "x'00ff'", "1.5", "-9223372036854775808", "9223372036854775807", "9007199254740991",
          "9007199254740992", "-9007199254740991", "NULL", "CAST(x'ff' AS TEXT)", "''", "'12 MB'", "0", "-1"]

# Commands that append events, or change files.
WRITERS = {"import", "tag", "download", "repair", "cancel", "delete", "revert", "record", "kind"}
# Commands whose answer must be that of the twin, or a refusal.
DECIDING = {"revert", "what-if"}


class TamperingFailed(Exception):
    """A command ended as it must not, or the truth was hurt."""


class Server:
    """Serves a folder to this machine until it is closed."""

    def __init__(self, folder):
        class Handler(http.server.SimpleHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def __init__(self, *arguments):
                super().__init__(*arguments, directory=folder)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def serve_pack(folder, address, pack, name, seed):
    """Writes a manifest of a pack and small files for its items; returns the manifest's address."""
    assets = []
    for place, item in enumerate(pack["items"]):
        content = hashlib.sha256(f"{seed} {place}".encode()).digest() * (3 + place)
        digest = hashlib.sha256(content).hexdigest()
        (folder / digest).write_bytes(content)
        assets.append({"assetId": item["id"][:-4] + f"{place:02x}{len(name) % 256:02x}", "itemId": item["id"],
                       "url": f"{address}/{digest}", "sha256": digest, "bytes": len(content), "codec": "wav",
                       "sampleRate": 48000, "channels": 2, "loopable": True})
    manifest = {"packId": pack["id"], "version": pack["version"], "assets": assets,
                "totalBytes": sum(asset["bytes"] for asset in assets), "tags": {"moods": [f"Mood of {name}"]}}
    (folder / f"{name}.json").write_text(json.dumps(manifest))
    return f"{address}/{name}.json"


def seeds(folder, repository, served, address):
    """Two revisions of a small seed: three packs and the music of the starter seed."""
    seed = json.loads((repository / "Seeds" / "starter.json").read_text())
    seed["packs"] = [dict(pack, items=pack["items"][:12]) for pack in seed["packs"][:3]]
    for place, pack in enumerate(seed["packs"]):
        pack["manifestUrl"] = serve_pack(served, address, pack, f"pack-{place}", pack["id"])
        # What a row that was changed leads to.
        serve_pack(served, address, pack, f"foreign-{place}", "another server's")
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
    return paths, items, [pack["id"] for pack in seed["packs"]]


def digest_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def files(catalog):
    """name → hash of every file in the catalog's folder of assets."""
    folder = catalog / "AudioAssets"
    return {str(path.relative_to(folder)): digest_of(path) for path in sorted(folder.rglob("*")) if path.is_file()}


def events(catalog):
    """Types, sources and payloads of all events: all that does not depend on the moment."""
    found = []
    operations = {}
    for _, line in eventlines.event_lines(catalog / "events"):
        event = eventlines.parse_event(line)
        operations.setdefault(event["op"], f"operation {len(operations)}")
        by, data = event["by"], json.dumps(event["data"], sort_keys=True)
        if by.startswith("revert:"):
            # The operation has an id that depends on the moment, and so have the times in the rows that come back.
            by, data = "revert", timeless(data)
            # Rows that say what is reverted name operations, too: by their order they are the same ones in two logs.
            for operation, name in operations.items():
                data = data.replace(operation, name)
        # How far a download was at which moment is the machine's timing.
        if event["type"] != "pack.download.progressed":
            found.append((event["type"], by, data))
    return found


def timeless(text):
    """A text without times and ids of operations."""
    text = TIME.sub("T", text)
    text = re.sub(r'"(op|operation|chain)" ?: ?"[^"]*"', "", text)
    return re.sub(r'"operations" ?: ?\[[^\]{]*\]', "", text)


def numbered(catalog):
    """The events by their numbers and types."""
    return [(event["seq"], event["type"]) for event in
            (eventlines.parse_event(line) for _, line in eventlines.event_lines(catalog / "events"))]


class Tampering:
    """Tampers with the databases of one catalog: a sound library here, another kind in a subclass."""

    # Columns that parts of an operation are reverted by.
    PARTS = ["title"]

    def __init__(self, catalogctl, dice, folder, repository):
        self.catalogctl, self.dice, self.folder = catalogctl, dice, folder
        self.base, self.other = folder / "base", folder / "other"
        self.older, self.older_history = folder / "older.sqlite", folder / "older-history.sqlite"
        self.commands = self.accepted = self.refused = self.looked = self.differed = 0
        self.prepare(repository)
        # What a rebuild makes otherwise in each database: secrets, counters, the last changes.
        self.own_ways = self.differences(self.base)
        rebuilt, _ = self.pair()
        self.run(rebuilt, ["rebuild"], (0,))
        self.own_ways |= self.differences(rebuilt)

    def prepare(self, repository):
        served = self.folder / "served-packs"
        served.mkdir()
        self.server = Server(served)
        self.seeds, self.items, self.packs = seeds(self.folder, repository, served, self.server.address)
        self.last = ["import", self.seeds[1]]
        self.begin([["import", self.seeds[0]]], [
            ["tag", "add", self.items[0], "--location", "Cellar"],
            # One alone is left for --all: of two at once, each may give the first new value its id.
            ["download", self.packs[0]], ["download", self.packs[1]],
            ["tag", "suppress", self.items[1], "--location", "Forest"],
            ["tag", "rename", "locations", "Cellar", "Basement"],
            ["tag", "alias", "locations", "Downstairs", "Basement"]])
        # Another catalog, of the same seeds and of its own log.
        self.run(self.other, ["import", self.seeds[1]], (0,))
        self.run(self.other, ["tag", "add", self.items[2], "--location", "Elsewhere"], (0,))
        self.run(self.other, ["history", "make"], (0,))

    def begin(self, first, changes):
        """Makes the catalog by some commands, then changes it, and keeps its files as they were two changes ago."""
        for command in first:
            self.run(self.base, command, (0,))
        self.heads = [self.head(self.base)]
        for change in changes:
            shutil.copyfile(self.base / "catalog.sqlite", self.older)
            self.run(self.base, ["history", "make"], (0,))
            shutil.copyfile(self.base / "history.sqlite", self.older_history)
            self.run(self.base, change, (0, 1) if change[1] == "suppress" else (0,))
            self.heads.append(self.head(self.base))
        self.run(self.base, ["history", "make"], (0,))

    def close(self):
        self.server.close()

    def head(self, catalog):
        return json.loads(self.run(catalog, ["head", "--format", "json"], (0,)).stdout)

    def run(self, catalog, arguments, statuses=STATUSES):
        self.commands += 1
        environment = dict(os.environ, CATALOG_HOME=str(catalog), no_proxy="127.0.0.1")
        try:
            done = subprocess.run([self.catalogctl, *arguments], capture_output=True, env=environment,
                                  stdin=subprocess.DEVNULL, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise TamperingFailed(f"catalogctl {' '.join(arguments)} did not end within {SECONDS} s")
        if done.returncode not in statuses:
            raise TamperingFailed(f"catalogctl {' '.join(arguments)} ended with {done.returncode}: "
                                  f"{done.stdout.decode(errors='replace')[-1000:]}"
                                  f"{done.stderr.decode(errors='replace')[-2000:]}")
        return done

    # Tampering

    def tamper(self, path):
        """Changes the database in one way; returns what was done."""
        if self.dice.random() < 0.1:
            return self.replace_file(path)
        if self.dice.random() < 0.05:
            return self.overwrite_bytes(path)
        connection = sqlite3.connect(path, isolation_level=None)
        # Chances that --seed repeats; SQLite's own do not.
        connection.create_function("chance", 0, self.dice.random)
        try:
            return self.dice.choice(self.ways())(connection)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            # SQLite itself says no to what a constraint forbids, and Python to names that are not text any more.
            return f"refused by SQLite: {error}"
        finally:
            connection.close()

    def ways(self):
        """The ways of changing a database, those that are tried more often several times."""
        return [self.change_cells, self.change_cells, self.delete_rows, self.double_rows, self.swap_cells,
                self.change_schema, self.change_names, self.change_packs, self.change_digests,
                self.move_checkpoint, self.change_words, self.change_behind_an_index, self.swap_roots,
                self.change_statements]

    def tamper_history(self, path):
        """Changes the history in one way and puts its times back; returns what was done."""
        times = os.stat(path)
        kind = self.dice.choice(["cells", "cells", "rows", "swap", "index", "sums", "bytes", "bytes", "pages", "file"])
        connection = sqlite3.connect(path, isolation_level=None)
        connection.create_function("chance", 0, self.dice.random)
        try:
            if kind == "bytes":
                self.overwrite_bytes(path)
            elif kind == "pages":
                self.exchange_pages(path)
            elif kind == "file":
                connection.close()
                shutil.copyfile(self.dice.choice([self.older_history, self.other / "history.sqlite"]), path)
            elif kind == "cells":
                self.change_cells(connection)
            elif kind == "rows":
                self.delete_rows(connection)
            elif kind == "swap":
                self.swap_cells(connection)
            elif kind == "index":
                self.swap_roots(connection)
            else:
                name, column = self.dice.choice([("history_step", "digest"), ("history_step", "added"),
                                                 ("history_batch", "operation"), ("history_checkpoint", "digest")])
                connection.execute(f"UPDATE {name} SET {column} = {self.dice.choice(VALUES)}"
                                   f" WHERE chance() < {self.dice.choice([0.1, 1])}")
        except (sqlite3.Error, UnicodeDecodeError, IndexError) as error:
            kind += f", refused by SQLite: {error}"
        finally:
            connection.close()
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        return f"history: {kind}"

    def exchange_pages(self, path):
        size = 4096
        with open(path, "r+b") as file:
            count = file.seek(0, os.SEEK_END) // size
            one, other = self.dice.randrange(count), self.dice.randrange(count)
            pages = []
            for place in (one, other):
                file.seek(place * size)
                pages.append(file.read(size))
            for place, page in zip((other, one), pages):
                file.seek(place * size)
                file.write(page)

    def table(self, connection):
        names = [name for name, in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
            " AND name NOT LIKE 'sqlite%' AND name NOT LIKE '%_search_%'")]
        if not names:
            raise sqlite3.Error("no table is left")
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
                 f"CREATE VIEW seen AS SELECT * FROM {table}",
                 f"CREATE VIEW projection_digests AS SELECT * FROM {table}",
                 f"CREATE TRIGGER projection_digest AFTER UPDATE ON {table} BEGIN DELETE FROM library_item; END",
                 f"CREATE TRIGGER projection_conflict AFTER DELETE ON {table} BEGIN DELETE FROM pack_item; END", "DROP TABLE projection_item_search",
                 f"CREATE TRIGGER mine AFTER INSERT ON {table} BEGIN DELETE FROM library_item; END",
                 f"CREATE TRIGGER mine AFTER UPDATE ON {table} BEGIN SELECT RAISE(ABORT, 'mine'); END"]
        for kind in ("index", "trigger"):
            names = [name for name, in connection.execute(
                "SELECT name FROM sqlite_schema WHERE type = ? AND sql IS NOT NULL", (kind,))]
            if names:
                kinds.append(f"DROP {kind} {self.dice.choice(sorted(names))}")
        return self.execute(connection, self.dice.choice(kinds))

    def statements(self, connection, *statements):
        for statement in statements:
            self.execute(connection, statement)
        return "; ".join(statements)

    def change_names(self, connection):
        """Names and aliases that no event gave."""
        table = self.dice.choice(["location", "mood"])
        key = {"location": "locations", "mood": "moods"}[table]
        return self.execute(connection, self.dice.choice([
            f"INSERT INTO projection_alias (dimension, name, value_id, origin)"
            f" SELECT '{table}', 'Forest ', id, 'aliased' FROM {table} ORDER BY chance() LIMIT 1",
            f"INSERT OR REPLACE INTO projection_alias (dimension, name, value_id, origin)"
            f" SELECT '{table}', 'Attic', id, 'aliased' FROM {table} ORDER BY chance() LIMIT 1",
            f"INSERT OR REPLACE INTO projection_alias (dimension, name, value_id, origin)"
            f" SELECT '{key}', 'Attic', id, 'aliased' FROM {table} ORDER BY chance() LIMIT 1",
            "UPDATE projection_alias SET value_id = (SELECT id FROM location ORDER BY chance() LIMIT 1)",
            "UPDATE location SET name = CASE name WHEN 'Forest' THEN 'Cave' WHEN 'Cave' THEN 'Forest ' ELSE name END",
            "DELETE FROM projection_alias", "DELETE FROM location WHERE name = 'Basement'"]))

    def change_packs(self, connection):
        """What says which packs there are, where they come from and what is installed."""
        pack = f"'{self.dice.choice(self.packs)}'"
        return self.execute(connection, self.dice.choice([
            f"UPDATE pack SET manifest_url = '{self.server.address}/foreign-' || (SELECT count(*) FROM pack AS b"
            " WHERE b.title < pack.title) || '.json'",
            f"UPDATE pack SET version = version + 1 WHERE id = {pack}", f"DELETE FROM pack WHERE id = {pack}",
            "DELETE FROM local_asset", f"DELETE FROM local_asset WHERE {self.some()}",
            f"UPDATE local_asset SET pack_id = {pack}", "UPDATE local_asset SET local_path = 'AudioAssets/other'",
            "UPDATE local_asset SET sha256 = hex(sha256)", "DELETE FROM item_local_audio",
            f"UPDATE pack_state SET state = 'downloaded' WHERE pack_id = {pack}",
            f"UPDATE pack_state SET state = 'downloading' WHERE pack_id = {pack}",
            f"UPDATE pack_state SET state = 'not_downloaded', installed_version = NULL",
            "UPDATE pack_state SET installed_version = 1", f"DELETE FROM pack_state WHERE pack_id = {pack}",
            f"DELETE FROM pack_item WHERE pack_id = {pack}", "DELETE FROM projection_manifest",
            "UPDATE projection_manifest SET version = version + 1"]))

    def change_digests(self, connection):
        table = self.table(connection)
        columns = [row[1] for row in connection.execute("PRAGMA table_info(projection_digest)")]
        changes = [f"DELETE FROM projection_digest WHERE {self.some()}", "DELETE FROM projection_digest",
                   "DROP TABLE projection_digest",
                   f"DELETE FROM projection_digest WHERE table_name = '{table}'"]
        if columns:
            column = self.dice.choice(columns)
            changes.append(f"UPDATE OR IGNORE projection_digest SET {column} = (SELECT {column} FROM projection_digest"
                           f" ORDER BY chance() LIMIT 1) WHERE {self.some()}")
            changes.append(f"UPDATE OR IGNORE projection_digest SET {column} = {self.dice.choice(VALUES)}"
                           f" WHERE chance() < 0.1")
        done = self.statements(connection, self.dice.choice(changes))
        # Rows along with what proves them.
        return f"{done}; {self.change_cells(connection)}" if self.dice.random() < 0.6 else done

    def move_checkpoint(self, connection):
        head = self.dice.choice(self.heads)
        sequence = self.dice.choice([str(head["sequence"])] * 4 + ["0", "-1", "9007199254740991", "sequence + 1"])
        return self.statements(connection, f"UPDATE projection_checkpoint SET sequence = {sequence}, "
                                           f"chain = '{head['chain']}'")

    def change_words(self, connection):
        """Blocks of full-text indexes."""
        names = [name for name, in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE '%_search_%'")]
        if not names:
            raise sqlite3.Error("no full-text index is left")
        table = self.dice.choice(sorted(names))
        column = self.column(connection, table)
        return self.execute(connection, self.dice.choice([
            f"UPDATE OR IGNORE {table} SET {column} = x'00ff' WHERE {self.some()}",
            f"DELETE FROM {table} WHERE {self.some()}", f"DELETE FROM {table} WHERE rowid > 10"]))

    def indexes(self, connection):
        """(name, table, root page, SQL) of the indexes that have statements."""
        return connection.execute("SELECT name, tbl_name, rootpage, sql FROM sqlite_schema WHERE type = 'index'"
                                  " AND sql IS NOT NULL ORDER BY name").fetchall()

    def rewrite_schema(self, connection, statement, *values):
        """Changes `sqlite_schema` itself; SQLite reads it again at the next statement."""
        version = connection.execute("PRAGMA schema_version").fetchone()[0]
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(statement, values)
        connection.execute(f"PRAGMA schema_version = {version + 1}")
        connection.execute("PRAGMA writable_schema = RESET")
        return f"{statement} {values}"

    def change_behind_an_index(self, connection):
        """Rows change and entries of one of their indexes do not: the index is forgotten for the while."""
        name, table, root, sql = self.dice.choice(self.indexes(connection) or [("", "", 0, "")])
        if not name:
            raise sqlite3.Error("no index is left")
        self.rewrite_schema(connection, "DELETE FROM sqlite_schema WHERE type = 'index' AND name = ?", name)
        try:
            column = self.column(connection, table)
            done = self.execute(connection, self.dice.choice([
                f"DELETE FROM {table} WHERE {self.some()}",
                f"UPDATE OR IGNORE {table} SET {column} = (SELECT {column} FROM {table} ORDER BY chance() LIMIT 1)"
                f" WHERE {self.some()}"]))
        finally:
            self.rewrite_schema(connection, "INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql)"
                                            " VALUES ('index', ?, ?, ?, ?)", name, table, root, sql)
        return f"{done}, but not in {name}"

    def swap_roots(self, connection):
        """Root pages of two indexes, or of two tables, change places."""
        kind = self.dice.choice(["index", "index", "table"])
        found = connection.execute("SELECT name, rootpage FROM sqlite_schema WHERE type = ? AND rootpage > 0"
                                   " ORDER BY name", (kind,)).fetchall()
        if len(found) < 2:
            raise sqlite3.Error("there are no two")
        # Those whose names are alike have the same columns: their entries decode.
        place = self.dice.randrange(len(found) - 1)
        (one, first), (two, second) = found[place:place + 2] if self.dice.random() < 0.7 else self.dice.sample(found, 2)
        return self.rewrite_schema(
            connection, f"UPDATE sqlite_schema SET rootpage = CASE rootpage WHEN {first} THEN {second} ELSE {first} END"
                        f" WHERE type = '{kind}' AND name IN (?, ?)", one, two)

    def change_statements(self, connection):
        """The statements in `sqlite_schema`, without the bytes that they speak of."""
        table = self.table(connection)
        return self.dice.choice([
            lambda: self.rewrite_schema(connection, "UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '')"
                                                    " WHERE type = 'table' AND name = ?", table),
            lambda: self.rewrite_schema(connection, "UPDATE sqlite_schema SET sql = replace(sql, 'TEXT', 'BLOB')"
                                                    " WHERE type = 'table' AND name = ?", table),
            lambda: self.rewrite_schema(connection, "DELETE FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?"
                                                    " AND sql IS NOT NULL", table),
            lambda: self.rewrite_schema(connection, "DELETE FROM sqlite_schema WHERE name = ?", table),
            lambda: self.rewrite_schema(
                connection, "INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES ('trigger', ?, ?, 0,"
                            f" 'CREATE TRIGGER \"sqlite_mine\" AFTER INSERT ON {table} BEGIN DELETE FROM pack_item;"
                            " END')", "sqlite_mine", table),
            lambda: self.rewrite_schema(
                connection, "INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES ('view', ?, ?, 0,"
                            f" 'CREATE VIEW \"sqlite_seen\" AS SELECT * FROM {table}')", "sqlite_seen", "sqlite_seen"),
        ])()

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
        kind = self.dice.choice(["nothing", "a text", "a folder", "a dangling link", "a FIFO", "another database",
                                 "an older copy", "an older copy", "another catalog's", "another catalog's"])
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
        elif kind == "an older copy":
            shutil.copyfile(self.older, path)
        elif kind == "another catalog's":
            shutil.copyfile(self.other / "catalog.sqlite", path)
        return f"replaced by {kind}"

    # What is in a database

    def differences(self, catalog):
        """What a database has otherwise than one that is made from the log alone."""
        made = self.folder / "made.sqlite"
        made.unlink(missing_ok=True)
        self.run(catalog, ["rebuild", "--out", str(made)], (0,))
        copy = self.folder / "looked-at.sqlite"
        for ending in ("", "-wal"):
            pathlib.Path(f"{copy}{ending}").unlink(missing_ok=True)
            if os.path.isfile(f"{catalog}/catalog.sqlite{ending}"):
                shutil.copyfile(f"{catalog}/catalog.sqlite{ending}", f"{copy}{ending}")
        contents = []
        for path in (copy, made):
            connection = sqlite3.connect(path, isolation_level=None)
            connection.text_factory = bytes
            try:
                contents.append(self.contents(connection))
            except sqlite3.Error as error:
                contents.append({"error": str(error)})
            finally:
                connection.close()
        return {name for name in contents[0].keys() | contents[1].keys()
                if contents[0].get(name) != contents[1].get(name)}

    @staticmethod
    def contents(connection):
        """Everything that SQL shows, read from the tables themselves, and what SQLite says of their indexes."""
        schema = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2").fetchall()
        found = {"schema": schema, "integrity": connection.execute("PRAGMA integrity_check").fetchall()}
        for type, name, _, sql in schema:
            if type != b"table" or name.startswith(b"sqlite_"):
                continue
            name = name.decode()
            if b"VIRTUAL" in sql.upper().split(b"(")[0]:
                if b"fts5" in sql.lower():
                    # SQLite's own comparison of the index with the texts; it throws where they differ.
                    connection.execute(f"INSERT INTO \"{name}\" (\"{name}\") VALUES ('integrity-check')")
                continue
            if any(name.startswith(other.decode() + "_") for kind, other, _, text in schema
                   if kind == b"table" and text and b"VIRTUAL" in text.upper().split(b"(")[0]):
                continue  # the inside of a full-text index
            columns = [row[1].decode() for row in connection.execute(f"PRAGMA table_info(\"{name}\")")]
            quoted = ", ".join(f"quote(\"{column}\")" for column in columns)
            found[name] = sorted(connection.execute(f"SELECT {quoted} FROM \"{name}\" NOT INDEXED").fetchall())
        return found

    def look(self, catalog):
        """`verify` misses no change."""
        self.looked += 1
        status = self.run(catalog, ["verify"]).returncode
        if status != 0:
            self.differed += 1
        else:
            differences = self.differences(catalog) - self.own_ways
            if differences:
                raise TamperingFailed(f"verify found nothing, and there are differences: {sorted(differences)}")
        return status

    # Commands

    def reading(self):
        item = self.dice.choice(self.items)
        return self.dice.choice([
            ["head"], ["items", "sfx"], ["items", "atmosphere", "--sort", "updated"], ["facets", "atmosphere"],
            ["facets", "sfx", "--mode", "disjunctive"], ["search", "the"], ["search", "forest", "--limit", "3"],
            ["search", "the", "--limit", "2", "--kind", "sfx"], ["items", "sfx", "--limit", "3"], ["item", item],
            ["packs"], ["pack", self.dice.choice(self.packs)], ["music", "list"], ["tag", "list"], ["lint", "--brief"],
            ["doctor"], ["verify", "--quick"], ["receipt"], ["stats"], ["log", "--newest", "--limit", "3"], ["check"],
            ["blame", "library_item", item], ["import", "--dry-run", self.seeds[1]], ["query", "SELECT 1"]])

    def writing(self):
        item, pack = self.dice.choice(self.items), self.dice.choice(self.packs)
        other = self.dice.choice(["Cave", "Attic", "Forest", "Basement", "Downstairs"])
        return self.dice.choice([
            ["import", self.seeds[0]], ["import", self.seeds[1]], ["import", "--retire-missing", self.seeds[1]],
            ["tag", "add", item, "--location", other], ["tag", "remove", self.items[0], "--location", "Downstairs"],
            ["tag", "remove", self.items[0], "--location", "Basement"],
            ["tag", "suppress", item, "--location", other], ["tag", "unsuppress", item, "--location", other],
            ["tag", "rename", "locations", "Basement", "Vault"], ["tag", "rename", "locations", "Downstairs", "Vault"],
            ["tag", "merge", "locations", "Cave", "Forest"], ["tag", "merge", "locations", other, "Forest"],
            ["tag", "merge", "locations", "Attic", "Downstairs"], ["tag", "alias", "locations", "Under", "Basement"],
            ["tag", "alias", "locations", "Under", other], ["download", pack], ["download", "--all"],
            ["repair", pack], ["repair", "--all"], ["cancel", pack], ["delete", pack]])

    def operation(self, catalog):
        """Whole batches of the log after its first, as `revert` and `what-if` name them."""
        batches = {}
        for _, line in eventlines.event_lines(catalog / "events"):
            event = eventlines.parse_event(line)
            batches.setdefault(event["op"], []).append(event["seq"])
        batches = [(min(events), max(events)) for events in list(batches.values())[1:]]
        first = self.dice.randrange(len(batches))
        last = min(len(batches) - 1, first + self.dice.choice([0, 0, 0, 1, 2]))
        return f"{batches[first][0]}..{batches[last][1]}"

    def deciding(self, catalog):
        events = self.operation(catalog)
        return self.dice.choice([
            ["revert", events], ["revert", events], ["revert", events, "--force", "--yes"],
            ["revert", events, "--dry-run", "--format", "json"], ["revert", events, "--column", self.dice.choice(self.PARTS)],
            ["what-if", events, "--format", "json"]])

    # Rounds

    def command(self, catalog, twin, arguments):
        """Runs one, and judges what it wrote; returns its status."""
        before = events(catalog), files(catalog)
        done = self.run(catalog, arguments)
        status, after = done.returncode, (events(catalog), files(catalog))
        said = done.stderr.decode(errors="replace")[-600:]
        # A refusal of what another hand changed prints no answer.
        if status == 0 or after[0] != before[0] or arguments[0] in DECIDING and status == 2 and done.stdout:
            self.accepted += after[0] != before[0]
            expected = self.run(twin, arguments)
            if "--dry-run" in arguments and arguments[0] in DECIDING or arguments[0] == "what-if":
                if timeless(expected.stdout.decode()) != timeless(done.stdout.decode(errors="replace")):
                    raise TamperingFailed(f"catalogctl {' '.join(arguments)} answers otherwise than on the twin: "
                                          f"{done.stdout[-600:]} {said}")
            if arguments[0] in WRITERS and expected.returncode != status:
                raise TamperingFailed(f"catalogctl {' '.join(arguments)} ended with {status}, on the twin with "
                                      f"{expected.returncode}: {said}")
            before = events(twin), files(twin)
            # Packs are downloaded beside each other: their events come in any order.
            if sorted(after[0]) != sorted(before[0]):
                news = [[event for event in one if event not in other][:3]
                        for one, other in ((after[0], before[0]), (before[0], after[0]))]
                raise TamperingFailed(f"catalogctl {' '.join(arguments)} ended with {status} and wrote other events than "
                                      f"on the twin: {news[0]}, not {news[1]}: {said}")
        elif arguments[0] in WRITERS:
            self.refused += 1
        if after[1] != before[1]:
            lost, new = before[1].items() - after[1].items(), after[1].items() - before[1].items()
            raise TamperingFailed(f"catalogctl {' '.join(arguments)} ended with {status}: files lost or changed: "
                                  f"{sorted(lost)[:3]}, new: {sorted(new)[:3]}: {said}")
        return status

    def findings(self, catalog):
        return json.loads(self.run(catalog, ["doctor", "--format", "json"], (0, 2)).stdout)

    def pair(self):
        """Two copies of the catalog: one to tamper with, and its twin."""
        folders = self.folder / "tampered", self.folder / "twin"
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(self.base, folder)
        return folders

    def rebuild(self, catalog, done):
        """Makes the database again. One of another log may know events that this log lost: it goes if the user says so."""
        rebuilt = self.run(catalog, ["rebuild"], (0, 3))
        if rebuilt.returncode == 3:
            if "replaced by another catalog's" not in done or b"--discard" not in rebuilt.stderr:
                raise TamperingFailed(f"rebuild ended with 3: {rebuilt.stderr.decode(errors='replace')[-600:]}")
            self.run(catalog, ["rebuild", "--discard"], (0,))

    def history_round(self):
        """Tampers with the history alone before commands that decide by the past."""
        catalog, twin = self.pair()
        done = []
        try:
            for _ in range(self.dice.randint(1, 2)):
                for _ in range(self.dice.randint(1, 3)):
                    if os.path.isfile(catalog / "history.sqlite"):
                        done.append(self.tamper_history(str(catalog / "history.sqlite")))
                arguments = self.deciding(catalog)
                done.append(f"catalogctl {' '.join(arguments)}: …")
                self.command(catalog, twin, arguments)
        except TamperingFailed as failure:
            raise TamperingFailed(f"{failure}\nafter: " + "\n       ".join(done))

    def round(self):
        catalog, twin = self.pair()
        done = []
        try:
            for _ in range(self.dice.randint(1, 3)):
                path = str(catalog / "catalog.sqlite")
                if os.path.isfile(path):
                    done.append(self.tamper(path))
                history = str(catalog / "history.sqlite")
                if os.path.isfile(history):
                    done.append(self.tamper_history(history))
                if self.dice.random() < 0.3:
                    done.append(f"catalogctl verify: {self.look(catalog)}")
                for _ in range(self.dice.randint(1, 3)):
                    chance = self.dice.random()
                    # A download may have a different number of events on the two: then no number means the same.
                    arguments = (self.deciding(twin) if chance < 0.35 and numbered(catalog) == numbered(twin) else
                                 self.writing() if chance < 0.75 else self.reading())
                    done.append(f"catalogctl {' '.join(arguments)}: …")
                    status = self.command(catalog, twin, arguments)
                    done[-1] = f"catalogctl {' '.join(arguments)}: {status}"
            self.rebuild(catalog, done)
            self.run(catalog, ["verify"], (0,))
            # Files of a pack whose import was reverted belong to nothing, on the twin as well.
            known = {(finding["problem"], finding.get("path")) for finding in self.findings(twin)}
            findings = [finding for finding in self.findings(catalog)
                        if finding["problem"] != "keptAside" and (finding["problem"], finding.get("path")) not in known]
            if findings:
                raise TamperingFailed(f"doctor finds after a rebuild: {findings}")
            differences = self.differences(catalog) - self.own_ways
            if differences:
                raise TamperingFailed(f"a rebuild leaves differences: {sorted(differences)}")
            for folder in (catalog, twin):
                self.run(folder, self.last, (0,))
            contents = [json.loads(self.run(folder, ["receipt"], (0,)).stdout)["content"] for folder in (catalog, twin)]
            if contents[0] != contents[1]:
                raise TamperingFailed("the catalog is not what the same changes make of an untouched one")
        except TamperingFailed as failure:
            raise TamperingFailed(f"{failure}\nafter: " + "\n       ".join(done))
