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
from logbuilder import LogBuilder, segment_name  # noqa: E402

ITEM, SONG, PACK = (f"0000000{n}-0000-4000-8000-000000000000" for n in (1, 2, 3))
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


# What no event may do again: the name or the id is taken, or the old name is no value's any more.
ONCE = {"catalog.created", "dimension.value.added", "dimension.value.renamed",
        "dimension.value.merged"}


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


def pack(version):
    return {"id": PACK, "kind": "sfx", "title": "Steps", "description": None, "artworkUrl": None,
            "version": version, "manifestUrl": "https://example.com/m.json"}


def lines(events):
    return [json.dumps({
        "seq": number, "at": FIRST if number <= 13 else LATER, "type": type, "v": 1, "op": ITEM,
        "by": "cli", "data": data}, ensure_ascii=False).encode() + b"\n"
        for number, (type, data) in enumerate(events, 1)]


class Folding(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def fold(self, events):
        (self.folder / "log.jsonl").write_bytes(b"".join(lines(events)))
        return reducer.fold(self.folder / "log.jsonl")


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

    def test_rows_of_the_curated_history(self):
        tables = self.fold(curated()).tables
        self.assertEqual(tables["location"], {(1,): ("Forest", 0, 1, FIRST)})
        self.assertEqual(tables["item_location"], {(ITEM, 1): ()})

    def test_reads_segments(self):
        events = self.folder / "events"
        events.mkdir()
        log, all_lines = LogBuilder(), lines(history())
        log.add(all_lines[:1]).add(all_lines[1:13]).add(all_lines[13:])
        (events / segment_name(1)).write_bytes(log.sealed_segment(log.batches[:2]))
        (events / segment_name(14)).write_bytes(log.open_segment(log.batches[2:]))
        self.assertEqual(reducer.fold(events).tables, self.fold(history()).tables)

    def test_an_event_again_right_after_itself_changes_nothing(self):
        events = curated()
        for number, (type, _) in enumerate(events):
            with self.subTest(type, number=number):
                again = events[:number + 1] + [events[number]]
                if type in ONCE:
                    with self.assertRaises(reducer.ReducerError):
                        self.fold(again)
                else:
                    self.assertEqual(self.fold(again).tables, self.fold(again[:-1]).tables)

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


# Two places, a mood with the id of one of them (older logs have such), an effect and a song.
BASE = [
    ("catalog.created", {"kind": "sound-library", "layout": 1, "logId": ITEM}),
    added(1, "Forest", order=0), added(2, "Woods"), added(1, "Cozy", dimension="moods"),
    *(("item.upserted", {"id": id, "kind": kind, "title": kind, "subtitle": None, "duration": None,
                         "artworkUrl": None}) for id, kind in ((ITEM, "sfx"), (SONG, "music"))),
]
MERGE = merged(2, "Woods", 1, "Forest")


class CuratingTests(Folding):
    """Renames, merges, aliases and suppressions: docs/EVENTS.md, sentence by sentence."""

    def tables(self, *events):
        return self.fold([*BASE, *events]).tables

    def places(self, *events):
        """Ids of the locations that ITEM shows."""
        return {id for item, id in self.tables(*events)["item_location"] if item == ITEM}

    def values(self, *events):
        """id → (name, sort_order, is_system) of the locations."""
        return {id: row[:3] for (id,), row in self.tables(*events)["location"].items()}

    def assert_refused(self, told, *events):
        """The last event, and none before it, contradicts what is there."""
        self.tables(*events[:-1])
        with self.subTest(told, event=events[-1]):
            with self.assertRaises(reducer.ReducerError) as caught:
                self.tables(*events)
            self.assertIn(told, str(caught.exception))

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


if __name__ == "__main__":
    unittest.main()
