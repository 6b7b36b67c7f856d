"""Reading the whole log against `zstd -dc` of the same segments; wall time, start of the program included.

Our side (`embedder scan`) reads as a rebuild does: it decompresses, checks CRCs, counts and chain hashes,
and decodes every line to a typed event, on four threads; `zstd -dc` decompresses and checks zstd's own
checksum. Both begin as a new process.
"""

import os

from benchmarks.setting import Row


def rows(setting):
    for batch, name in [(0, "one batch"), (1, "one-event batches, sealed")]:
        catalog = setting.sealed(batch)
        scans, checks, decompressions = [], [], []
        for _ in range(setting.runs):
            scans.append(setting.timed([setting.embedder, "scan", os.path.join(catalog, "events")]))
            checks.append(setting.timed([setting.program, "check", "--catalog", catalog]))
            decompressions.append(setting.timed(["zstd", "-dcq", *setting.segments(catalog)]))
        yield Row(f"scan to typed events, {name}, in `zstd -dc`",
                  [ours.wall / theirs.wall for ours, theirs in zip(scans, decompressions)], at_most=4)
        yield Row(f"check without decoding, {name}, in `zstd -dc`",
                  [ours.wall / theirs.wall for ours, theirs in zip(checks, decompressions)])
