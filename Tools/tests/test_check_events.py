"""The schemas accept a sound history and refuse each thing that is wrong in one."""

import copy
import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parent.parent)]
from test_reducer import FIRST, ITEM, asset, delivered  # noqa: E402
from tinyschema import Schema, SchemaError  # noqa: E402

COMMAND = pathlib.Path(__file__).resolve().parent.parent / "check-events"
LOADER = importlib.machinery.SourceFileLoader("check_events", str(COMMAND))
CHECK = importlib.util.module_from_spec(importlib.util.spec_from_loader(LOADER.name, LOADER))
LOADER.exec_module(CHECK)


def events():
    return [{"seq": number, "at": FIRST, "type": type, "v": 1,
             "op": "01234567-89ab-8cde-8123-456789abcdef", "by": "seed:starter",
             "data": copy.deepcopy(data)} for number, (type, data) in enumerate(delivered(), 1)]


def first_of(type):
    return next(event for event in events() if event["type"] == type)["seq"] - 1


def path_of(event, path):
    for key in path[:-1]:
        event = event[key]
    return event, path[-1]


# (type, path of the value, what it becomes; DELETE takes the key away)
DELETE = object()
WRONG = [
    ("catalog.created", ("at",), "2026-01-31 12:00:00"),
    ("catalog.created", ("at",), "2026-13-31T12:00:00.000Z"),
    ("catalog.created", ("at",), FIRST + "\n"),
    ("catalog.created", ("op",), ITEM),
    ("catalog.created", ("by",), "somebody"),
    ("catalog.created", ("extra",), 1),
    ("catalog.created", ("data",), []),
    ("catalog.created", ("v",), 2),
    ("catalog.created", ("seq",), "1"),
    ("catalog.created", ("type",), "catalog.destroyed"),
    ("catalog.created", ("data", "kind"), "archive"),
    ("catalog.created", ("data", "layout"), True),
    ("catalog.created", ("data", "logId"), ITEM.upper().replace("0", "A")),
    ("seed.imported", ("data", "sha256"), "F" * 64),
    ("seed.imported", ("data", "revision"), 0),
    ("seed.imported", ("data", "counts", "packs"), DELETE),
    ("dimension.value.added", ("data", "dimension"), "location"),
    ("dimension.value.added", ("data", "name"), " Forest"),
    ("dimension.value.added", ("data", "name"), "Fo\u00a0rest"),
    ("dimension.value.added", ("data", "name"), "Deep  Forest"),
    ("dimension.value.added", ("data", "name"), ""),
    ("dimension.value.added", ("data", "id"), 1.5),
    ("dimension.value.added", ("data", "isSystem"), 1),
    ("item.upserted", ("data", "kind"), "video"),
    ("item.upserted", ("data", "title"), None),
    ("item.upserted", ("data", "duration"), -0.5),
    ("item.upserted", ("data", "subtitle"), DELETE),
    ("item.tags.set", ("data", "source"), "seed:"),
    ("item.tags.set", ("data", "tags", "locations"), []),
    ("item.tags.set", ("data", "tags", "locations"), ["A", "A"]),
    ("item.tags.set", ("data", "tags", "themes"), ["A"]),
    ("playlist.linked", ("data", "playlistId"), ""),
    ("pack.upserted", ("data", "kind"), "music"),
    ("pack.upserted", ("data", "manifestUrl"), ""),
    ("pack.items.set", ("data", "items"), [ITEM, ITEM]),
    ("pack.items.set", ("data", "items"), ["x"]),
    ("item.visibility.changed", ("data", "isVisible"), 0),
    ("dimension.value.ordered", ("data", "sortOrder"), -1),
    ("dimension.value.renamed", ("data", "dimension"), "location"),
    ("dimension.value.renamed", ("data", "id"), 0),
    ("dimension.value.renamed", ("data", "name"), None),
    ("dimension.value.renamed", ("data", "newName"), "Marsh "),
    ("dimension.value.renamed", ("data", "newName"), DELETE),
    ("dimension.value.renamed", ("data", "sortOrder"), 1),
    ("dimension.value.merged", ("data", "dimension"), "Locations"),
    ("dimension.value.merged", ("data", "id"), "2"),
    ("dimension.value.merged", ("data", "name"), "Mar\u0085sh"),
    ("dimension.value.merged", ("data", "into"), 1 << 63),
    ("dimension.value.merged", ("data", "into"), DELETE),
    ("dimension.value.merged", ("data", "intoName"), ""),
    ("dimension.value.aliased", ("data", "dimension"), DELETE),
    ("dimension.value.aliased", ("data", "id"), None),
    ("dimension.value.aliased", ("data", "name"), ["Marsh"]),
    ("dimension.value.aliased", ("data", "alias"), "Peat  Bog"),
    *((type, ("data", key), value) for type in ("item.tag.suppressed", "item.tag.unsuppressed")
      for key, value in (("item", "x"), ("item", ITEM + "\n"), ("dimension", "themes"),
                         ("name", "\tMarsh"), ("name", DELETE), ("source", "person"))),
    *((type, ("data", "pack"), value) for type in sorted(
        {"manifest.applied", "pack.deleted"} | {f"pack.download.{what}" for what in (
            "started", "progressed", "completed", "failed", "interrupted", "cancelled")})
      for value in ("x", DELETE)),
    ("manifest.applied", ("data", "version"), "3"),
    ("manifest.applied", ("data", "sha256"), "1" * 63),
    ("manifest.applied", ("data", "totalBytes"), -1),
    ("manifest.applied", ("data", "assets"), []),
    ("manifest.applied", ("data", "tags"), DELETE),
    ("manifest.applied", ("data", "tags", "locations"), []),
    ("manifest.applied", ("data", "tags", "locations"), ["A", "A"]),
    ("manifest.applied", ("data", "tags", "locations"), [" A"]),
    ("manifest.applied", ("data", "tags", "themes"), ["A"]),
    ("manifest.applied", ("data", "source"), "person"),
    ("pack.download.started", ("data", "version"), None),
    ("pack.download.started", ("data", "bytesTotal"), None),
    ("pack.download.started", ("data", "bytesDownloaded"), -1),
    ("pack.download.progressed", ("data", "bytesDownloaded"), 1.5),
    ("pack.download.progressed", ("data", "bytesTotal"), 100),
    ("pack.download.completed", ("data", "version"), True),
    ("pack.download.completed", ("data", "bytesTotal"), DELETE),
    ("pack.download.completed", ("data", "assets"), {}),
    ("pack.download.completed", ("data", "assets"), [asset(), asset()]),
    *(("pack.download.completed", ("data", "assets", 0, key), value) for key, value in (
        ("asset", "x"), ("item", ITEM + "\n"), ("url", "https://example.com/a.m4a?key=1"),
        ("url", ""), ("path", ""), ("etag", 7), ("etag", DELETE), ("sha256", "G" * 64),
        ("bytes", -1), ("codec", None), ("sampleRate", 0), ("sampleRate", "48000"),
        ("channels", 1.5), ("channels", DELETE), ("loopable", 1), ("title", "Crunch"))),
    ("pack.download.failed", ("data", "error"), None),
    ("pack.download.failed", ("data", "resumable"), 1),
    ("pack.download.failed", ("data", "resumable"), DELETE),
    ("pack.download.interrupted", ("data", "error"), DELETE),
    ("pack.download.interrupted", ("data", "resumable"), True),
    ("pack.download.cancelled", ("data", "error"), "gone"),
    ("pack.deleted", ("data", "version"), 3),
]


