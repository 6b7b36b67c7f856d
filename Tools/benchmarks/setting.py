"""What every subject of Tools/bench works with: generated data, the programs, a clock, the table."""

import dataclasses
import functools
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@dataclasses.dataclass
class Row:
    """One line of the table: what was measured, one value a run, and what it is to reach."""

    name: str
    values: list
    at_most: float = None
    at_least: float = None
    unit: str = "×"

    @property
    def median(self):
        return statistics.median(self.values)

    @property
    def target(self):
        if self.at_most is not None:
            return f"at most {self.at_most:g}"
        return f"at least {self.at_least:g}" if self.at_least is not None else "none"

    @property
    def reached(self):
        if self.at_most is not None:
            return "yes" if self.median <= self.at_most else "NO"
        if self.at_least is not None:
            return "yes" if self.median >= self.at_least else "NO"
        return ""

    def __str__(self):
        low, high = min(self.values), max(self.values)
        return (f"{self.name}: {self.median:.2f} {self.unit} ({low:.2f} to {high:.2f}), "
                f"target {self.target} {self.reached}")


def table(rows, setting):
    lines = ["", f"{setting.items:,} items, {setting.runs} runs, {os.cpu_count()} cores; "
             f"load when it began: {setting.load:.1f}", "",
             "| what | median | spread | to reach | reached |", "|---|---|---|---|---|"]
    for row in rows:
        spread = f"{min(row.values):.2f} to {max(row.values):.2f}" if len(row.values) > 1 else "one run"
        lines.append(f"| {row.name} | {row.median:.2f} {row.unit} | {spread} | {row.target} | {row.reached} |")
    return "\n".join(lines)


class Timing:
    """Seconds and memory of a process."""

    def __init__(self, wall, usage):
        self.wall = wall
        self.processor = usage.ru_utime + usage.ru_stime
        self.kib = usage.ru_maxrss


class Setting:
    def __init__(self, folder, items, large, runs, database=0, versions=0):
        self.folder = pathlib.Path(folder).resolve()
        self.items = items
        self.large = large
        self.runs = runs
        # Rows of the database that is adopted, and its later versions.
        self.database = database
        self.versions = versions
        self.load = os.getloadavg()[0]
        self.program = self._built("catalogctl")

    def note(self, text):
        print(text, file=sys.stderr, flush=True)

    def _built(self, product):
        path = ROOT / ".build" / "release" / product
        if not path.exists():
            sys.exit(f"bench: there is no {path.relative_to(ROOT)}; run Tools/build-release first")
        return str(path)

    @functools.cached_property
    def embedder(self):
        """The application of the tests that embeds the engine, as the sources are now."""
        return self._made("embedder")

    @functools.cached_property
    def server(self):
        """The server of the inspector, as the sources are now."""
        return self._made("catalogctl-serve")

    def _made(self, product):
        self.note(f"building {product} (release) …")
        self.run([str(ROOT / "Tools" / "build-release"), product])
        return str(ROOT / ".build" / "release" / product)

    def path(self, name):
        return str(self.folder / name)

    def compiled(self, source, *libraries):
        """A C program of this folder."""
        target = self.path(pathlib.Path(source).stem)
        compiler = next((c for c in ("cc", "clang", "gcc") if shutil.which(c)), None)
        if compiler is None and shutil.which("swift"):
            beside = pathlib.Path(os.path.realpath(shutil.which("swift"))).parent / "clang"
            compiler = str(beside) if beside.exists() else None
        if compiler is None:
            sys.exit("bench: there is no C compiler: neither cc, clang nor gcc, nor Swift's clang")
        code = pathlib.Path(__file__).parent / source
        subprocess.run([compiler, "-O2", "-Wall", "-o", target, str(code), *libraries], check=True)
        return target

    # Generated data

    def seed(self, items, values=None):
        """A seed of so many items, with so many values a dimension where that is said."""
        path = self.path(f"seed-{items}{f'-{values}' if values else ''}.json")
        if not os.path.exists(path):
            self.note(f"generating a seed of {items:,} items …")
            with open(path + ".new", "wb") as file:
                subprocess.run([str(ROOT / "Tools" / "generate-seed"), "--items", str(items), "--tags", "5",
                                *(["--values", str(values)] if values else [])], stdout=file, check=True)
            os.rename(path + ".new", path)
        return path

    def catalog(self, items=None, values=None):
        """A catalog with one import of such a seed in its log."""
        items = items or self.items
        path = self.path(f"catalog-{items}{f'-{values}' if values else ''}")
        if not os.path.exists(path):
            self.note(f"importing {items:,} items …")
            shutil.rmtree(path + ".new", ignore_errors=True)
            self.run([self.program, "import", self.seed(items, values), "--catalog", path + ".new"])
            os.rename(path + ".new", path)
        return path

    def sealed(self, batch):
        """The events of the catalog in a sealed log, so many a batch; 0 leaves them in one batch."""
        count = self.items * 10
        path = self.path(f"sealed-{self.items}-{batch}")
        if not os.path.exists(path):
            self.note(f"making a sealed log, {batch or 'all'} events a batch …")
            # In memory, where a sync costs nothing: it is the reading that is measured.
            made = f"/dev/shm/catalog-bench-{os.getpid()}" if os.path.isdir("/dev/shm") else path + ".new"
            try:
                self.run([self.embedder, "copy", os.path.join(self.catalog(), "events"),
                          os.path.join(made, "events"), "--seals", "--count", str(count),
                          "--batch", str(batch or count)], makes=made)
                shutil.copytree(made, path)
            finally:
                shutil.rmtree(made, ignore_errors=True)
        return path

    def segments(self, catalog):
        events = pathlib.Path(catalog) / "events"
        return sorted(str(path) for path in events.glob("*.zst"))

    # Running

    def run(self, arguments, stdin=None, stdout=subprocess.DEVNULL, makes=None):
        """Runs a program to its end; what it printed comes back where `stdout` is a pipe."""
        if makes:
            os.makedirs(makes, exist_ok=True)
        done = subprocess.run(arguments, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"bench: {' '.join(arguments)} ended with {done.returncode}: {done.stderr[-2000:]}")
        return done.stdout

    def timed(self, arguments, stdin=None, statuses=(0,), stdout=subprocess.DEVNULL):
        """Runs a program and measures it. `statuses` are its good ends."""
        start = time.monotonic()
        process = subprocess.Popen(
            arguments, stdin=stdin, stdout=stdout, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        if os.waitstatus_to_exitcode(status) not in statuses:
            sys.exit(f"bench: {' '.join(arguments)} ended with {os.waitstatus_to_exitcode(status)}")
        return Timing(wall, usage)

    def copied(self, catalog):
        """A copy of a catalog, to be changed; the one before it is gone."""
        path = self.removed_folder("copy")
        subprocess.run(["cp", "-r", "--reflink=auto", catalog, path], check=True)
        # Or the system writes it while something is measured.
        os.sync()
        return path

    def removed_folder(self, name):
        """The path of a folder that is not there."""
        shutil.rmtree(self.path(name), ignore_errors=True)
        return self.path(name)

    def removed(self, name):
        """The path of a file that is not there."""
        path = self.path(name)
        for suffix in ("", "-journal", "-wal", "-shm"):
            if os.path.exists(path + suffix):
                os.unlink(path + suffix)
        return path
