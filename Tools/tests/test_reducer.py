"""A small history by hand, and the rows that it must give."""

import contextlib
import io
import json
import pathlib
import sqlite3
import sys
import tempfile
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parent.parent)]
import reducer  # noqa: E402
from logbuilder import LogBuilder, segment_name  # noqa: E402

ITEM, SONG, PACK = (f"0000000{n}-0000-4000-8000-000000000000" for n in (1, 2, 3))
LATER = "2026-02-01T08:00:00.250Z"
FIRST = "2026-01-31T12:00:00.000Z"

SCHEMA = """
CREATE TABLE library_item(id TEXT PRIMARY KEY, kind TEXT, title TEXT, subtitle TEXT, duration REAL,
  artwork_url TEXT, is_visible INTEGER, created_at TEXT, updated_at TEXT);
CREATE TABLE music_playlist_ref(item_id TEXT PRIMARY KEY, apple_music_playlist_id TEXT,
  last_sync_at TEXT, use_snapshot INTEGER);
CREATE TABLE music_track_cache(track_id TEXT PRIMARY KEY, title TEXT, artist TEXT, album TEXT,
  duration REAL, artwork_url TEXT, last_seen_at TEXT);
CREATE TABLE playlist_track(playlist_id TEXT, track_id TEXT, position INTEGER, snapshot_at TEXT);
CREATE TABLE pack(id TEXT PRIMARY KEY, kind TEXT, title TEXT, description TEXT, artwork_url TEXT,
  version INTEGER, manifest_url TEXT, created_at TEXT);
CREATE TABLE pack_state(pack_id TEXT PRIMARY KEY, state TEXT, bytes_total INTEGER,
  bytes_downloaded INTEGER, installed_version INTEGER, last_error TEXT, updated_at TEXT);
CREATE TABLE pack_item(pack_id TEXT, item_id TEXT, sort_order INTEGER);
CREATE TABLE local_asset(id TEXT PRIMARY KEY, pack_id TEXT, remote_url TEXT, local_path TEXT,
  etag TEXT, sha256 TEXT, bytes_total INTEGER, created_at TEXT);
CREATE TABLE item_local_audio(item_id TEXT PRIMARY KEY, asset_id TEXT, codec TEXT,
  sample_rate INTEGER, channels INTEGER, loopable INTEGER);
""" + "".join(
    f"CREATE TABLE {table}(id INTEGER PRIMARY KEY, name TEXT, sort_order INTEGER, "
    f"is_system INTEGER, created_at TEXT); "
    f"CREATE TABLE item_{table}(item_id TEXT, {table}_id INTEGER);"
    for table in reducer.DIMENSION_TABLES.values())


def history():
    """(type, data) of a catalog with one effect in one pack and one playlist, changed twice."""
    return [
        ("catalog.created", {"kind": "sound-library", "layout": 1, "logId": ITEM}),
        ("seed.imported", {"seed": "starter", "revision": 1, "sha256": "0" * 64, "counts": {
            "values": 4, "music": 1, "packs": 1, "packItems": 1}}),
        *(("dimension.value.added", {"dimension": dimension, "id": id, "name": name,
                                     "sortOrder": id - 1, "isSystem": True})
          for dimension, id, name in (("locations", 1, "Forest"), ("locations", 2, "Swamp"),
                                      ("sfxThemes", 1, "Footsteps"),
                                      ("musicThemes", 1, "Hero’s Journey"))),
        ("item.upserted", {"id": ITEM, "kind": "sfx", "title": "Crunch", "subtitle": None,
                           "duration": 2, "artworkUrl": None}),
        ("item.tags.set", {"item": ITEM, "source": "seed:starter",
                           "tags": {"locations": ["Forest"], "sfxThemes": ["Footsteps"]}}),
        ("item.upserted", {"id": SONG, "kind": "music", "title": "March", "subtitle": "Brass",
                           "duration": None, "artworkUrl": None}),
        ("playlist.linked", {"item": SONG, "playlistId": "pl.1", "useSnapshot": False}),
        ("item.tags.set", {"item": SONG, "source": "seed:starter",
                           "tags": {"musicThemes": ["Hero’s Journey"]}}),
        ("pack.upserted", pack(version=2)),
        ("pack.items.set", {"pack": PACK, "items": [ITEM]}),
        # A day later: another source's tags, the first source's shrink, a version that would fall.
        ("item.tags.set", {"item": ITEM, "source": "person", "tags": {"locations": ["Swamp"]}}),
        ("item.tags.set", {"item": ITEM, "source": "seed:starter", "tags": {}}),
        ("item.upserted", {"id": ITEM, "kind": "sfx", "title": "Crunch!", "subtitle": None,
                           "duration": 2.5, "artworkUrl": None}),
        ("item.visibility.changed", {"id": SONG, "isVisible": False}),
        ("pack.upserted", pack(version=1)),
        ("dimension.value.ordered", {"dimension": "locations", "id": 2, "name": "Swamp",
                                     "sortOrder": None}),
    ]


def pack(version):
    return {"id": PACK, "kind": "sfx", "title": "Steps", "description": None, "artworkUrl": None,
            "version": version, "manifestUrl": "https://example.com/m.json"}


