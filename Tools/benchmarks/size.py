"""The size of sealed segments against `zstd -9` of the same JSON Lines in one file."""

import os
import subprocess

from benchmarks.setting import Row


def rows(setting):
    for batch, name in [(0, "one batch"), (1, "one-event batches")]:
        segments = setting.segments(setting.sealed(batch))
        sealed = sum(os.path.getsize(path) for path in segments)
        plain = subprocess.Popen(["zstd", "-dcq", *segments], stdout=subprocess.PIPE)
        compressed = subprocess.run(["zstd", "-9", "-cq"], stdin=plain.stdout, stdout=subprocess.PIPE,
                                    check=True).stdout
        if plain.wait() != 0:
            raise SystemExit("bench: zstd could not read the segments")
        yield Row(f"sealed, from {name}, in `zstd -9`", [sealed / len(compressed)], at_most=1.15)
