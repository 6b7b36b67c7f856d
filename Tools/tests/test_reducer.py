"""Small histories by hand, and the rows that they must give."""

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
import reducing  # noqa: E402
from logbuilder import LogBuilder, segment_name  # noqa: E402

ITEM, SONG, PACK, ASSET, STEP, OTHER_PACK, OTHER_ASSET, THIRD_ASSET = (
    f"0000000{n}-0000-4000-8000-000000000000" for n in range(1, 9))
SEED, PERSON, MANIFEST = "seed:starter", "person", f"manifest:{PACK}"
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


# What no event may do again: the name or the id is taken, the old name is no value's any more, or
# the download is over.
ONCE = {"catalog.created", "dimension.value.added", "dimension.value.renamed",
        "dimension.value.merged", "pack.download.completed", "pack.download.interrupted"}


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


def curated():
    """The history, and then each event by which a person puts tags in order, once."""
    return history() + [
        renamed(2, "Swamp", "Marsh"),
        aliased(2, "Marsh", "Bog"),
        suppressed("Marsh"),
        unsuppressed("Bog"),
        merged(2, "Marsh", 1, "Forest"),
    ]


def delivered():
    """The curated history, then downloads that end in each way; the last one's assets are there."""
    return curated() + [
        applied({"locations": ["Forest"], "sfxThemes": ["Footsteps"]}),
        started(), progressed(40), failed("no network"),
        started(downloaded=40), interrupted("the process 7 is gone"),
        started(downloaded=40), cancelled(),
        started(), completed(asset()), deleted(),
        started(), completed(asset(etag='"7a"', sampleRate=None, channels=None)),
    ]


def added(id, name, order=None, system=False, dimension="locations"):
    return ("dimension.value.added", {"dimension": dimension, "id": id, "name": name,
                                      "sortOrder": order, "isSystem": system})


def ordered(id, name, order):
    return ("dimension.value.ordered", {"dimension": "locations", "id": id, "name": name,
                                        "sortOrder": order})


def renamed(id, name, new_name):
    return ("dimension.value.renamed", {"dimension": "locations", "id": id, "name": name,
                                        "newName": new_name})


def merged(id, name, into, into_name):
    return ("dimension.value.merged", {"dimension": "locations", "id": id, "name": name,
                                       "into": into, "intoName": into_name})


def aliased(id, name, alias):
    return ("dimension.value.aliased", {"dimension": "locations", "id": id, "name": name,
                                        "alias": alias})


def tagged(source, *locations, item=ITEM):
    return ("item.tags.set", {"item": item, "source": source,
                              "tags": {"locations": list(locations)} if locations else {}})


def suppressed(name, item=ITEM, dimension="locations"):
    return ("item.tag.suppressed", {"item": item, "dimension": dimension, "name": name})


def unsuppressed(name, item=ITEM, dimension="locations"):
    return ("item.tag.unsuppressed", {"item": item, "dimension": dimension, "name": name})


def pack(version, id=PACK):
    return {"id": id, "kind": "sfx", "title": "Steps", "description": None, "artworkUrl": None,
            "version": version, "manifestUrl": "https://example.com/m.json"}


def members(*items, pack=PACK):
    return ("pack.items.set", {"pack": pack, "items": list(items)})


def applied(tags, version=3, pack=PACK):
    return ("manifest.applied", {"pack": pack, "version": version, "sha256": "1" * 64,
                                 "totalBytes": 100, "assets": 1, "tags": tags})


def started(version=3, total=100, downloaded=0, pack=PACK):
    return ("pack.download.started", {"pack": pack, "version": version, "bytesTotal": total,
                                      "bytesDownloaded": downloaded})


def progressed(downloaded, pack=PACK):
    return ("pack.download.progressed", {"pack": pack, "bytesDownloaded": downloaded})


def asset(id=ASSET, item=ITEM, **changes):
    return {"asset": id, "item": item, "url": "https://example.com/a.m4a",
            "path": "AudioAssets/a.m4a", "etag": None, "sha256": "2" * 64, "bytes": 100,
            "codec": "aac", "sampleRate": 48000, "channels": 2, "loopable": True, **changes}


def completed(*assets, version=3, total=100, pack=PACK):
    return ("pack.download.completed", {"pack": pack, "version": version, "bytesTotal": total,
                                        "assets": list(assets)})


def failed(error, resumable=True, pack=PACK):
    return ("pack.download.failed", {"pack": pack, "error": error, "resumable": resumable})


def interrupted(error, pack=PACK):
    return ("pack.download.interrupted", {"pack": pack, "error": error})


def cancelled(pack=PACK):
    return ("pack.download.cancelled", {"pack": pack})


def deleted(pack=PACK):
    return ("pack.deleted", {"pack": pack})


def in_two_days(number):
    """The moment of an event: what is asked of `created_at` and `updated_at` needs no more."""
    return FIRST if number <= 13 else LATER


def lines(events, moment=in_two_days):
    return [json.dumps({
        "seq": number, "at": moment(number), "type": type, "v": 1, "op": ITEM,
        "by": "cli", "data": data}, ensure_ascii=False).encode() + b"\n"
        for number, (type, data) in enumerate(events, 1)]