def lines(events):
    return [json.dumps({
        "seq": number, "at": FIRST if number <= 13 else LATER, "type": type, "v": 1, "op": ITEM,
        "by": "cli", "data": data}, ensure_ascii=False).encode() + b"\n"
        for number, (type, data) in enumerate(events, 1)]


class ReducerTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def fold(self, events):
        (self.folder / "log.jsonl").write_bytes(b"".join(lines(events)))
        return reducer.fold(self.folder / "log.jsonl")

    def database(self, catalog):
        """A database that holds just what the catalog says."""
        path = self.folder / "catalog.sqlite"
        connection = sqlite3.connect(path)
        connection.executescript(SCHEMA)
        for table, (columns, _) in reducer.TABLES.items():
            connection.executemany(
                f"INSERT INTO {table}({', '.join(columns)}) "
                f"VALUES ({', '.join('?' * len(columns))})",
                [key + values for key, values in catalog.tables[table].items()])
        connection.commit()
        self.addCleanup(connection.close)
        return path, connection

    def compare(self, path):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            status = reducer.compare(self.fold(history()), path, 100)
        return status, printed.getvalue()

    def test_rows_of_the_history(self):
        tables = self.fold(history()).tables
        self.assertEqual(tables["library_item"], {
            (ITEM,): ("sfx", "Crunch!", None, 2.5, None, 1, FIRST, LATER),
            (SONG,): ("music", "March", "Brass", None, None, 0, FIRST, LATER)})
        self.assertEqual(tables["music_playlist_ref"], {(SONG,): ("pl.1", None, 0)})
        self.assertEqual(tables["pack"], {
            (PACK,): ("sfx", "Steps", None, None, 2, "https://example.com/m.json", FIRST)})
        self.assertEqual(tables["pack_state"], {
            (PACK,): ("not_downloaded", None, None, None, None, FIRST)})
        self.assertEqual(tables["pack_item"], {(PACK, ITEM): (0,)})
        self.assertEqual(tables["location"], {
            (1,): ("Forest", 0, 1, FIRST), (2,): ("Swamp", None, 1, FIRST)})
        self.assertEqual(tables["item_location"], {(ITEM, 2): ()})
        self.assertEqual(tables["item_sfx_theme"], {})
        self.assertEqual(tables["item_music_theme"], {(SONG, 1): ()})

    def test_reads_segments(self):
        events = self.folder / "events"
        events.mkdir()
        log, all_lines = LogBuilder(), lines(history())
        log.add(all_lines[:1]).add(all_lines[1:13]).add(all_lines[13:])
        (events / segment_name(1)).write_bytes(log.sealed_segment(log.batches[:2]))
        (events / segment_name(14)).write_bytes(log.open_segment(log.batches[2:]))
        self.assertEqual(reducer.fold(events).tables, self.fold(history()).tables)

    def test_an_event_again_right_after_itself_changes_nothing(self):
        once = self.fold(history()).tables
        for number in range(1, len(history())):
            events = history()
            events.insert(number, events[number])
            twice = self.fold(events[:number + 1]).tables
            twice_more = self.fold(history()[:number + 1]).tables
            with self.subTest(events[number][0]):
                self.assertEqual(twice, twice_more)
        self.assertEqual(once, self.fold(history()).tables)

    def test_an_equal_database_is_equal(self):
        path, _ = self.database(self.fold(history()))
        status, printed = self.compare(path)
        self.assertEqual(status, 0, printed)
        self.assertIn("library_item: 2 rows, equal", printed)

    def test_every_kind_of_difference_is_told(self):
        for statement, told in (
                ("UPDATE library_item SET title = 'Other' WHERE kind = 'sfx'",
                 'title: log "Crunch!", database "Other"'),
                ("UPDATE pack SET version = '2x'", 'version: log 2, database "2x"'),
                ("DELETE FROM item_location", "only in the log"),
                ("INSERT INTO item_mood VALUES ('x', 9)", "only in the database"),
                ("INSERT INTO pack_item SELECT * FROM pack_item", "twice in the database"),
                ("ALTER TABLE pack_state DROP COLUMN last_error", "lacks the columns last_error"),
                ("DROP TABLE local_asset", "local_asset: does not exist")):
            (self.folder / "catalog.sqlite").unlink(missing_ok=True)
            path, connection = self.database(self.fold(history()))
            connection.execute(statement)
            connection.commit()
            status, printed = self.compare(path)
            with self.subTest(told):
                self.assertEqual(status, 2)
                self.assertIn(told, printed)

    def test_stops_at_what_it_does_not_know(self):
        for event, told in (
                (("pack.repainted", {}), "seq 20: unknown event pack.repainted"),
                (("item.visibility.changed", {"id": ITEM}), "seq 20: item.visibility.changed"),
                (("item.tags.set", {"item": ITEM, "source": "person",
                                    "tags": {"locations": ["Moon"]}}), "'Moon'"),
                (("item.tags.set", {"item": SONG, "source": "person",
                                    "tags": {"sfxThemes": ["Footsteps"]}}), "sfxThemes"),
                (("catalog.created", {"kind": "sound-library", "layout": 1, "logId": ITEM}),
                 "starts with catalog.created")):
            with self.subTest(told), self.assertRaises(reducer.ReducerError) as caught:
                self.fold(history() + [event])
            self.assertIn(told, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
