#!/usr/bin/env python3
"""Independent projection: rebuilds the catalog's tables from the events and compares the database.

usage: Tools/reducer.py EVENTS_DIR DATABASE [--limit N]
       Tools/reducer.py EVENTS_DIR --dump TABLE | --conflicts

Written from docs/EVENTS.md, not from the projector, so that the two can disagree. It reads the text
of the events only (`zstd -dc` over the segments, or a file of JSON Lines), folds them into plain
dictionaries, passes over the events that contradict earlier ones or go beyond what a document may hold
(--conflicts lists them), and compares every column of every table, types included, with the SQLite database,
which is opened read-only. Prints each difference and one line a table. --dump prints the rows of
one table as JSON Lines instead.

Exit status: 0 equal, 1 an error (an unknown event, no database …), 2 different, 64 a wrong
argument.
"""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from reducing import (  # noqa: E402
    REVERTED, Conflict, ReducerError, Shape, main, restored, table_shapes)

# Event key of a dimension → its table. The join table is item_<table>, its column <table>_id.
DIMENSION_TABLES = {
    "locations": "location", "moods": "mood", "musicThemes": "music_theme",
    "atmosphereThemes": "atmosphere_theme", "sfxThemes": "sfx_theme",
    "creatureTypes": "creature_type"}
KIND_DIMENSIONS = {
    "music": {"locations", "moods", "musicThemes"},
    "atmosphere": {"locations", "moods", "atmosphereThemes"},
    "sfx": {"locations", "moods", "sfxThemes", "creatureTypes"}}

# table → (columns, number of columns that are its key; the key stands first).
TABLES = {
    "library_item": ("id kind title subtitle duration artwork_url is_visible created_at updated_at",
                     1),
    "music_playlist_ref": ("item_id apple_music_playlist_id last_sync_at use_snapshot", 1),
    "music_track_cache": ("track_id title artist album duration artwork_url last_seen_at", 1),
    "playlist_track": ("playlist_id track_id snapshot_at position", 4),
    "pack": ("id kind title description artwork_url version manifest_url created_at", 1),
    "pack_state": ("pack_id state bytes_total bytes_downloaded installed_version last_error "
                   "updated_at", 1),
    "pack_item": ("pack_id item_id sort_order", 2),
    "local_asset": ("id pack_id remote_url local_path etag sha256 bytes_total created_at", 1),
    "item_local_audio": ("item_id asset_id codec sample_rate channels loopable", 1),
    **{table: ("id name sort_order is_system created_at", 1)
       for table in DIMENSION_TABLES.values()},
    **{f"item_{table}": (f"item_id {table}_id", 2) for table in DIMENSION_TABLES.values()},
}
TABLES = table_shapes(TABLES)

# All tables to which an event may bring rows back, with our own.
SHAPES = {
    "library_item": Shape("id:d kind:t title:t subtitle:t? duration:r? artwork_url:t? is_visible:i created_at:m "
                          "updated_at:m", "id"),
    "music_playlist_ref": Shape("item_id:d apple_music_playlist_id:t last_sync_at:m? use_snapshot:i", "item_id",
                                "apple_music_playlist_id"),
    "music_track_cache": Shape("track_id:t title:t artist:t album:t? duration:r? artwork_url:t? last_seen_at:m",
                               "track_id"),
    "playlist_track": Shape("playlist_id:t track_id:t position:i snapshot_at:m",
                            "playlist_id track_id position snapshot_at"),
    "pack": Shape("id:d kind:t title:t description:t? artwork_url:t? version:i manifest_url:t created_at:m", "id"),
    "pack_state": Shape("pack_id:d state:t bytes_total:i? bytes_downloaded:i? installed_version:i? last_error:t? "
                        "updated_at:m", "pack_id"),
    "pack_item": Shape("pack_id:d item_id:d sort_order:i", "pack_id item_id"),
    "local_asset": Shape("id:d pack_id:d remote_url:t local_path:t? etag:t? sha256:t? bytes_total:i? created_at:m", "id"),
    "item_local_audio": Shape("item_id:d asset_id:d codec:t? sample_rate:i? channels:i? loopable:i", "item_id"),
    **{table: Shape("id:i name:t sort_order:i? is_system:i created_at:m", "id", "name")
       for table in DIMENSION_TABLES.values()},
    "projection_seed": Shape("seed_id:t revision:i sha256:t imported_at:m", "seed_id"),
    "projection_item": Shape("number:i item_id:d source_id:i kind:t is_visible:i", "number", "item_id"),
    "projection_pack": Shape("pack_id:d source_id:i", "pack_id"),
    "projection_tagging": Shape("item_number:i source_id:i tags:t", "item_number source_id"),
    "projection_suppression": Shape("item_number:i dimension:t value_id:i", "item_number dimension value_id"),
    "projection_value": Shape("number:i dimension:t value_id:i merged_into:i? words:t", "number"),
    "projection_alias": Shape("dimension:t name:t value_id:i origin:t", "dimension name"),
    "projection_manifest": Shape("pack_id:d version:i sha256:t total_bytes:i assets:i", "pack_id"),
    "projection_pack_tag": Shape("pack_id:d dimension:t value_id:i", "pack_id dimension value_id"),
    "projection_item_text": Shape("number:i title:t title_variants:t subtitle:t", "number"),
    "projection_playlist": Shape(
        "item_id:d storefront:t? state:t? reason:t? title:t? curator:t? description:t? artwork_url:t? url:t? "
        "modified_at:t? snapshot_at:m? snapshot_sequence:i? is_playable:i?", "item_id"),
    "projection_track": Shape("track_id:t type:t", "track_id"),
    "projection_reverted": REVERTED,
}
TAG_LIST = re.compile("{0}( {0})*".format(f"({'|'.join(DIMENSION_TABLES.values())})=-?[0-9]+(,-?[0-9]+)*"))
DIMENSION_KEYS = {table: key for key, table in DIMENSION_TABLES.items()}