class Folding(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    moment = staticmethod(in_two_days)

    def fold(self, events):
        (self.folder / "log.jsonl").write_bytes(b"".join(lines(events, self.moment)))
        return folded(self.folder / "log.jsonl")


def folded(path):
    catalog = reducing.fold(reducer.Catalog(), path)
    catalog.rows()
    return catalog


class ReducerTests(Folding):
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
            status = reducing.compare(self.fold(delivered()), reducer.TABLES, path, 100)
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

    def test_rows_of_the_curated_history(self):
        tables = self.fold(curated()).tables
        self.assertEqual(tables["location"], {(1,): ("Forest", 0, 1, FIRST)})
        self.assertEqual(tables["item_location"], {(ITEM, 1): ()})

    def test_rows_of_the_delivered_history(self):
        tables = self.fold(delivered()).tables
        self.assertEqual(tables["pack"][PACK,][4], 3)
        self.assertEqual(tables["pack_state"], {
            (PACK,): ("downloaded", 100, 100, 3, None, LATER)})
        self.assertEqual(tables["local_asset"], {
            (ASSET,): (PACK, "https://example.com/a.m4a", "AudioAssets/a.m4a", '"7a"', "2" * 64,
                       100, LATER)})
        self.assertEqual(tables["item_local_audio"], {(ITEM,): (ASSET, "aac", None, None, 1)})
        self.assertEqual(tables["item_location"], {(ITEM, 1): ()})
        self.assertEqual(tables["item_sfx_theme"], {(ITEM, 1): ()})

    def test_reads_segments(self):
        events = self.folder / "events"
        events.mkdir()
        log, all_lines = LogBuilder(), lines(history())
        log.add(all_lines[:1]).add(all_lines[1:13]).add(all_lines[13:])
        (events / segment_name(1)).write_bytes(log.sealed_segment(log.batches[:2]))
        (events / segment_name(14)).write_bytes(log.open_segment(log.batches[2:]))
        self.assertEqual(folded(events).tables, self.fold(history()).tables)

    def test_an_event_again_right_after_itself_changes_nothing(self):
        events = delivered()
        for number, (type, _) in enumerate(events):
            with self.subTest(type, number=number):
                again = events[:number + 1] + [events[number]]
                catalog = self.fold(again)
                self.assertEqual(catalog.tables, self.fold(again[:-1]).tables)
                self.assertEqual(len(catalog.conflicts), type in ONCE)

    def test_an_equal_database_is_equal(self):
        path, _ = self.database(self.fold(delivered()))
        status, printed = self.compare(path)
        self.assertEqual(status, 0, printed)
        self.assertIn("library_item: 2 rows, equal", printed)

    def test_every_kind_of_difference_is_told(self):
        for statement, told in (
                ("UPDATE library_item SET title = 'Other' WHERE kind = 'sfx'",
                 'title: log "Crunch!", database "Other"'),
                ("UPDATE pack SET version = '3x'", 'version: log 3, database "3x"'),
                ("DELETE FROM item_location", "only in the log"),
                ("UPDATE item_local_audio SET channels = 2", "channels: log null, database 2"),
                ("UPDATE local_asset SET etag = NULL", "database null"),
                ("INSERT INTO item_mood VALUES ('x', 9)", "only in the database"),
                ("INSERT INTO pack_item SELECT * FROM pack_item", "twice in the database"),
                ("ALTER TABLE pack_state DROP COLUMN last_error", "lacks the columns last_error"),
                ("DROP TABLE local_asset", "local_asset: does not exist")):
            (self.folder / "catalog.sqlite").unlink(missing_ok=True)
            path, connection = self.database(self.fold(delivered()))
            connection.execute(statement)
            connection.commit()
            status, printed = self.compare(path)
            with self.subTest(told):
                self.assertEqual(status, 2)
                self.assertIn(told, printed)

    def test_stops_at_what_it_does_not_know(self):
        for event, told in (
                (("pack.repainted", {}), "seq 20: unknown event pack.repainted"),
                (("item.visibility.changed", {"id": ITEM}), "seq 20: item.visibility.changed")):
            with self.subTest(told), self.assertRaises(reducer.ReducerError) as caught:
                self.fold(history() + [event])
            self.assertIn(told, str(caught.exception))
        with self.assertRaises(reducer.ReducerError):
            self.fold(history()[1:])
        with self.assertRaises(reducer.ReducerError):
            self.fold([("catalog.created", {"kind": "other", "layout": 1, "logId": ITEM})])

    def test_what_contradicts_changes_nothing(self):
        before = self.fold(history())
        for event, told in (
                (("item.tags.set", {"item": ITEM, "source": "person",
                                    "tags": {"locations": ["Swamp", "Moon"]}}), "'Moon'"),
                (("item.tags.set", {"item": SONG, "source": "person",
                                    "tags": {"sfxThemes": ["Footsteps"]}}), "sfxThemes"),
                (("catalog.created", {"kind": "sound-library", "layout": 1, "logId": ITEM}),
                 "created once"),
                (("pack.upserted", pack(version=-1)), "version is beyond"),
                (("item.upserted", {"id": ITEM, "kind": "sfx", "title": "x" * 65537,
                                    "subtitle": None, "duration": 2, "artworkUrl": None}),
                 "title is beyond")):
            with self.subTest(told):
                catalog = self.fold(history() + [event])
                self.assertEqual(catalog.tables, before.tables)
                self.assertEqual([place for place, _, _ in catalog.conflicts], [20])
                self.assertIn(told, catalog.conflicts[0][2])


# Two places, a mood with the id of one of them (older logs have such), an effect and a song.
BASE = [
    ("catalog.created", {"kind": "sound-library", "layout": 1, "logId": ITEM}),
    added(1, "Forest", order=0), added(2, "Woods"), added(1, "Cozy", dimension="moods"),
    *(("item.upserted", {"id": id, "kind": kind, "title": kind, "subtitle": None, "duration": None,
                         "artworkUrl": None}) for id, kind in ((ITEM, "sfx"), (SONG, "music"))),
]
MERGE = merged(2, "Woods", 1, "Forest")


class OnBase(Folding):
    """Each test's events come behind those of `base`."""

    base = BASE

    def tables(self, *events):
        return self.fold([*self.base, *events]).tables

    def places(self, *events):
        """Ids of the locations that ITEM shows."""
        return {id for item, id in self.tables(*events)["item_location"] if item == ITEM}

    def values(self, *events):
        """id → (name, sort_order, is_system) of the locations."""
        return {id: row[:3] for (id,), row in self.tables(*events)["location"].items()}

    def assert_refused(self, told, *events):
        """The last event, and none before it, contradicts what is there."""
        before = self.fold([*self.base, *events[:-1]])
        with self.subTest(told, event=events[-1]):
            self.assertEqual(before.conflicts, [])
            catalog = self.fold([*self.base, *events])
            self.assertEqual(catalog.tables, before.tables)
            self.assertEqual(len(catalog.conflicts), 1)
            self.assertIn(told, catalog.conflicts[0][2])


class CuratingTests(OnBase):
    """Renames, merges, aliases and suppressions: docs/EVENTS.md, sentence by sentence."""

    # Names

    def test_a_renamed_value_keeps_its_row_and_its_tags(self):
        events = [tagged(PERSON, "Woods"), renamed(2, "Woods", "Woodland")]
        self.assertEqual(self.tables(*events)["location"], {
            (1,): ("Forest", 0, 0, FIRST), (2,): ("Woodland", None, 0, FIRST)})
        self.assertEqual(self.places(*events), {2})

    def test_a_tag_by_the_old_name_means_the_renamed_value(self):
        rename = renamed(2, "Woods", "Woodland")
        self.assertEqual(self.places(rename, tagged(PERSON, "Woods")), {2})
        self.assertEqual(self.places(rename, tagged(PERSON, "Woodland")), {2})
        self.assertEqual(self.places(rename, tagged(PERSON, "Forest", "Woods", "Woodland")), {1, 2})
        twice = [rename, renamed(2, "Woodland", "Grove")]
        self.assertEqual(self.places(*twice, tagged(PERSON, "Woods")), {2})
        self.assertEqual(self.places(*twice, tagged(PERSON, "Woodland")), {2})

    def test_a_value_can_take_its_own_alias_as_its_name(self):
        back = [renamed(2, "Woods", "Woodland"), renamed(2, "Woodland", "Woods")]
        self.assertEqual(self.values(*back)[2], ("Woods", None, 0))
        self.assertEqual(self.places(*back, tagged(PERSON, "Woodland")), {2})
        # "Woods" is a name again and no alias, which no row shows.
        self.assertEqual(self.fold([*BASE, *back]).aliases["locations"],
                         {"Woodland": ("location", 2)})
        self.assertEqual(
            self.places(*back, renamed(2, "Woods", "Grove"), tagged(PERSON, "Woods")), {2})
        self.assert_refused("value's name", *back, aliased(1, "Forest", "Woods"))

    def test_an_alias_moves(self):
        here, there = aliased(1, "Forest", "Grove"), aliased(2, "Woods", "Grove")
        self.assertEqual(self.places(here, tagged(PERSON, "Grove")), {1})
        self.assertEqual(self.places(here, there, tagged(PERSON, "Grove")), {2})
        # What was tagged before stays where it was.
        self.assertEqual(self.places(here, tagged(PERSON, "Grove"), there), {1})
        # An old name is an alias like any other.
        self.assertEqual(self.places(renamed(2, "Woods", "Woodland"), aliased(1, "Forest", "Woods"),
                                     tagged(PERSON, "Woods")), {1})

    def test_an_alias_changes_no_row(self):
        self.assertEqual(self.tables(aliased(1, "Forest", "Grove")), self.tables())

    def test_an_alias_is_one_in_its_dimension_only(self):
        alias = aliased(1, "Forest", "Cozy")  # also a mood's name
        self.assertEqual(self.places(alias, tagged(PERSON, "Cozy")), {1})
        self.assert_refused("'Forest'", alias, suppressed("Forest", dimension="moods"))

    def test_names_that_are_taken_are_refused(self):
        alias = aliased(1, "Forest", "Grove")
        self.assert_refused("name is that", added(3, "Woods"))
        self.assert_refused("name is that", alias, added(3, "Grove"))
        self.assert_refused("name is that", renamed(2, "Woods", "Forest"))
        self.assert_refused("name is that", alias, renamed(2, "Woods", "Grove"))
        self.assert_refused("name is that", renamed(2, "Woods", "Woods"))
        self.assert_refused("value's name", aliased(1, "Forest", "Woods"))
        self.assert_refused("value's name", aliased(1, "Forest", "Forest"))
        self.assert_refused("the id is", added(2, "Grove"))

    def test_values_that_are_not_there_are_refused(self):
        rename = renamed(2, "Woods", "Woodland")
        for event in (renamed(2, "Woods", "Grove"), MERGE, aliased(2, "Woods", "Grove"),
                      merged(1, "Forest", 2, "Woods"), ordered(2, "Woods", 1)):
            self.assert_refused("is called Woodland", rename, event)
        for event in (renamed(3, "Moon", "Sun"), merged(3, "Moon", 1, "Forest"),
                      merged(1, "Forest", 3, "Moon"), aliased(3, "Moon", "Sun")):
            self.assert_refused("names (3,)", event)
        for event in (suppressed("Moon"), unsuppressed("Moon")):
            self.assert_refused("'Moon'", event)

    # Merges

    def test_merged_values_are_one_row(self):
        self.assertEqual(self.tables(MERGE)["location"], {(1,): ("Forest", 0, 0, FIRST)})

    def test_what_is_missing_the_lost_value_lends(self):
        for system in (False, True):
            for other in (False, True):
                with self.subTest(system=system, other=other):
                    rows = self.values(added(3, "Grove", order=7, system=system),
                                       added(4, "Copse", system=other),
                                       merged(3, "Grove", 4, "Copse"))
                    self.assertEqual(rows[4], ("Copse", 7, int(system or other)))
        placed = [added(3, "Grove", order=7), merged(3, "Grove", 1, "Forest")]
        self.assertEqual(self.values(*placed)[1], ("Forest", 0, 0))
        self.assertEqual(self.values(added(3, "Grove"), merged(3, "Grove", 2, "Woods"))[2],
                         ("Woods", None, 0))

    def test_a_merge_unites_joins_and_keeps_each_source(self):
        tags = [tagged(SEED, "Forest"), tagged(PERSON, "Woods"),
                tagged(MANIFEST, "Forest", "Woods"), tagged(PERSON, "Woods", item=SONG), MERGE]
        self.assertEqual(self.tables(*tags)["item_location"], {(ITEM, 1): (), (SONG, 1): ()})
        # As long as one of the three still gives it, the item shows it.
        sources = (SEED, PERSON, MANIFEST)
        for last in sources:
            others = [tagged(source) for source in sources if source != last]
            with self.subTest(last=last):
                self.assertEqual(self.places(*tags, *others), {1})
                self.assertEqual(self.places(*tags, *others, tagged(last)), set())

    def test_a_merge_leaves_other_dimensions_alone(self):
        cozy = ("item.tags.set", {"item": ITEM, "source": PERSON, "tags": {
            "locations": ["Forest"], "moods": ["Cozy"]}})
        hidden = suppressed("Cozy", dimension="moods")
        merge = merged(1, "Forest", 2, "Woods")
        self.assertEqual(self.tables(cozy, merge)["item_mood"], {(ITEM, 1): ()})
        self.assertEqual(self.tables(cozy, hidden, merge)["item_mood"], {})
        self.assertEqual(self.places(cozy, hidden, merge), {2})

    def test_a_merge_shows_what_either_showed(self):
        # Each of the two values is given or not and suppressed or not: sixteen cases.
        choices = [(given, hidden) for given in (False, True) for hidden in (False, True)]
        for lost in choices:
            for kept in choices:
                sides = (("Woods", lost), ("Forest", kept))
                events = [tagged(PERSON, *sorted(name for name, (given, _) in sides if given)),
                          *(suppressed(name) for name, (_, hidden) in sides if hidden), MERGE]
                showed = any(given and not hidden for given, hidden in (lost, kept))
                stays_hidden = (lost[1] or kept[1]) and not showed
                with self.subTest(lost=lost, kept=kept):
                    self.assertEqual(self.places(*events), {1} if showed else set())
                    # A source that gives it afterwards shows whether a suppression is left.
                    given = [*events, tagged(SEED, "Forest")]
                    self.assertEqual(self.places(*given), set() if stays_hidden else {1})
                    self.assertEqual(self.places(*given, unsuppressed("Forest")), {1})

    def test_a_merge_judges_each_item_by_itself(self):
        events = [tagged(PERSON, "Woods"), tagged(PERSON, "Forest", item=SONG),
                  suppressed("Forest"), suppressed("Forest", item=SONG), MERGE]
        self.assertEqual(self.tables(*events)["item_location"], {(ITEM, 1): ()})

    def test_all_names_of_a_lost_value_mean_the_other(self):
        names = [renamed(2, "Woods", "Woodland"), aliased(2, "Woodland", "Grove"),
                 aliased(1, "Forest", "Wald"), merged(2, "Woodland", 1, "Forest")]
        for name in ("Woods", "Woodland", "Grove", "Wald", "Forest"):
            with self.subTest(name):
                self.assertEqual(self.places(*names, tagged(PERSON, name)), {1})
        self.assertEqual(  # and go on with it when it is merged in its turn
            self.places(*names, added(3, "Copse"), merged(1, "Forest", 3, "Copse"),
                        tagged(PERSON, "Woods")), {3})
        # A name of the lost value is an alias of the other, which may therefore take it.
        self.assertEqual(self.values(*names, renamed(1, "Forest", "Woods")),
                         {1: ("Woods", 0, 0)})

    def test_a_lost_value_is_gone_for_good(self):
        self.assert_refused("names (2,)", MERGE, ordered(2, "Woods", 1))
        self.assert_refused("names (2,)", MERGE, renamed(2, "Woods", "Grove"))
        self.assert_refused("names (2,)", MERGE, merged(1, "Forest", 2, "Woods"))
        self.assert_refused("the id is or was", MERGE, added(2, "Grove"))
        self.assert_refused("name is that", MERGE, added(3, "Woods"))
        self.assert_refused("into itself", merged(1, "Forest", 1, "Forest"))

    # Suppressed tags

    def test_a_suppressed_tag_stays_away_until_it_is_not(self):
        hidden = suppressed("Woods")  # no source gives it yet
        self.assertEqual(self.places(hidden), set())
        given = [hidden, tagged(SEED, "Forest", "Woods"), tagged(PERSON, "Woods")]
        self.assertEqual(self.places(*given), {1})
        self.assertEqual(self.places(*given, unsuppressed("Woods")), {1, 2})
        self.assertEqual(self.places(*given, tagged(SEED), tagged(PERSON), unsuppressed("Woods")),
                         set())

    def test_a_suppressed_tag_leaves_at_once_and_on_that_item_only(self):
        tags = [tagged(SEED, "Woods"), tagged(SEED, "Woods", item=SONG)]
        self.assertEqual(self.tables(*tags, suppressed("Woods"))["item_location"], {(SONG, 2): ()})
        both = [*tags, suppressed("Woods"), suppressed("Woods", item=SONG)]
        self.assertEqual(self.places(*both, unsuppressed("Woods")), {2})
        self.assertEqual(self.places(*both, unsuppressed("Woods", item=SONG)), set())

    def test_a_suppression_follows_the_value_and_takes_aliases(self):
        tags, rename = tagged(SEED, "Woods"), renamed(2, "Woods", "Woodland")
        self.assertEqual(self.places(tags, suppressed("Woods"), rename), set())
        self.assertEqual(self.places(tags, rename, suppressed("Woods")), set())
        self.assertEqual(
            self.places(tags, suppressed("Woods"), rename, unsuppressed("Woodland")), {2})
        self.assertEqual(
            self.places(tags, suppressed("Woods"), rename, unsuppressed("Woods")), {2})

    def test_unsuppressing_what_is_not_suppressed_changes_nothing(self):
        self.assertEqual(self.places(unsuppressed("Woods")), set())
        self.assertEqual(self.places(tagged(SEED, "Woods"), unsuppressed("Woods")), {2})

    def test_suppressing_changes_the_joins_alone(self):
        tags = tagged(SEED, "Woods")
        before, after = self.tables(tags), self.tables(tags, suppressed("Woods"))
        self.assertEqual([table for table in before if before[table] != after[table]],
                         ["item_location"])

    def test_suppressions_that_cannot_be_are_refused(self):
        for event in (suppressed, unsuppressed):
            self.assert_refused(f"'{PACK}'", event("Woods", item=PACK))
            self.assert_refused("kind music has no sfxThemes",
                                event("Steps", item=SONG, dimension="sfxThemes"))

    # is_system

    def test_a_document_that_names_a_value_makes_it_the_systems(self):
        for source, system in ((SEED, 1), (MANIFEST, 1), (PERSON, 0)):
            with self.subTest(source):
                self.assertEqual(self.values(tagged(source, "Woods")),
                                 {1: ("Forest", 0, 0), 2: ("Woods", None, system)})
        alias = aliased(2, "Woods", "Grove")
        self.assertEqual(self.values(alias, tagged(SEED, "Grove"))[2], ("Woods", None, 1))
        # It stays so when the document takes the tag back, and where the item does not show it.
        self.assertEqual(self.values(tagged(SEED, "Woods"), tagged(SEED))[2][2], 1)
        self.assertEqual(self.values(suppressed("Woods"), tagged(SEED, "Woods"))[2][2], 1)
        self.assertEqual(self.values(tagged(SEED, "Woods"), tagged(PERSON, "Woods"))[2][2], 1)

    def test_a_place_in_the_vocabulary_makes_a_value_the_systems(self):
        self.assertEqual(self.values(ordered(2, "Woods", 5))[2], ("Woods", 5, 1))
        self.assertEqual(self.values(ordered(1, "Forest", None))[1], ("Forest", None, 1))

    def test_a_persons_events_do_not_make_a_value_the_systems(self):
        events = [renamed(2, "Woods", "Woodland"), aliased(2, "Woodland", "Grove"),
                  suppressed("Woodland"), unsuppressed("Woodland")]
        self.assertEqual(self.values(*events)[2], ("Woodland", None, 0))


class PackTests(OnBase):
    """Manifests and downloads: docs/EVENTS.md, sentence by sentence. Each event has a moment of its
    own: `self.at(3)` is that of the third of a test's events."""

    base = [*BASE, ("item.upserted", {"id": STEP, "kind": "sfx", "title": "Step", "subtitle": None,
                                      "duration": None, "artworkUrl": None}),
            ("pack.upserted", pack(version=1)), members(ITEM, STEP)]

    @staticmethod
    def moment(number):
        return f"2026-01-31T12:00:{number:02}.000Z"

    def at(self, number):
        return self.moment(len(self.base) + number)

    def state(self, *events, pack=PACK):
        return self.tables(*events)["pack_state"][pack,]

    def assets(self, *events):
        """asset → (pack, remote_url, local_path, bytes_total, created_at)"""
        return {id: row[:3] + row[5:]
                for (id,), row in self.tables(*events)["local_asset"].items()}

    def sounds(self, *events):
        """item → (asset, codec, sample_rate, channels, loopable)"""
        return {id: row for (id,), row in self.tables(*events)["item_local_audio"].items()}

    def pairs(self, *events):
        """(item, id of a location) that show"""
        return set(self.tables(*events)["item_location"])

    # States

    def test_a_download_from_start_to_end(self):
        events = [started(total=100, downloaded=20), progressed(60), completed(asset())]
        for count, row in enumerate((
                ("not_downloaded", None, None, None, None, self.moment(8)),
                ("downloading", 100, 20, None, None, self.at(1)),
                ("downloading", 100, 60, None, None, self.at(2)),
                ("downloaded", 100, 100, 3, None, self.at(3)))):
            with self.subTest(count):
                self.assertEqual(self.state(*events[:count]), row)
        # Nothing but the end of it puts rows anywhere else.
        before, after = self.tables(), self.tables(*events[:2])
        self.assertEqual([table for table in before if before[table] != after[table]],
                         ["pack_state"])

    def test_completion_tells_the_size_anew(self):
        self.assertEqual(self.state(started(total=100), completed(total=90, version=4)),
                         ("downloaded", 90, 90, 4, None, self.at(2)))

    def test_a_failure_keeps_what_is_here(self):
        begun = [started(), progressed(40)]
        for resumable, error in ((True, "no network; it can be resumed"), (False, "no network")):
            self.assertEqual(self.state(*begun, failed("no network", resumable)),
                             ("failed", 100, 40, None, error, self.at(3)))
        # One may come before anything is fetched, or behind a failure.
        self.assertEqual(self.state(failed("no disk", False)),
                         ("failed", None, None, None, "no disk", self.at(1)))
        self.assertEqual(self.state(*begun, failed("a", False), failed("b", False)),
                         ("failed", 100, 40, None, "b", self.at(4)))

    def test_an_interruption_is_a_failure_that_can_be_resumed(self):
        begun = [started(), progressed(40)]
        self.assertEqual(self.state(*begun, interrupted("killed")),
                         self.state(*begun, failed("killed", resumable=True)))

    def test_a_new_attempt_forgets_the_error(self):
        begun = [started(), progressed(40), failed("no network")]
        resumed = [*begun, started(version=4, total=120, downloaded=40)]
        self.assertEqual(self.state(*resumed), ("downloading", 120, 40, None, None, self.at(4)))
        self.assertEqual(self.state(*begun, cancelled()),
                         ("not_downloaded", None, None, None, None, self.at(4)))
        self.assertEqual(self.state(*begun, deleted()),
                         ("not_downloaded", None, None, None, None, self.at(4)))

    def test_an_update_that_does_not_end_keeps_the_installed_version(self):
        old = [started(version=1), completed(asset(), version=1)]
        update = [*old, started(version=2, total=200), progressed(70)]
        self.assertEqual(self.state(*update), ("downloading", 200, 70, 1, None, self.at(4)))
        for last, row in (
                (cancelled(), ("downloaded", None, None, 1, None)),
                (failed("full", False), ("failed", 200, 70, 1, "full")),
                (interrupted("killed"), ("failed", 200, 70, 1, "killed; it can be resumed"))):
            with self.subTest(last[0]):
                self.assertEqual(self.state(*update, last), row + (self.at(5),))
                self.assertEqual(self.assets(*update, last), self.assets(*old))
                self.assertEqual(self.sounds(*update, last), self.sounds(*old))
        self.assertEqual(self.state(*update, failed("full"), cancelled()),
                         ("downloaded", None, None, 1, None, self.at(6)))

    def test_version_0_is_a_version(self):
        self.assertEqual(self.state(started(version=0), completed(version=0), started(version=1),
                                    cancelled()), ("downloaded", None, None, 0, None, self.at(4)))

    def test_a_pack_is_deleted_once(self):
        events = [started(), completed(asset()), deleted()]
        gone = ("not_downloaded", None, None, None, None, self.at(3))
        self.assertEqual(self.state(*events), gone)
        self.assertEqual(self.state(*events, deleted()), gone)
        self.assertEqual(self.state(deleted()), self.state())
        self.assertEqual((self.assets(*events), self.sounds(*events)), ({}, {}))
        # It remains a pack with members, and what comes back has just come.
        self.assertEqual(self.tables(*events)["pack_item"], self.tables()["pack_item"])
        again = self.assets(*events, started(), completed(asset()))
        self.assertEqual(again[ASSET][-1], self.at(5))

    def test_a_deletion_ends_a_download(self):
        self.assertEqual(self.state(started(), deleted()),
                         ("not_downloaded", None, None, None, None, self.at(2)))
        self.assert_refused("not downloading", started(), deleted(), completed())

    def test_updated_at_stays_where_nothing_else_changes(self):
        start = started(downloaded=40)
        for events in ([start, start], [start, progressed(40)], [failed("a"), failed("a")],
                       [start, interrupted("a"), failed("a")], [cancelled()], [deleted()],
                       [start, cancelled(), cancelled()], [("pack.upserted", pack(version=2))],
                       [applied({})], [members()]):
            with self.subTest(events=events):
                self.assertEqual(self.state(*events), self.state(*events[:-1]))
        # The bytes say what they said, the state does not.
        self.assertEqual(self.state(started(), progressed(100), completed())[-1], self.at(3))

    def test_packs_have_a_state_each(self):
        other = ("pack.upserted", pack(version=1, id=OTHER_PACK))
        tables = self.tables(other, started(), started(pack=OTHER_PACK), failed("a", False))
        self.assertEqual(tables["pack_state"], {
            (PACK,): ("failed", 100, 0, None, "a", self.at(4)),
            (OTHER_PACK,): ("downloading", 100, 0, None, None, self.at(3))})

    def test_what_only_a_running_download_can_do_is_refused(self):
        elsewhere = [("not_downloaded", []), ("failed", [started(), failed("a")]),
                     ("downloaded", [started(), completed()]),
                     ("not_downloaded", [started(), cancelled()])]
        for event in (progressed(1), completed(asset()), interrupted("a")):
            for state, before in elsewhere:
                self.assert_refused(f"is not downloading but {state}", *before, event)

    def test_unknown_packs_are_refused(self):
        for event in (applied({}, pack=STEP), started(pack=STEP), progressed(1, pack=STEP),
                      completed(pack=STEP), failed("a", pack=STEP), interrupted("a", pack=STEP),
                      cancelled(pack=STEP), deleted(pack=STEP)):
            self.assert_refused(f"names ('{STEP}',)", event)

    # Assets

    def test_rows_of_assets(self):
        tables = self.tables(started(), completed(
            asset(etag='"1"', bytes=70),
            asset(OTHER_ASSET, STEP, path="AudioAssets/b.caf", codec="alac", sampleRate=None,
                  channels=None, loopable=False)))
        self.assertEqual(tables["local_asset"], {
            (ASSET,): (PACK, "https://example.com/a.m4a", "AudioAssets/a.m4a", '"1"', "2" * 64, 70,
                       self.at(2)),
            (OTHER_ASSET,): (PACK, "https://example.com/a.m4a", "AudioAssets/b.caf", None, "2" * 64,
                             100, self.at(2))})
        self.assertEqual(tables["item_local_audio"], {
            (ITEM,): (ASSET, "aac", 48000, 2, 1), (STEP,): (OTHER_ASSET, "alac", None, None, 0)})

    def test_a_version_replaces_the_assets_of_the_one_before(self):
        update = [started(version=1), completed(asset(), asset(OTHER_ASSET, STEP), version=1),
                  started(version=2),
                  completed(asset(path="AudioAssets/v2/a.m4a", codec="alac", bytes=7),
                            asset(THIRD_ASSET, STEP), version=2)]
        url = "https://example.com/a.m4a"
        self.assertEqual(self.assets(*update), {
            ASSET: (PACK, url, "AudioAssets/v2/a.m4a", 7, self.at(2)),
            THIRD_ASSET: (PACK, url, "AudioAssets/a.m4a", 100, self.at(4))})
        self.assertEqual(self.sounds(*update), {
            ITEM: (ASSET, "alac", 48000, 2, 1), STEP: (THIRD_ASSET, "aac", 48000, 2, 1)})
        # An item for which the version has nothing is silent; an asset may go to another item.
        swap = [*update, started(version=3), completed(asset(item=STEP))]
        self.assertEqual(self.assets(*swap), {
            ASSET: (PACK, url, "AudioAssets/a.m4a", 100, self.at(2))})
        self.assertEqual(self.sounds(*swap), {STEP: (ASSET, "aac", 48000, 2, 1)})
        nothing = [*update, started(version=3), completed()]
        self.assertEqual((self.assets(*nothing), self.sounds(*nothing)), ({}, {}))
        # What was gone for a version is new when it comes back.
        back = [*update, started(version=3), completed(asset(OTHER_ASSET, STEP))]
        self.assertEqual(self.assets(*back)[OTHER_ASSET][-1], self.at(6))

    def test_packs_leave_each_others_assets_alone(self):
        both = [("pack.upserted", pack(version=1, id=OTHER_PACK)), members(STEP, pack=OTHER_PACK),
                started(pack=OTHER_PACK), completed(asset(OTHER_ASSET, STEP), pack=OTHER_PACK),
                started(), completed(asset())]
        self.assertEqual(set(self.assets(*both)), {ASSET, OTHER_ASSET})
        self.assertEqual(set(self.assets(*both, deleted())), {OTHER_ASSET})
        self.assertEqual(set(self.sounds(*both, deleted())), {STEP})
        self.assertEqual(set(self.assets(*both, deleted(pack=OTHER_PACK))), {ASSET})
        self.assertEqual(set(self.assets(*both, started(), completed())), {OTHER_ASSET})

    def test_an_item_of_two_packs_sounds_as_the_later_download_says(self):
        both = [("pack.upserted", pack(version=1, id=OTHER_PACK)), members(STEP, pack=OTHER_PACK),
                started(pack=OTHER_PACK), completed(asset(OTHER_ASSET, STEP), pack=OTHER_PACK),
                started(), completed(asset(item=STEP))]
        self.assertEqual(self.sounds(*both)[STEP][0], ASSET)
        self.assertEqual(self.sounds(*both, deleted(pack=OTHER_PACK))[STEP][0], ASSET)
        self.assertEqual(self.sounds(*both, deleted()), {})

    def test_who_leaves_a_pack_keeps_the_sound_until_the_next_version(self):
        left = [started(), completed(asset()), members(STEP)]
        self.assertEqual(set(self.sounds(*left)), {ITEM})
        self.assertEqual(self.sounds(*left, deleted()), {})
        self.assertEqual(self.sounds(*left, started(), completed()), {})

    def test_assets_that_cannot_be_are_refused(self):
        self.assert_refused(f"item {SONG} is not in", started(), completed(asset(item=SONG)))
        self.assert_refused(f"item {PACK} is not in", started(), completed(asset(item=PACK)))
        self.assert_refused("is not in the pack", members(STEP), started(), completed(asset()))
        self.assert_refused("of one asset", started(), completed(asset(), asset(item=STEP)))
        self.assert_refused("of one item", started(), completed(asset(), asset(OTHER_ASSET)))
        self.assert_refused(
            "another pack's", ("pack.upserted", pack(version=1, id=OTHER_PACK)),
            members(STEP, pack=OTHER_PACK), started(), completed(asset()),
            started(pack=OTHER_PACK), completed(asset(item=STEP), pack=OTHER_PACK))
        incomplete = asset()
        del incomplete["etag"]
        for payload in (incomplete, asset(title="Crunch")):
            with self.assertRaises(reducer.ReducerError):
                self.tables(started(), completed(payload))

    # Manifests

    def test_a_manifest_raises_the_version(self):
        def version(*events):
            return self.tables(*events)["pack"][PACK,]
        row = ("sfx", "Steps", None, None, 3, "https://example.com/m.json", self.moment(8))
        self.assertEqual(version(applied({}, version=3)), row)
        self.assertEqual(version(applied({}, version=3), applied({}, version=2)), row)
        self.assertEqual(version(applied({}, version=3), ("pack.upserted", pack(version=2))), row)

    def test_version_2_of_a_manifest_makes_the_same_rows(self):
        def catalog(*manifests):
            events = lines([("catalog.created", {"kind": "sound-library", "layout": 1, "logId": ITEM}), ("pack.upserted", pack(1))])
            events += [json.dumps({"seq": 3, "at": FIRST, "type": "manifest.applied", "v": version, "op": ITEM,
                                   "by": MANIFEST, "data": data}).encode() + b"\n"
                       for version, data in manifests]
            (self.folder / "log.jsonl").write_bytes(b"".join(events))
            return folded(self.folder / "log.jsonl")
        data = applied({}, version=4)[1]
        assets = {"listed": [{"asset": ITEM, "item": ITEM, "content": "1" * 64}],
                  "changes": {"came": [ITEM], "went": [], "changed": []}}
        first, second = catalog((1, data)), catalog((2, data | assets))
        self.assertEqual((first.conflicts, first.tables), (second.conflicts, second.tables))
        self.assertEqual(second.tables["pack"][PACK,][4], 4)
        # Version 1 has neither key, and version 2 has both.
        for refused in ((1, data | assets), (2, data), (2, data | {"listed": None})):
            with self.assertRaises(reducer.ReducerError):
                catalog(refused)

    def test_a_manifest_gives_each_member_the_tags_of_the_pack(self):
        woods = applied({"locations": ["Woods"], "moods": ["Cozy"]})
        tables = self.tables(woods)
        self.assertEqual(tables["item_location"], {(ITEM, 2): (), (STEP, 2): ()})
        self.assertEqual(tables["item_mood"], {(ITEM, 1): (), (STEP, 1): ()})
        self.assertEqual(tables["library_item"], self.tables()["library_item"])
        # The next manifest's take their place, whatever its version.
        tables = self.tables(woods, applied({"locations": ["Forest"]}, version=2))
        self.assertEqual(tables["item_location"], {(ITEM, 1): (), (STEP, 1): ()})
        self.assertEqual(tables["item_mood"], {})
        self.assertEqual(self.pairs(woods, applied({})), set())

    def test_a_pack_is_a_source_among_others(self):
        others = [tagged(SEED, "Forest"), tagged(PERSON, "Woods"), tagged(MANIFEST, "Woods")]
        woods = applied({"locations": ["Woods"]})
        self.assertEqual(self.pairs(*others, woods), {(ITEM, 1), (ITEM, 2), (STEP, 2)})
        self.assertEqual(self.pairs(*others, woods, applied({})), {(ITEM, 1), (ITEM, 2)})
        self.assertEqual(self.pairs(*others, woods, tagged(SEED), tagged(PERSON), tagged(MANIFEST)),
                         {(ITEM, 2), (STEP, 2)})

    def test_two_packs_give_their_tags_apart(self):
        both = [("pack.upserted", pack(version=1, id=OTHER_PACK)), members(STEP, pack=OTHER_PACK),
                applied({"locations": ["Woods"]}), applied({"locations": ["Woods"]},
                                                           pack=OTHER_PACK)]
        self.assertEqual(self.pairs(*both), {(ITEM, 2), (STEP, 2)})
        self.assertEqual(self.pairs(*both, members(ITEM)), {(ITEM, 2), (STEP, 2)})
        self.assertEqual(self.pairs(*both, applied({})), {(STEP, 2)})
        self.assertEqual(self.pairs(*both, members(), members(pack=OTHER_PACK)), set())

    def test_who_joins_is_given_the_tags_and_who_leaves_loses_them(self):
        woods, forest = applied({"locations": ["Woods"]}), applied({"locations": ["Forest"]})
        self.assertEqual(self.pairs(members(ITEM), woods), {(ITEM, 2)})
        self.assertEqual(self.pairs(members(ITEM), woods, members(STEP, ITEM)),
                         {(ITEM, 2), (STEP, 2)})
        self.assertEqual(self.pairs(members(), woods, forest, members(STEP)), {(STEP, 1)})
        self.assertEqual(self.pairs(woods, members(STEP)), {(STEP, 2)})
        self.assertEqual(self.pairs(tagged(PERSON, "Woods"), woods, members()), {(ITEM, 2)})
        # Who has left is not given what a later manifest says, and who returns is.
        self.assertEqual(self.pairs(woods, members(STEP), forest), {(STEP, 1)})
        self.assertEqual(self.pairs(woods, members(), forest, members(ITEM)), {(ITEM, 1)})

    def test_neither_downloads_nor_deletions_touch_the_tags(self):
        woods = applied({"locations": ["Woods"]})
        self.assertEqual(self.pairs(woods, started(), completed(asset()), deleted()),
                         {(ITEM, 2), (STEP, 2)})

    def test_a_suppression_holds_against_the_pack(self):
        woods, hidden = applied({"locations": ["Woods"]}), suppressed("Woods")
        for events in ([woods, hidden], [hidden, woods],
                       [members(STEP), woods, hidden, members(STEP, ITEM)]):
            with self.subTest(events=events):
                self.assertEqual(self.pairs(*events), {(STEP, 2)})
                self.assertEqual(self.pairs(*events, unsuppressed("Woods")), {(ITEM, 2), (STEP, 2)})

    def test_a_merge_takes_the_tags_of_packs_with_it(self):
        woods = applied({"locations": ["Woods"]})
        self.assertEqual(self.pairs(woods, MERGE), {(ITEM, 1), (STEP, 1)})
        both = applied({"locations": ["Forest", "Woods"]})
        self.assertEqual(self.pairs(both, MERGE, members(STEP)), {(STEP, 1)})
        self.assertEqual(self.pairs(both, MERGE, applied({})), set())
        # Also those that nobody was given yet.
        self.assertEqual(self.pairs(members(), woods, MERGE, members(ITEM)), {(ITEM, 1)})
        self.assertEqual(self.pairs(members(), woods, merged(1, "Forest", 2, "Woods"),
                                    members(ITEM)), {(ITEM, 2)})
        # What an item showed by its pack it goes on showing, and what it did not it does not.
        self.assertEqual(self.pairs(woods, suppressed("Forest"), MERGE), {(ITEM, 1), (STEP, 1)})
        self.assertEqual(self.pairs(woods, suppressed("Woods"), MERGE), {(STEP, 1)})
        self.assertEqual(self.pairs(members(), woods, suppressed("Woods"), MERGE, members(ITEM)),
                         set())

    def test_a_manifest_may_use_an_alias(self):
        grove = [aliased(2, "Woods", "Grove"), applied({"locations": ["Grove"]})]
        self.assertEqual(self.pairs(*grove), {(ITEM, 2), (STEP, 2)})
        # The tags are of the value and not of the name.
        self.assertEqual(self.pairs(members(), *grove, aliased(1, "Forest", "Grove"),
                                    members(ITEM)), {(ITEM, 2)})

    def test_the_tags_of_a_pack_are_the_systems(self):
        woods = applied({"locations": ["Woods"]})
        for before in ([], [members()], [suppressed("Woods")]):
            self.assertEqual(self.values(*before, woods),
                             {1: ("Forest", 0, 0), 2: ("Woods", None, 1)})
        self.assertEqual(self.values(woods, applied({}))[2][2], 1)
        self.assertEqual(self.values(woods, MERGE), {1: ("Forest", 0, 1)})

    def test_tags_that_a_pack_cannot_have_are_refused(self):
        self.assert_refused("'Moon'", applied({"locations": ["Moon"]}))
        self.assert_refused("kind sfx has no musicThemes", applied({"musicThemes": ["March"]}))
        self.assert_refused("kind sfx has no musicThemes",
                            members(), applied({"musicThemes": ["March"]}))


if __name__ == "__main__":
    unittest.main()
