"""Catalogs to look at, and the server that shows them."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAMS = ROOT / ".build" / "debug"
# Seconds that a step has on a busy machine: what comes is waited for, and nothing is judged by its time.
PATIENCE = 300

# Text that would be markup, or would turn around what is beside it, or has no room.
HOSTILE = "<img src=x onerror=alert(1)>\"'&</td></script><script>alert(2)</script> \u202eright\u202c 日本語 " + "long" * 40


def run(*arguments, catalog=None, status=(0,)):
    """Runs catalogctl and returns what it printed."""
    words = [str(PROGRAMS / "catalogctl"), *map(str, arguments)]
    if catalog is not None:
        words += ["--catalog", str(catalog)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode not in status:
        raise AssertionError(f"{words} ended with {done.returncode}: {done.stderr}")
    return done.stdout


class Folder:
    """A temporary folder with catalogs."""

    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="catalog-inspector-"))

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)

    def starter(self, name):
        """The starter library. It is imported once, and copied after that."""
        first = self.path / "starter"
        if not first.exists():
            run("import", ROOT / "Seeds" / "starter.json", catalog=first)
        shutil.copytree(first, self.path / name)
        return self.path / name

    def sounds(self):
        """The starter library with a hostile tag and some edits of a person."""
        catalog = self.starter("sounds")
        answer = json.loads(run("query", "SELECT id FROM library_item ORDER BY id LIMIT 6", "--format", "json", catalog=catalog))
        self.items = [row[0] for row in answer["rows"]]
        for place, item in enumerate(self.items):
            run("tag", "add", item, "--mood", HOSTILE[:100] if place == 0 else f"calm {place % 3}", catalog=catalog)
        run("tag", "add", self.items[0], "--location", "Nowhere", catalog=catalog)
        return catalog

    def tracks(self):
        """A track library with hostile names."""
        document = json.loads((ROOT / "Examples" / "Tracks" / "library.json").read_text())

        def spoil(value, key=None):
            if isinstance(value, dict):
                return {name: spoil(inner, name) for name, inner in value.items()}
            if isinstance(value, list):
                return [spoil(inner) for inner in value]
            return HOSTILE if key in ("title", "name", "artist", "album") and isinstance(value, str) else value

        path = self.path / "library.json"
        path.write_text(json.dumps(spoil(document)))
        catalog = self.path / "tracks"
        run("init", "--kind", "track-library", catalog=catalog)
        run("tracks", "import", path, catalog=catalog)
        return catalog

    def concerts(self):
        """An archive of concerts with a hostile note."""
        catalog = self.path / "concerts"
        run("init", "--kind", "concert-archive", catalog=catalog)
        run("shows", "import", ROOT / "Examples" / "Concerts" / "data-v1.0.0", catalog=catalog)
        show = json.loads(run("query", "SELECT * FROM shows LIMIT 1", "--format", "json", catalog=catalog))
        run("shows", "save", show["rows"][0][0], catalog=catalog)
        run("shows", "note", show["rows"][0][0], HOSTILE, catalog=catalog)
        return catalog


class Server:
    """The inspector of a catalog, until it is ended. Its statements have `patience` seconds."""

    def __init__(self, catalog, by_command=False, patience=20):
        words = ["catalogctl", "serve"] if by_command else ["catalogctl-serve", "--patience", str(patience)]
        self.process = subprocess.Popen(
            [str(PROGRAMS / words[0]), *words[1:], "--catalog", str(catalog)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(f"the server did not start: {self.process.stderr.read()}")
        self.address = line.strip()
        self.root, _, self.token = self.address.partition("/?token=")
        self.port = int(self.root.rpartition(":")[2])
        self.cookie = f"catalog-inspector-{self.port}={self.token}"

    @property
    def memory(self):
        """Bytes of memory that it has."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line for line in text.splitlines() if line.startswith("VmRSS")).split()[1]) * 1024

    def opens(self, path):
        """How often it has a file open."""
        def is_it(file):
            try:
                return os.readlink(file) == str(path.resolve())
            except FileNotFoundError:
                return False  # It was closed since the folder was listed.

        return sum(is_it(file) for file in pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir())

    def end(self):
        self.process.terminate()
        self.process.wait(timeout=PATIENCE)
        self.process.stdout.close()
        self.process.stderr.close()