# What any document may hold, and so any event; of what is counted earlier releases took more.
GREATEST, NAME, TEXT, TRACKS = 2**53 - 1, 1024, 65536, 100_000
# A list of more places than the first number has at most the second for each of its different tracks.
REPEATED_TRACKS, PLACES_PER_TRACK = 1000, 10
# A payload's key: what is counted (0 or more), what orders or names, short texts, long texts, seconds.
COUNTS = {"revision", "version", "totalBytes", "assets", "bytesTotal", "bytesDownloaded", "bytes",
          "sampleRate", "channels"}
NUMBERS = {"sortOrder", "into"}
NAMES = {"name", "newName", "intoName", "alias", "source", "playlistId", "storefront", "seed",
         "sha256", "codec", "content"}
TEXTS = {"title", "subtitle", "artworkUrl", "description", "manifestUrl", "url", "etag", "error",
         "reason", "curator", "modifiedAt", "artist", "album"}


def check_limits(key, value, type=None):
    """Raises Conflict where a value of a payload goes beyond what a document may hold."""
    def require(is_within):
        if not is_within:
            raise Conflict(f"{key} is beyond what a document may hold")

    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, (int, float)):
        if key in COUNTS:
            require(value >= 0)
        elif key in NUMBERS or (key == "id" and type and type.startswith("dimension.")):
            require(-GREATEST <= value <= GREATEST)
        elif key == "duration":
            require(value >= 0)
        elif key == "count" and type == "playlist.tracks.snapshotted":
            require(0 <= value <= TRACKS)
    elif isinstance(value, str):
        length = len(value.encode())
        if key == "path":
            names = value.split("/")
            require(length <= 4096 and not {"", ".", ".."} & set(names))
        elif key in NAMES or (key in ("id", "type", "ids") and type == "track"):
            require(length <= NAME)
        elif key in TEXTS:
            require(length <= TEXT)
    elif isinstance(value, list):
        inner = "track" if key in ("tracks", "ids") else None
        for element in value:
            if isinstance(element, dict):
                for name, part in element.items():
                    check_limits(name, part, inner)
            else:
                check_limits(key, element, inner)
    elif isinstance(value, dict):
        if key == "tags":
            for names in value.values():
                for name in names:
                    check_limits("name", name)
        elif key != "counts":
            for name, part in value.items():
                check_limits(name, part)