class CheckEvents(unittest.TestCase):
    def check(self, text):
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
            file.write(text.encode())
            file.flush()
            return subprocess.run([COMMAND, file.name], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)

    def check_events(self, events):
        return self.check("".join(json.dumps(event) + "\n" for event in events))

    def test_a_sound_history_has_no_findings(self):
        done = self.check_events(events())
        self.assertEqual(done.stdout, f"{len(delivered())} events, 0 findings\n")
        self.assertEqual(done.returncode, 0)

    def test_each_wrong_value_is_found(self):
        schemas = CHECK.load_schemas()
        for place, (type, path, value) in enumerate(WRONG):
            history = events()
            event = history[first_of(type)]
            target, key = path_of(event, path)
            if value is DELETE:
                del target[key]
            else:
                target[key] = value
            with self.subTest(type=type, path=path, value=value):
                self.assertTrue(list(CHECK.check_event(schemas, event)))
                # The program is started for one in ten: it would take most of the time.
                if place % 10 == 0:
                    done = self.check_events(history)
                    self.assertEqual(done.returncode, 2, done.stdout + done.stderr)

    def test_gaps_and_bad_json_are_found(self):
        gap = events()
        del gap[3]
        self.assertIn("due is 4", self.check_events(gap).stdout)
        self.assertIn("not valid JSON", self.check('{"seq":1,"seq":1}\n').stdout)

    def test_an_unfinished_line_is_an_error(self):
        self.assertEqual(self.check('{"seq":1').returncode, 1)

    def test_a_keyword_that_is_not_supported_is_refused(self):
        with self.assertRaises(SchemaError):
            Schema({"type": "object", "patternProperties": {}})


if __name__ == "__main__":
    unittest.main()
