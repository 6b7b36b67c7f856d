"""Appending to the log alone, against a bare loop of write and fdatasync (append.c) of the same bytes.

Our side compresses each batch, hashes it into the chain, writes it and waits until it is durable.
"""

import os
import shutil
import subprocess

from benchmarks.setting import Row

COUNT = 3_000


def rows(setting):
    bare = setting.compiled("append.c")
    events = os.path.join(setting.catalog(), "events")
    lines = setting.path("lines.jsonl")
    with open(lines, "wb") as file:
        zstd = subprocess.Popen(["zstd", "-dcq", *setting.segments(setting.catalog())],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for _ in range(COUNT):
            file.write(zstd.stdout.readline())
        zstd.kill()
        zstd.wait()
    singles, bares, hundreds = [], [], []
    # What the subjects before wrote, some gigabytes, is on the way to the disk that is waited for here.
    os.sync()
    for _ in range(setting.runs):
        bares.append(rate(setting.run([bare, lines, setting.removed("bare.jsonl")],
                                      stdout=subprocess.PIPE)))
        singles.append(appended(setting, events, 1, COUNT))
        hundreds.append(appended(setting, events, 100, min(setting.items, 30 * COUNT)))
    yield Row("rate of appends, one event a batch, in rates of write + fdatasync",
              [ours / theirs for ours, theirs in zip(singles, bares)], at_least=0.8)
    yield Row("events a second in batches of 100, in those of one-event batches",
              [ours / theirs for ours, theirs in zip(hundreds, singles)], at_least=20)


def appended(setting, events, batch, count):
    copy = setting.path("appended")
    shutil.rmtree(copy, ignore_errors=True)
    os.mkdir(copy)
    printed = setting.run([setting.embedder, "copy", events, os.path.join(copy, "events"),
                           "--batch", str(batch), "--count", str(count)], stdout=subprocess.PIPE)
    shutil.rmtree(copy)
    return rate(printed)


def rate(printed):
    """Events a second of "3000 events in 0.25 s"."""
    words = printed.split()
    return int(words[0]) / float(words[3])
