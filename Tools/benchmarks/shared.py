"""A log in PostgreSQL, against libpq alone doing the same inserts and the same COPY (shared.c), on a server of its own.

Appends: 100 events a batch, each batch compressed, hashed, inserted and committed before the next. Replay: a scan to typed
events, against the time of a COPY of the same rows and a scan of the same log in a folder. Followers: the transactions of
four `catalogctl follow` that have nothing to do.
"""

import os
import shutil
import signal
import subprocess
import time

from benchmarks.append import rate
from benchmarks.setting import ROOT, Row

COUNT = 100_000
FOLLOWED = 10


def rows(setting):
    if not os.path.isdir("/usr/lib/postgresql"):
        setting.note("shared: left out, as there is no PostgreSQL server; on Debian: apt-get install postgresql")
        return
    # The path of a socket has a hundred bytes at most.
    folder = f"/tmp/catalog-bench-{os.getpid()}"
    server = subprocess.Popen([str(ROOT / "Tools" / "postgres-cluster"), folder, str(os.getpid())],
                              stdout=subprocess.PIPE, text=True)
    try:
        if server.stdout.readline() != "ready\n":
            raise SystemExit("bench: the PostgreSQL server did not start")
        address = f"postgresql://postgres@/postgres?host={folder}"
        yield from appending(setting, address)
        yield from replaying(setting, address)
        yield from following(setting, address, folder)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()


def appending(setting, address):
    bare = setting.compiled("shared.c", "-l:libpq.so.5")
    events = os.path.join(setting.catalog(), "events")
    ratios = []
    os.sync()
    for run in range(setting.runs):
        ours = setting.run([setting.embedder, "copy", events, f"{address}#ours{run}", "--batch", "100",
                            "--count", str(COUNT)], stdout=subprocess.PIPE)
        theirs = setting.run([bare, "insert", address, f"ours{run}", f"theirs{run}"], stdout=subprocess.PIPE)
        ratios.append(rate(ours) / rate(theirs))
    yield Row("rate of appends to PostgreSQL, 100 events a batch, in bare inserts", ratios, at_least=0.8)


def replaying(setting, address):
    bare = setting.compiled("shared.c", "-l:libpq.so.5")
    folder = os.path.join(setting.sealed(100), "events")
    setting.run([setting.program, "copy", folder, f"{address}#replay"])
    ratios, memory = [], []
    for _ in range(setting.runs):
        ours = setting.timed([setting.embedder, "scan", f"{address}#replay"])
        copied = setting.timed([bare, "copy", address, "replay"])
        scanned = setting.timed([setting.embedder, "scan", folder])
        ratios.append((copied.wall + scanned.wall) / ours.wall)
        memory.append((ours.kib - scanned.kib) / 1024)
    yield Row("rate of a scan from PostgreSQL, in a bare COPY and a folder's scan", ratios, at_least=0.7)
    yield Row("memory of that scan beyond a folder's", memory, at_most=64, unit="MiB")


def following(setting, address, folder):
    def transactions():
        shown = subprocess.run(
            ["psql", "-X", "-h", folder, "-U", "postgres", "-Atc",
             "SELECT pg_stat_force_next_flush(); SELECT xact_commit + xact_rollback FROM pg_stat_database "
             "WHERE datname = 'postgres'"], capture_output=True, text=True, check=True)
        return int(shown.stdout.split()[-1])

    catalog = setting.removed_folder("followed")
    setting.run([setting.program, "init", "--log", f"{address}#replay", "--catalog", catalog])
    copies = [setting.removed_folder(f"followed-{number}") for number in range(4)]
    followers = []
    try:
        setting.run([setting.program, "head", "--catalog", catalog])
        for copy in copies:
            shutil.copytree(catalog, copy)
            followers.append(subprocess.Popen([setting.program, "follow", "--catalog", copy],
                                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        # Each of them opens its catalog first.
        time.sleep(5)
        before, start = transactions(), time.monotonic()
        time.sleep(FOLLOWED)
        # One of the two is the question itself.
        found = (transactions() - before - 2) / (time.monotonic() - start) / len(followers)
    finally:
        for follower in followers:
            follower.terminate()
            follower.wait()
        for copy in [catalog, *copies]:
            shutil.rmtree(copy, ignore_errors=True)
    yield Row("transactions a second of a follower that waits", [found], at_most=1.1)
