"""What a vocabulary of 102,000 values does to facets, against one of 360 over as many items.

One process (`embedder browse`) asks for facets, pages and searches, and its memory at its peak is taken: the
index holds what items have, so that it grows with the taggings and not with items times values.
"""

import json

from benchmarks.browse import slowest
from benchmarks.setting import Row

# A dimension; there are six.
VALUES = 17_000


def rows(setting):
    items = setting.large or setting.items
    peaks, ratios, facets, first = [], [], [], []
    for _ in range(min(setting.runs, 3)):
        usual, _ = asked(setting, setting.catalog(items))
        many, lines = asked(setting, setting.catalog(items, VALUES))
        peaks.append(many.kib / items)
        ratios.append(many.kib / usual.kib)
        facets.append(slowest(lines, "facets"))
        first.append(slowest(lines, "first"))
    yield Row(f"memory of asking for facets, {6 * VALUES:,} values, {items:,} items, in that with 360 values",
              ratios, at_most=1.5)
    yield Row(f"the same, {items:,} items", peaks, unit="KiB an item")
    yield Row(f"facets with page and total, {6 * VALUES:,} values, {items:,} items", facets, unit="ms")
    yield Row("first facets after opening, the same", first, unit="ms")


def asked(setting, catalog):
    """How long it took with what memory, and the lines that embedder printed."""
    path = setting.removed("asked.jsonl")
    with open(path, "w", encoding="utf-8") as output:
        timing = setting.timed([setting.embedder, "browse", catalog, "--runs", "5"], stdout=output)
    with open(path, encoding="utf-8") as lines:
        return timing, [json.loads(line) for line in lines]