class Catalog:
    """All tables as dictionaries: table → key tuple → tuple of the other columns."""

    def __init__(self):
        self.sequence = 0
        self.conflicts = []  # (sequence, type, why) of events that changed nothing
        self.tables = {table: {} for table in TABLES}
        # A value is (table, id): logs of older releases repeat ids across dimensions.
        self.lists = {}  # item → time and sequence of the newest list of tracks
        self.value_ids = {key: {} for key in DIMENSION_TABLES}  # name → value
        self.aliases = {key: {} for key in DIMENSION_TABLES}  # other name → value
        self.numbers = {}  # item → its dense number
        self.sources = {}  # source → its number, in the order of their first words
        self.known = {}  # number → [value, the one that stands for it since a merge]: ids are not used again
        self.given = {}  # item → source → (value, …): who gave which tags, suppressed or not
        self.suppressed = {}  # value → {item}
        self.members = {}  # pack → item → its place
        self.pack_tags = {}  # pack → (value, …): for the members of now and those who join later
        self.assets = {}  # pack → {asset: item}
        self.handlers = {
            "catalog.created": self.catalog_created,
            "seed.imported": self.seed_imported,
            "dimension.value.added": self.value_added,
            "dimension.value.ordered": self.value_ordered,
            "dimension.value.renamed": self.value_renamed,
            "dimension.value.merged": self.value_merged,
            "dimension.value.aliased": self.value_aliased,
            "item.upserted": self.item_upserted,
            "item.visibility.changed": self.visibility_changed,
            "item.tags.set": self.tags_set,
            "item.tag.suppressed": self.tag_suppressed,
            "item.tag.unsuppressed": self.tag_unsuppressed,
            "playlist.linked": self.playlist_linked,
            "playlist.metadata.refreshed": self.playlist_refreshed,
            "playlist.tracks.snapshotted": self.playlist_snapshotted,
            "pack.upserted": self.pack_upserted,
            "pack.items.set": self.pack_items_set,
            "manifest.applied": self.manifest_applied,
            "pack.download.started": self.download_started,
            "pack.download.progressed": self.download_progressed,
            "pack.download.completed": self.download_completed,
            "pack.download.failed": self.download_failed,
            "pack.download.interrupted": self.download_interrupted,
            "pack.download.cancelled": self.download_cancelled,
            "pack.deleted": self.pack_deleted,
            "operation.reverted": self.operation_reverted,
            "rows.restored": self.rows_restored,
        }

    def apply(self, event):
        sequence, type, version = event["seq"], event["type"], event["v"]
        if sequence != self.sequence + 1:
            raise ReducerError(f"seq {sequence}: due is {self.sequence + 1}")
        if sequence == 1 and type != "catalog.created":
            raise ReducerError(f"seq {sequence}: {type}: a log starts with catalog.created")
        handler = self.handlers.get(type)
        if type == "manifest.applied" and version == 2:
            handler, version = self.manifest_with_assets, 1
        if handler is None or version != 1:
            raise ReducerError(f"seq {sequence}: unknown event {type} version {version}")
        # Handlers look before they change anything: one that raises has changed nothing.
        try:
            if sequence > 1 and type == "catalog.created":
                raise Conflict("a catalog is created once, by event 1")
            if len(event["by"].encode()) > NAME:
                raise Conflict("by is beyond what a document may hold")
            self.by = event["by"]
            for key, value in event["data"].items():
                if type != "rows.restored":
                    check_limits(key, value, type)
            handler(event["at"], **event["data"])
        except KeyError as error:
            self.conflicts.append((sequence, type, f"names {error}, which is not there"))
        except (Conflict, ValueError) as error:
            self.conflicts.append((sequence, type, str(error)))
        except TypeError as error:
            payload = json.dumps(event["data"], ensure_ascii=False)[:200]
            raise ReducerError(f"seq {sequence}: {type}: {error}: {payload}")
        self.sequence = sequence

    def value_called(self, dimension, id, name):
        """The value of an id; the name, which events repeat for people, must be the one it has."""
        table = DIMENSION_TABLES[dimension]
        called = self.tables[table][id,][0]
        if called != name:
            raise ValueError(f"value {id} is called {called}")
        return table, id

    def value_meant(self, dimension, name):
        """The value that a tag's name means at this moment."""
        values = self.value_ids[dimension]
        return values[name] if name in values else self.aliases[dimension][name]

    def values_meant(self, tags):
        return tuple(self.value_meant(dimension, name)
                     for dimension, names in tags.items() for name in names)

    def check_dimensions(self, table, id, dimensions):
        kind = self.tables[table][id,][0]
        foreign = sorted(set(dimensions) - KIND_DIMENSIONS[kind])
        if foreign:
            raise ValueError(f"an item of kind {kind} has no {', '.join(foreign)}")

    def source(self, name):
        return self.sources.setdefault(name, len(self.sources) + 1)

    def give(self, item, source, values):
        self.source(source)
        sources = self.given.setdefault(item, {})
        sources[source] = values
        if not values:
            del sources[source]

    def make_system(self, values):
        for table, id in values:
            name, order, _, created = self.tables[table][id,]
            self.tables[table][id,] = (name, order, 1, created)

    def check_downloading(self, pack):
        state = self.tables["pack_state"][pack,][0]
        if state != "downloading":
            raise ValueError(f"the pack is not downloading but {state}")

    def change_state(self, at, pack, **changes):
        """Changes columns of a pack's state, and its `updated_at` where that makes a difference."""
        rows, columns = self.tables["pack_state"], TABLES["pack_state"][0][1:]
        old = dict(zip(columns, rows[pack,]))
        if old | changes != old:
            rows[pack,] = tuple((old | changes | {"updated_at": at}).values())

    def remove_assets(self, pack):
        """Empties the pack's rows of the asset tables; returns when each asset was created."""
        audio, created = self.tables["item_local_audio"], {}
        for asset, item in self.assets.pop(pack, {}).items():
            created[asset] = self.tables["local_asset"].pop((asset,))[-1]
            # An item of two packs sounds as the later download says; that one is not ours to take.
            if audio.get((item,), (None,))[0] == asset:
                del audio[item,]
        return created

    # Handlers. Parameters are the payload's keys: one too many or too few is a TypeError.

    def catalog_created(self, at, kind, layout, logId):
        if (kind, layout) != ("sound-library", 1):
            raise ReducerError(f"a catalog of kind {kind}, layout {layout}")

    def seed_imported(self, at, seed, revision, sha256, counts):
        pass  # goes to a table of the projection's own

    def value_added(self, at, dimension, id, name, sortOrder, isSystem):
        table = DIMENSION_TABLES[dimension]
        rows, value = self.tables[table], (table, id)
        if name in self.value_ids[dimension] or name in self.aliases[dimension]:
            raise ValueError("the name is that of a value or an alias")
        if (id,) in rows or any(value == other for other, _ in self.known.values()):
            raise ValueError("the id is or was another value's")
        rows[id,] = (name, sortOrder, int(isSystem), at)
        self.known[max(self.known, default=0) + 1] = [value, None]
        self.value_ids[dimension][name] = value

    def value_ordered(self, at, dimension, id, name, sortOrder):
        self.value_called(dimension, id, name)
        rows = self.tables[DIMENSION_TABLES[dimension]]
        rows[id,] = (name, sortOrder, 1, rows[id,][3])

    def value_renamed(self, at, dimension, id, name, newName):
        value = self.value_called(dimension, id, name)
        values, aliases = self.value_ids[dimension], self.aliases[dimension]
        # Its own name is refused too: it would be a value's name and an alias at once.
        if newName in values or aliases.get(newName, value) != value:
            raise ValueError("the new name is that of a value or an alias of another")
        aliases.pop(newName, None)
        aliases[name] = values.pop(name)
        values[newName] = value
        rows = self.tables[DIMENSION_TABLES[dimension]]
        rows[id,] = (newName,) + rows[id,][1:]

    def value_merged(self, at, dimension, id, name, into, intoName):
        lost = self.value_called(dimension, id, name)
        kept = self.value_called(dimension, into, intoName)
        if lost == kept:
            raise ValueError("a value cannot be merged into itself")
        self.merge_tags(lost, kept)

        aliases = self.aliases[dimension]
        aliases[name] = self.value_ids[dimension].pop(name)
        for alias, value in aliases.items():
            if value == lost:
                aliases[alias] = kept

        rows = self.tables[DIMENSION_TABLES[dimension]]
        _, lost_order, lost_system, _ = rows.pop((id,))
        _, order, is_system, created = rows[into,]
        rows[into,] = (intoName, lost_order if order is None else order,
                       max(is_system, lost_system), created)
        for entry in self.known.values():
            if lost in entry:
                entry[1] = kept

    def merge_tags(self, lost, kept):
        """Sources that gave `lost` give `kept`. What an item showed of the two it goes on showing:
        only an item that showed neither keeps a suppression."""
        without_lost = self.suppressed.pop(lost, set())
        without_kept = self.suppressed.pop(kept, set())

        def merged(values):  # a value that now stands twice does no harm
            return tuple(kept if value == lost else value for value in values)

        showed = set()
        for item, sources in self.given.items():
            for source, values in sources.items():
                if (lost in values and item not in without_lost
                        or kept in values and item not in without_kept):
                    showed.add(item)
                if lost in values:
                    sources[source] = merged(values)
        self.pack_tags = {pack: merged(values) for pack, values in self.pack_tags.items()}
        self.suppressed[kept] = (without_lost | without_kept) - showed

    def value_aliased(self, at, dimension, id, name, alias):
        value = self.value_called(dimension, id, name)
        if alias in self.value_ids[dimension]:
            raise ValueError("the alias is a value's name")
        self.aliases[dimension][alias] = value

    def item_upserted(self, at, id, kind, title, subtitle, duration, artworkUrl):
        rows = self.tables["library_item"]
        told = (kind, title, subtitle, None if duration is None else float(duration), artworkUrl)
        old = rows.get((id,))
        if old is None:
            rows[id,] = told + (1, at, at)
            self.source(self.by)
            self.numbers[id] = max(self.numbers.values(), default=0) + 1
        elif old[:5] != told:
            if old[0] != kind:
                raise ValueError(f"an item of kind {old[0]} cannot become {kind}")
            rows[id,] = told + (old[5], old[6], at)

    def visibility_changed(self, at, id, isVisible):
        rows = self.tables["library_item"]
        old = rows[id,]
        if old[5] != int(isVisible):
            rows[id,] = old[:5] + (int(isVisible), old[6], at)

    def tags_set(self, at, item, source, tags):
        self.check_dimensions("library_item", item, tags)
        values = self.values_meant(tags)
        self.give(item, source, values)
        if source != "person":
            self.make_system(values)

    def tag_suppressed(self, at, item, dimension, name):
        self.check_dimensions("library_item", item, [dimension])
        value = self.value_meant(dimension, name)
        self.suppressed.setdefault(value, set()).add(item)

    def tag_unsuppressed(self, at, item, dimension, name):
        self.check_dimensions("library_item", item, [dimension])
        self.suppressed.get(self.value_meant(dimension, name), set()).discard(item)

    def playlist_linked(self, at, item, playlistId, useSnapshot):
        if self.tables["library_item"][item,][0] != "music":
            raise ValueError("only a music item has a playlist")
        rows = self.tables["music_playlist_ref"]
        if any(row[0] == playlistId and key != (item,) for key, row in rows.items()):
            raise ValueError("the playlist is another item's")
        old = rows.get((item,))
        is_same = old is not None and old[0] == playlistId
        if old is not None and not is_same:
            self.keep_tracks(old[0], lambda time: False)
            self.lists.pop(item, None)
        elif is_same and not useSnapshot:
            newest = self.lists[item][0] if item in self.lists else None
            self.keep_tracks(playlistId, lambda time: time == newest)
        rows[item,] = (playlistId, old[1] if is_same else None, int(useSnapshot))

    def playlist_refreshed(self, at, item, playlistId, storefront, state, reason, metadata):
        said = (state == "available", metadata is not None, reason is None)
        if said not in ((True, True, True), (False, False, False)):
            raise ReducerError("an available playlist has metadata and no reason, any other a "
                               "reason and no metadata")
        self.synchronise(at, item, playlistId)

    def playlist_snapshotted(self, at, item, playlistId, storefront, base, count, runs, tracks):
        if base is not None and base < 0:
            raise ReducerError("base is below zero")
        time, sequence = self.lists.get(item, (None, None))
        if base != sequence:
            raise ValueError("the tracks are a difference to another snapshot")
        known = [track for _, track in sorted(
            (position, track) for playlist, track, moment, position in self.tables["playlist_track"]
            if (playlist, moment) == (playlistId, time))]
        ids = []
        for run in runs:
            if run.keys() != {"ids"} and run.keys() != {"from", "count"}:
                raise ReducerError("a run has either ids, or from and count")
            if "ids" in run:
                ids += run["ids"]
            else:
                if run["from"] + run["count"] > len(known):
                    raise ValueError("a run goes beyond the list before")
                ids += known[run["from"]:run["from"] + run["count"]]
            if not ids[-1:] or (run.get("count", 1) < 1 or run.get("from", 0) < 0):
                raise ValueError("a run of nothing")
        if len(ids) != count:
            raise ValueError("the runs are another number of tracks than is said")
        if len(ids) > max(REPEATED_TRACKS, PLACES_PER_TRACK * len(set(ids))):
            raise ValueError("the list repeats its tracks too often")
        cache = self.tables["music_track_cache"]
        described = {track["id"] for track in tracks}
        if not described <= set(ids):
            raise ValueError("a track is described that is not in the list")
        if any((track,) not in cache for track in set(ids) - described):
            raise ValueError("a track was never described")
        self.synchronise(at, item, playlistId)
        for track in tracks:
            cache[track["id"],] = (track["title"], track["artist"], track["album"],
                                   track["duration"], track["artworkUrl"], at)
        for track in set(ids):
            cache[track,] = (*cache[track,][:5], at)
        keeps = self.tables["music_playlist_ref"][item,][2] == 1
        self.keep_tracks(playlistId, lambda time: keeps and time != at)
        for position, track in enumerate(ids):
            self.tables["playlist_track"][playlistId, track, at, position] = ()
        self.lists[item] = (at, self.sequence + 1)

    def keep_tracks(self, playlist, is_kept):
        rows = self.tables["playlist_track"]
        for key in [key for key in rows if key[0] == playlist and not is_kept(key[2])]:
            del rows[key]

    def synchronise(self, at, item, playlist):
        row = self.tables["music_playlist_ref"][item,]
        if row[0] != playlist:
            raise ValueError("the item stands for another playlist")
        self.tables["music_playlist_ref"][item,] = (playlist, at, row[2])

    def pack_upserted(self, at, id, kind, title, description, artworkUrl, version, manifestUrl):
        rows = self.tables["pack"]
        old = rows.get((id,))
        if old is None:
            created = at
            self.source(self.by)
            self.tables["pack_state"][id,] = ("not_downloaded", None, None, None, None, at)
        else:
            if old[0] != kind:
                raise ValueError(f"a pack of kind {old[0]} cannot become {kind}")
            version, created = max(version, old[4]), old[6]
        rows[id,] = (kind, title, description, artworkUrl, version, manifestUrl, created)

    def pack_items_set(self, at, pack, items):
        kind = self.tables["pack"][pack,][0]
        for item in items:
            if self.tables["library_item"][item,][0] != kind:
                raise ValueError(f"item {item} is not of the pack's kind {kind}")
        if len(set(items)) != len(items):
            raise ValueError("an item is named twice")
        tags, before = self.pack_tags.get(pack, ()), self.members.get(pack, ())
        if tags:
            for item in set(before) - set(items):
                self.give(item, f"pack:{pack}", ())
            for item in set(items) - set(before):
                self.give(item, f"pack:{pack}", tags)
        self.members[pack] = {item: place for place, item in enumerate(items)}

    def manifest_applied(self, at, pack, version, sha256, totalBytes, assets, tags):
        self.check_dimensions("pack", pack, tags)
        values = self.values_meant(tags)
        rows = self.tables["pack"]
        old = rows[pack,]
        rows[pack,] = old[:4] + (max(version, old[4]),) + old[5:]
        is_new = set(values) != set(self.pack_tags.get(pack, ()))
        self.pack_tags[pack] = values
        self.make_system(values)
        if is_new:
            for item in self.members.get(pack, ()):
                self.give(item, f"pack:{pack}", values)

    def manifest_with_assets(self, at, listed, changes, **manifest):
        """Version 2: which assets it lists, and how they differ from those before, makes no rows."""
        self.manifest_applied(at, **manifest)

    def download_started(self, at, pack, version, bytesTotal, bytesDownloaded):
        self.change_state(at, pack, state="downloading", bytes_total=bytesTotal,
                          bytes_downloaded=bytesDownloaded, last_error=None)

    def download_progressed(self, at, pack, bytesDownloaded):
        self.check_downloading(pack)
        self.change_state(at, pack, bytes_downloaded=bytesDownloaded)

    def download_completed(self, at, pack, version, bytesTotal, assets):
        self.check_downloading(pack)
        members = set(self.members.get(pack, ()))
        for asset in assets:
            if asset["item"] not in members:
                raise ValueError(f"item {asset['item']} is not in the pack")
            if self.tables["local_asset"].get((asset["asset"],), (pack,))[0] != pack:
                raise ValueError(f"asset {asset['asset']} is another pack's")
        for key in ("asset", "item"):
            if len({asset[key] for asset in assets}) != len(assets):
                raise ValueError(f"two assets are of one {key}")
        created = self.remove_assets(pack)
        self.assets[pack] = {}
        for asset in assets:
            self.asset_downloaded(at, pack, created, **asset)
        self.change_state(at, pack, state="downloaded", bytes_total=bytesTotal,
                          bytes_downloaded=bytesTotal, installed_version=version, last_error=None)

    def asset_downloaded(self, at, pack, created, asset, item, url, path, etag, sha256, bytes,
                         codec, sampleRate, channels, loopable):
        self.assets[pack][asset] = item
        self.tables["local_asset"][asset,] = (pack, url, path, etag, sha256, bytes,
                                              created.get(asset, at))
        self.tables["item_local_audio"][item,] = (asset, codec, sampleRate, channels, int(loopable))

    def download_failed(self, at, pack, error, resumable):
        self.change_state(at, pack, state="failed",
                          last_error=f"{error}; it can be resumed" if resumable else error)

    def download_interrupted(self, at, pack, error):
        self.check_downloading(pack)
        self.download_failed(at, pack, error, resumable=True)

    def download_cancelled(self, at, pack):
        installed = self.tables["pack_state"][pack,][3]
        self.change_state(at, pack, state="not_downloaded" if installed is None else "downloaded",
                          bytes_total=None, bytes_downloaded=None, last_error=None)

    def pack_deleted(self, at, pack):
        self.tables["pack_state"][pack,]  # there must be such a pack
        self.remove_assets(pack)
        self.change_state(at, pack, state="not_downloaded", bytes_total=None, bytes_downloaded=None,
                          installed_version=None, last_error=None)

    # Reverts

    def operation_reverted(self, at, operation, first, last, documents, reason):
        if len((reason or "").encode()) > 4096:
            raise Conflict("the reason is beyond what a document may hold")

    def rows_restored(self, at, table, columns, rows, key, gone):
        changes = restored(
            SHAPES, self.present, table, columns, rows, key, gone, partly=table not in TABLES)
        kinds, dimensions = set(KIND_DIMENSIONS), set(DIMENSION_KEYS)
        states = {"not_downloaded", "downloading", "downloaded", "failed"}
        words = {("library_item", "kind"): kinds, ("projection_item", "kind"): kinds, ("pack", "kind"): kinds - {"music"},
                 ("pack_state", "state"): states}
        for row in (row for _, _, row in changes if row):
            for column, value in row.items():
                flag = column in ("is_visible", "is_system", "use_snapshot", "loopable", "is_playable")
                number = column == "number" and table in ("projection_item", "projection_value")
                tags = table == "projection_tagging" and column == "tags"
                if (value not in words.get((table, column), {value}) or column == "dimension" and value not in dimensions
                        or flag and value not in (0, 1, None) or number and not 0 < value <= self.sequence + 1
                        or tags and not re.fullmatch(TAG_LIST, value)):
                    raise Conflict(f"{table}.{column} cannot be {value}")
        restore = getattr(self, f"restore_{table}", None)
        if table in DIMENSION_KEYS:
            restore = lambda *change: self.restore_value(table, *change)  # noqa: E731
        # A name that one value loses another may have: what goes goes first.
        remove = getattr(self, f"remove_{table}", None)
        for place, before, after in changes:
            if remove:
                remove(*place)
            elif before is not None and restore:
                restore(place, before, None)
            if table in TABLES and table != "pack_item":
                self.tables[table].pop(self.table_key(table, before or after, place), None)
        for place, before, after in changes:
            if after is None:
                continue
            if restore:
                restore(place, before, after)
            if table in TABLES and table != "pack_item":
                columns, keys = TABLES[table]
                values = tuple(after[column] for column in columns)
                self.tables[table][values[:keys]] = values[keys:]

    @staticmethod
    def table_key(table, row, place):
        named = dict(zip(SHAPES[table].key, place))
        return tuple(named[column] for column in TABLES[table][0][:TABLES[table][1]])

    def present(self, table):
        """The rows of a table by their keys, as far as something follows from them."""
        if table == "projection_item":
            return {(number,): {"item_id": item} for item, number in self.numbers.items()}
        if table == "projection_value":
            return {(number,): {"dimension": value[0], "value_id": value[1], "merged_into": into and into[1]}
                    for number, (value, into) in self.known.items()}
        if table == "projection_alias":
            return {(DIMENSION_TABLES[key], name): {"value_id": value[1]}
                    for key, aliases in self.aliases.items() for name, value in aliases.items()}
        if table == "projection_playlist":
            return {(item,): {"snapshot_at": time, "snapshot_sequence": sequence}
                    for item, (time, sequence) in self.lists.items()}
        if table not in TABLES or table == "pack_item":
            return {}
        columns, _ = TABLES[table]
        rows = [dict(zip(columns, key + values)) for key, values in self.tables[table].items()]
        return {tuple(row[column] for column in SHAPES[table].key): row for row in rows}

    def item_of(self, number):
        return next((item for item, other in self.numbers.items() if other == number), None)

    def restore_value(self, table, key, before, after):
        names = self.value_ids[DIMENSION_KEYS[table]]
        if after is None:
            names.pop(before["name"], None)
        else:
            names[after["name"]] = (table, key[0])

    def restore_projection_item(self, key, before, after):
        if after is None:
            self.numbers.pop(self.item_of(key[0]), None)
        else:
            self.numbers[after["item_id"]] = key[0]

    def remove_projection_tagging(self, number, source):
        name = next((name for name, id in self.sources.items() if id == source), None)
        self.given.get(self.item_of(number), {}).pop(name, None)

    def remove_projection_playlist(self, item):
        self.lists.pop(item, None)

    def remove_projection_suppression(self, number, table, value):
        self.suppressed.get((table, value), set()).discard(self.item_of(number))

    def remove_projection_alias(self, table, name):
        self.aliases[DIMENSION_KEYS[table]].pop(name, None)

    def remove_projection_pack_tag(self, pack, table, value):
        self.pack_tags[pack] = tuple(tag for tag in self.pack_tags.get(pack, ()) if tag != (table, value))

    def remove_pack_item(self, pack, item):
        self.members.setdefault(pack, {}).pop(item, None)

    def restore_pack_item(self, key, before, after):
        self.members.setdefault(key[0], {})[key[1]] = after["sort_order"]

    def remove_local_asset(self, asset):
        for assets in self.assets.values():
            assets.pop(asset, None)

    def restore_local_asset(self, key, before, after):
        self.assets.setdefault(after["pack_id"], {})[key[0]] = None

    def restore_projection_tagging(self, key, before, after):
        item, source = self.item_of(key[0]), next((name for name, id in self.sources.items() if id == key[1]), None)
        values = []
        for part in after["tags"].split():
            table, _, ids = part.partition("=")
            values += [(table, int(id)) for id in ids.split(",")]
        self.give(item, source, tuple(values))

    def restore_projection_playlist(self, key, before, after):
        if after.get("snapshot_sequence") is None:
            self.lists.pop(key[0], None)
        else:
            self.lists[key[0]] = (after["snapshot_at"], after["snapshot_sequence"])

    def restore_projection_suppression(self, key, before, after):
        number, table, value = key
        self.suppressed.setdefault((table, value), set()).add(self.item_of(number))

    def restore_projection_value(self, key, before, after):
        self.known.pop(key[0], None)
        if after is not None:
            into = after["merged_into"]
            self.known[key[0]] = [(after["dimension"], after["value_id"]),
                                  None if into is None else (after["dimension"], into)]

    def restore_projection_alias(self, key, before, after):
        self.aliases[DIMENSION_KEYS[key[0]]][key[1]] = (key[0], after["value_id"])

    def restore_projection_pack_tag(self, key, before, after):
        pack, table, value = key
        self.pack_tags[pack] = (*self.pack_tags.get(pack, ()), (table, value))

    def rows(self):
        """The tables, with those that are derived: pack_item and the joins. Call once, at the end."""
        rows = self.tables["pack_item"]
        for pack, items in self.members.items():
            for item, place in items.items():
                rows[pack, item] = (place,)
        for item, sources in self.given.items():
            for values in sources.values():
                for value in values:
                    if item not in self.suppressed.get(value, ()):
                        table, id = value
                        self.tables[f"item_{table}"][item, id] = ()
        return self.tables


if __name__ == "__main__":
    main("reducer", Catalog, TABLES, "Rebuilds the tables from the events and compares the database.")
