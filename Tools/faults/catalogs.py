"""catalogctl and folders of catalogs over one log."""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import time

import logreader  # Beside the program that imports this.

from .promises import Broken, require

# The longest time that a command may take: --wait, the half minute of an append without an answer, and the connections that
# it tries.
BOUND = 150


class Done:
    """How a command ended."""

    def __init__(self, arguments, status, output, errors, seconds):
        self.arguments, self.status, self.output, self.errors = arguments, status, output, errors
        self.seconds = seconds

    def __str__(self):
        return (f"`catalogctl {' '.join(self.arguments)}` ended with {self.status} after {self.seconds:.1f} s: "
                f"{(self.errors or self.output).strip()[-1500:]}")

    @property
    def json(self):
        return json.loads(self.output)


class Program:
    def __init__(self, path):
        self.path = str(path)

    def start(self, *arguments, before=()):
        return subprocess.Popen([*before, self.path, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def run(self, *arguments, kill_after=None, bound=BOUND, before=()):
        """Runs a command. It is killed after some seconds, if that is given; the status is then -9."""
        began = time.monotonic()
        process = self.start(*arguments, before=before)
        try:
            output, errors = process.communicate(timeout=kill_after or bound)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            output, errors = process.communicate()
            if not kill_after:
                raise Broken(f"`catalogctl {' '.join(arguments)}` has not ended after {bound} seconds: {errors}") from None
        return Done(arguments, process.returncode, output, errors, time.monotonic() - began)

    def must(self, *arguments, statuses=(0,), **options):
        done = self.run(*arguments, **options)
        require(done.status in statuses, str(done))
        return done


def identity(number):
    return f"00000000-0000-4000-8000-{number:012d}"


ITEMS = 8


def seed(path):
    """Writes a small seed: a pack with a few sounds."""
    items = [{"id": identity(number), "title": f"Sound {number}", "duration": 1.5,
              "tags": {"locations": [], "moods": ["Calm"], "themes": ["Steps"], "creatureTypes": []}}
             for number in range(1, ITEMS + 1)]
    path.write_text(json.dumps({
        "format": 1, "seedId": "faults", "revision": 1,
        "dimensions": {"locations": [], "moods": ["Calm"], "musicThemes": [], "atmosphereThemes": [],
                       "sfxThemes": ["Steps"], "creatureTypes": []},
        "music": [],
        "packs": [{"id": identity(900), "kind": "sfx", "title": "Sounds", "version": 1,
                   "manifestUrl": "https://packs.example.com/sounds.json", "items": items}]}))


class Catalog:
    """A folder that joins a log."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.before = ()

    def __call__(self, *arguments, **options):
        return self.program.run(*arguments, "--catalog", str(self.folder), before=self.before, **options)

    def must(self, *arguments, **options):
        return self.program.must(*arguments, "--catalog", str(self.folder), before=self.before, **options)

    def add(self, name, number=1, wait=60, **options):
        """Adds a mood of this name to an item: one batch of two events."""
        return self("tag", "add", identity(number), "--mood", name, "--format", "json", "--wait", str(wait), **options)

    def ask(self, address):
        """Lets the folder ask other servers for its log."""
        (self.folder / "log.url").write_text(address + "\n")

    def again(self, folder, address):
        """A new folder that joins the log."""
        catalog = Catalog(self.program, folder)
        catalog.must("init", "--log", address)
        return catalog

    def contents(self):
        """The hashes of all files, by their names.

        Left out are files that SQLite makes for any reader (an empty journal and its index), and the file with the database's
        times.
        """
        found = {}
        for folder, _, names in os.walk(self.folder):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    data = file.read()
                if data and not name.endswith(("-shm", "-proved")):
                    found[os.path.relpath(os.path.join(folder, name), self.folder)] = hashlib.sha256(data).hexdigest()
        return found


def joined(program, folder, address, count):
    """Makes a log with a seed, and so many folders that join it."""
    catalogs = [Catalog(program, folder / f"catalog-{number}") for number in range(1, count + 1)]
    seed(folder / "seed.json")
    for number, catalog in enumerate(catalogs):
        catalog.must("init", "--kind", "sound-library", "--log", address)
        if number == 0:
            catalog.must("import", str(folder / "seed.json"))
    return catalogs


class Ledger:
    """What was acknowledged, and what may be in the log."""

    def __init__(self):
        self.acknowledged = {}  # The sequence that the command printed, or None if it changed nothing, by the name.
        self.possible = set()

    def note(self, name, done):
        """Notes how a command that adds a name ended. Returns whether it is settled."""
        require(done.status in (0, 1, -signal.SIGKILL), f"an edit: {done}")
        if done.status == 0:
            # A command that is run again may find its own batch of the first time.
            outcome = done.json
            self.acknowledged[name] = outcome.get("sequence") if outcome.get("outcome") == "applied" else None
            return True
        self.possible.add(name)
        return done.status != 1

    def compare(self, program, address, what):
        """Compares the whole log with the notes. Returns how many names it has.

        Raises Broken if a sequence is missing, an acknowledged edit is not in the log exactly once, or the log has one that no
        command made.
        """
        lines = program.must("log", "--format", "json", "--events", address).output.splitlines()
        last, operations, names, moods = 0, {}, {}, {}
        for line in lines:
            event = json.loads(line)
            require(event["seq"] == last + 1, f"{what}: event {event['seq']} follows event {last}")
            last = event["seq"]
            operations.setdefault(event["op"], []).append(last)
            data = event["data"]
            if event["type"] == "dimension.value.added" and re.match(r"edit ", data.get("name", "")):
                names.setdefault(data["name"], []).append(event["op"])
            if event["type"] == "item.tags.set" and data.get("source") == "person":
                for mood in data["tags"].get("moods", []):
                    moods.setdefault(mood, event["op"])
        for name, found in names.items():
            require(len(found) == 1, f"{what}: {name} is in the log {len(found)} times")
            require(name in self.acknowledged or name in self.possible, f"{what}: no command made {name}")
            require(moods.get(name) == found[0], f"{what}: {name} was added without its tag: a part of a batch")
        for name, sequence in self.acknowledged.items():
            require(name in names, f"{what}: {name} was acknowledged with event {sequence} and is lost")
            require(sequence is None or operations[names[name][0]][-1] == sequence,
                    f"{what}: {name} was acknowledged as event {sequence}, and is event {operations[names[name][0]][-1]}")
        self.events = last
        return len(names)


def agree(program, catalogs, address, what):
    """Brings the folders to the end of the log; each must have the same receipt, and nothing to find."""
    receipts = set()
    for catalog in catalogs:
        catalog.must("follow", "--every", "0.1", "--for", "0.3")
        receipts.add(catalog.must("receipt").output)
    require(len(receipts) == 1, f"{what}: {len(catalogs)} folders have {len(receipts)} different receipts")
    for catalog in catalogs:
        catalog.must("check")
    catalogs[0].must("verify")
    checked = program.must("check", "--events", address, "--format", "json").json
    require(checked["whole"] and not checked["findings"] and not checked["damage"], f"{what}: check finds {checked}")
    return checked


def read_again(run, node, address, what):
    """Copies the log to a folder and reads it with Tools/logreader.py; each row of the server must have the same chain hash."""
    folder = run.folder / "copy"
    run.program.must("copy", address, str(folder))
    try:
        head = logreader.read_log(folder / "events")
    except logreader.Damage as damage:
        raise Broken(f"{what}: the second reader finds damage in a copy: {damage}") from damage
    rows = dict(line.split("|") for line in node.sql("SELECT last_seq, encode(chain, 'hex') FROM log_batch").splitlines())
    require(rows == {str(sequence): chain.hex() for sequence, chain in head.seen.items()},
            f"{what}: the second reader finds other chain hashes than the rows have")
    shutil.rmtree(folder)
