#!/usr/bin/env python3
"""Independent projection of a track library: rebuilds its tables from the events and compares the database.

usage: Tools/track-reducer.py EVENTS_DIR DATABASE [--limit N]
       Tools/track-reducer.py EVENTS_DIR --dump TABLE | --conflicts

Written from docs/TRACKS.md, not from the projector, so that the two can disagree. It reads the text of the events
only, folds them into a model of its own, passes over events that contradict earlier ones, makes the tables of the
model at the end, and compares every column of every table, types included, with the SQLite database, which is opened
read-only. Prints each difference and one line a table.

Exit status: 0 equal, 1 an error (an unknown event, no database …), 2 different, 64 a wrong argument.
"""

import base64
import hashlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from reducing import (  # noqa: E402
    REVERTED, Conflict, ReducerError, Shape, main, restored, table_shapes)

# table → (columns, number of columns that are its key; the key stands first).
TABLES = {
    "tracks": ("id title artist album album_artist duration file_url artwork_url artwork_data "
               "genre year track_number", 1),
    "collections": ("id name", 1),
    "collection_tracks": ("collection_id position track_id", 2),
    "track_source": ("track_id source uri song_id date_added", 1),
    "collection_info": ("collection_id description artwork_url date_created date_modified", 1),
    "song": ("id title artist artwork_url date_added sync_status", 1),
    "song_alias": ("alias song_id", 1),
    "tag": ("id name hex_color is_system_tag", 1),
    "song_tag": ("song_id tag_id", 2),
    "track_play": ("track_id last_played_at first_played_at play_count", 1),
    "track_search": ("track_id title artist album", 1),
}
TABLES = table_shapes(TABLES)
# All tables to which an event may bring rows back, with our own.
SHAPES = {
    "tracks": Shape("id:d title:t artist:t album:t album_artist:t? duration:r file_url:t artwork_url:t? artwork_data:x? "
                    "genre:t? year:i? track_number:i?", "id"),
    "collections": Shape("id:d name:t", "id"),
    "collection_tracks": Shape("collection_id:d track_id:d position:i", "collection_id position"),
    "track_source": Shape("track_id:d source:t uri:t song_id:t? date_added:m", "track_id", "uri"),
    "collection_info": Shape("collection_id:d description:t? artwork_url:t? date_created:m date_modified:m",
                             "collection_id"),
    "song": Shape("id:t title:t artist:t artwork_url:t? date_added:m sync_status:i", "id"),
    "song_alias": Shape("alias:t song_id:t", "alias"),
    "tag": Shape("id:d name:t hex_color:t is_system_tag:i", "id", "name"),
    "track_play": Shape("track_id:d last_played_at:m first_played_at:m play_count:i", "track_id"),
    "projection_track_text": Shape("number:i track_id:d title:t artist:t album:t", "number"),
    "projection_track_order": Shape(
        "track_id:d source:t title:t artist:t album:t album_artist:t track_number:i year:i? date_added:m duration:r",
        "track_id"),
    "projection_artwork": Shape("sha256:t data:x", "sha256"),
    "projection_counted_play": Shape("track_id:d sequence:i", "track_id"),
    "projection_song_tag_source": Shape("song_id:t source:t tag_id:d", "song_id source tag_id"),
    "projection_import": Shape("sha256:t format:t name:t tracks:i collections:i identified:i", "sha256"),
    "projection_reverted": REVERTED,
}
PICTURE = 1 << 20
SYNCED, PENDING, REMOVED = 0, 1, 2


def require(condition, why):
    if not condition:
        raise Conflict(why)


class Library:
    def __init__(self):
        self.sequence = 0
        self.conflicts = []  # (sequence, type, why) of events that changed nothing
        self.tracks = {}  # id → payload, with the time when it was added
        self.places = {}  # URI → id
        self.pictures = {}  # hash → bytes
        self.lists = {}  # id → what is said of it, and its tracks in their order
        self.plays = {}  # id → [last time, first time, count]
        self.songs = {}  # id → what is said of it
        self.names = {}  # other name → id
        self.given = {}  # song → source → tags
        self.tags = {}  # id → (name, colour, whether it is the system's)

    def apply(self, event):
        sequence, type, version = event["seq"], event["type"], event["v"]
        if sequence != self.sequence + 1:
            raise ReducerError(f"seq {sequence}: due is {self.sequence + 1}")
        self.sequence = sequence
        if sequence == 1:
            if type != "catalog.created" or event["data"]["kind"] != "track-library":
                raise ReducerError("the log is not that of a track library")
            return
        handler = getattr(self, "on_" + type.replace(".", "_"), None)
        if handler is None or version != 1:
            raise ReducerError(f"seq {sequence}: unknown event {type} version {version}")
        try:
            # Handlers look before they change anything: one that raises has changed nothing.
            handler(event["at"], **event["data"])
        except Conflict as conflict:
            self.conflicts.append((sequence, type, str(conflict)))
        except TypeError as error:
            raise ReducerError(f"seq {sequence}: {type}: {error}")

    # --- Tracks --------------------------------------------------------------------------------

    def on_library_imported(self, at, format, name, sha256, tracks, collections, identified):
        pass  # goes to a table of the projection's own

    def on_artwork_added(self, at, sha256, base64):
        data = decoded(base64)
        if hashlib.sha256(data).hexdigest() != sha256:
            raise ReducerError(f"seq {self.sequence}: the hash is not that of the picture")
        require(len(data) <= PICTURE, "a picture that is too large")
        self.pictures[sha256] = data

    def on_track_upserted(self, at, **track):
        require(self.places.get(track["uri"], track["id"]) == track["id"], "two tracks in one place")
        require(track["artwork"] is None or track["artwork"] in self.pictures, "no such picture")
        if track["song"] is not None:
            track["song"] = self.song_called(track["song"])
        known = self.tracks.get(track["id"], {})
        self.places.pop(known.get("uri"), None)
        self.places[track["uri"]] = track["id"]
        track["dateAdded"] = track["dateAdded"] or known.get("dateAdded") or at
        track["picture"] = track["artwork"] and self.pictures[track["artwork"]]
        self.tracks[track["id"]] = track

    def on_track_removed(self, at, id):
        require(id in self.tracks, "no such track")
        del self.places[self.tracks.pop(id)["uri"]]
        for playlist in self.lists.values():
            if id in playlist["tracks"]:
                playlist["tracks"] = [track for track in playlist["tracks"] if track != id]
                playlist["modified"] = at

    def on_track_played(self, at, id):
        require(id in self.tracks, "no such track")
        last, first, count = self.plays.get(id, (at, at, 0))
        self.plays[id] = [max(last, at), first, count + 1]

    # --- Playlists -----------------------------------------------------------------------------

    def on_collection_upserted(self, at, id, name, description, artworkUrl):
        playlist = self.lists.setdefault(id, {"created": at, "tracks": []})
        playlist.update(name=name, description=description, artwork=artworkUrl, modified=at)

    def on_collection_removed(self, at, id):
        require(id in self.lists, "no such playlist")
        del self.lists[id]

    def on_collection_tracks_set(self, at, id, trackIds):
        require(id in self.lists, "no such playlist")
        require(set(trackIds) <= set(self.tracks), "no such track")
        self.lists[id].update(tracks=trackIds, modified=at)

    def on_collection_tracks_changed(self, at, id, base, count, runs):
        require(id in self.lists, "no such playlist")
        old = self.lists[id]["tracks"]
        lines = "".join(f"{track}\n" for track in old)
        require(hashlib.sha256(lines.encode()).hexdigest() == base, "a change of other tracks")
        new, added = [], 0
        for run in runs:
            if "ids" in run:
                require(run["ids"], "a run of nothing")
                new += run["ids"]
                added += len(run["ids"])
            else:
                first, length = run["from"], run["count"]
                require(length > 0 and 0 <= first <= len(old) - length, "a run of no tracks")
                new += old[first:first + length]
            require(len(new) <= max(count, 0) or "ids" in run, "too many tracks")
        require(len(new) == count, "another number of tracks")
        require(len(new) <= len(old) + added, "a list that grows by itself")
        require(set(new) <= set(self.tracks), "no such track")
        self.lists[id].update(tracks=new, modified=at)

    # --- Songs ---------------------------------------------------------------------------------

    def song_called(self, name):
        id = name if name in self.songs else self.names.get(name)
        require(id in self.songs, "no such song")
        return id

    def change(self, song):
        """A server has to have the song anew."""
        self.songs[song].update(status=PENDING, changed=self.sequence)

    def on_song_upserted(self, at, id, title, artist, artworkUrl):
        require(id in self.songs or id not in self.names, "another name of a song")
        song = self.songs.setdefault(id, {"added": at})
        song.update(title=title, artist=artist, artwork=artworkUrl)
        self.change(id)

    def on_song_identified(self, at, **ids):
        old, new = ids.pop("from"), ids.pop("to")
        if ids:
            raise ReducerError(f"seq {self.sequence}: unknown keys")
        require(old in self.songs or new in self.songs or new in self.names, "no such song")
        target = new if new in self.songs else self.names.get(new, new)
        require(target != old, "the same song already")
        if old in self.songs:
            song = self.songs.pop(old)
            if target in self.songs:
                other = self.songs[target]
                dead = {song["status"], other["status"]} == {REMOVED}
                other["added"] = min(song["added"], other["added"])
            else:
                self.songs[target], dead = song, song["status"] == REMOVED
            self.change(target)
            if dead:
                self.songs[target]["status"] = REMOVED
            for source, tags in self.given.pop(old, {}).items():
                given = self.given.setdefault(target, {})
                given[source] = given.get(source, set()) | tags
            for track in self.tracks.values():
                if track["song"] == old:
                    track["song"] = target
            for name, id in self.names.items():
                if id == old:
                    self.names[name] = target
        self.names[old] = target

    def on_song_removed(self, at, id):
        song = self.song_called(id)
        self.change(song)
        self.songs[song]["status"] = REMOVED
        self.given.pop(song, None)

    def on_song_synced(self, at, song, through):
        id = self.song_called(song)
        if self.songs[id]["changed"] > through:
            return
        if self.songs[id]["status"] != REMOVED:
            self.songs[id]["status"] = SYNCED
            return
        del self.songs[id]
        self.given.pop(id, None)
        self.names = {name: of for name, of in self.names.items() if of != id}
        for track in self.tracks.values():
            if track["song"] == id:
                track["song"] = None

    # --- Tags ----------------------------------------------------------------------------------

    def on_song_tags_set(self, at, song, source, tags):
        id = self.song_called(song)
        require(self.songs[id]["status"] != REMOVED, "the song was removed")
        require(set(tags) <= set(self.tags), "no such tag")
        self.given.setdefault(id, {})[source] = set(tags)
        self.change(id)

    def on_tag_added(self, at, id, name, hexColor, system):
        tag = (name, hexColor, system)
        require(self.tags.get(id, tag) == tag, "another tag of this id")
        self.require_free(id, name)
        self.tags[id] = tag

    def on_tag_changed(self, at, id, name, hexColor):
        self.require_own(id)
        self.require_free(id, name)
        self.tags[id] = (name, hexColor, False)
        self.change_all_with(id)

    def on_tag_removed(self, at, id):
        self.require_own(id)
        self.change_all_with(id)
        del self.tags[id]
        for sources in self.given.values():
            for tags in sources.values():
                tags.discard(id)

    def change_all_with(self, tag):
        for song, sources in self.given.items():
            if any(tag in tags for tags in sources.values()):
                self.change(song)

    def require_own(self, id):
        require(id in self.tags and not self.tags[id][2], "no tag, or the system's")

    def require_free(self, id, name):
        require(not any(tag[0] == name and other != id for other, tag in self.tags.items()),
                "two tags of one name")

    # --- Reverts -------------------------------------------------------------------------------

    def on_operation_reverted(self, at, operation, first, last, documents, reason):
        pass  # goes to a table of the projection's own

    def on_rows_restored(self, at, table, columns, rows, key, gone):
        changes = restored(SHAPES, self.present, table, columns, rows, key, gone)
        if table == "collection_tracks":
            return self.restore_places(changes)
        restore = getattr(self, "restore_" + table, None)
        if restore:
            for place, before, after in changes:
                restore(place, before, after)

    def present(self, table):
        """The rows of a table by their keys, as far as something follows from them."""
        def present(rows, **columns):
            found = {}
            for id, row in rows.items():
                # Of a track that is half back, one of the two rows is missing.
                if all(name in row for name in columns.values()):
                    found[id,] = {column: row[name] for column, name in columns.items()}
            return found

        if table == "tracks":
            return present(
                self.tracks, title="title", artist="artist", album="album", album_artist="albumArtist",
                duration="duration", file_url="fileUrl", artwork_url="artworkUrl", artwork_data="picture",
                genre="genre", year="year", track_number="trackNumber")
        if table == "track_source":
            return present(self.tracks, source="source", uri="uri", song_id="song", date_added="dateAdded")
        if table == "collections":
            return present(self.lists, name="name")
        if table == "collection_info":
            return present(
                self.lists, description="description", artwork_url="artwork", date_created="created",
                date_modified="modified")
        if table == "song":
            return present(
                self.songs, title="title", artist="artist", artwork_url="artwork", date_added="added",
                sync_status="status")
        if table == "tag":
            return {(id,): {"name": name, "hex_color": color, "is_system_tag": int(system)}
                    for id, (name, color, system) in self.tags.items()}
        if table == "track_play":
            return {(id,): dict(zip(("last_played_at", "first_played_at", "play_count"), play))
                    for id, play in self.plays.items()}
        if table == "song_alias":
            return {(name,): {"song_id": song} for name, song in self.names.items()}
        return {}

    def restore_tracks(self, key, _, row):
        self.part(self.tracks, key[0], row and {
            "title": row["title"], "artist": row["artist"], "album": row["album"],
            "albumArtist": row["album_artist"], "duration": row["duration"], "fileUrl": row["file_url"],
            "artworkUrl": row["artwork_url"], "picture": row["artwork_data"], "genre": row["genre"],
            "year": row["year"], "trackNumber": row["track_number"]},
            "title artist album albumArtist duration fileUrl artworkUrl picture genre year trackNumber artwork id")

    def restore_track_source(self, key, _, row):
        self.places.pop(self.tracks.get(key[0], {}).get("uri"), None)
        self.part(self.tracks, key[0], row and {
            "source": row["source"], "uri": row["uri"], "song": row["song_id"], "dateAdded": row["date_added"]},
            "source uri song dateAdded")
        self.places = {track["uri"]: id for id, track in self.tracks.items() if "uri" in track}

    def restore_collections(self, key, _, row):
        self.part(self.lists, key[0], row and {"name": row["name"]}, "name")

    def restore_collection_info(self, key, _, row):
        self.part(self.lists, key[0], row and {
            "description": row["description"], "artwork": row["artwork_url"], "created": row["date_created"],
            "modified": row["date_modified"]}, "description artwork created modified")

    def restore_places(self, changes):
        for id in {key[0] for key, *_ in changes}:
            playlist = self.lists.setdefault(id, {"tracks": []})
            places = dict(enumerate(playlist["tracks"]))
            for key, _, row in changes:
                if key[0] == id:
                    places.pop(key[1], None)
                    if row:
                        places[key[1]] = row["track_id"]
            playlist["tracks"] = [track for _, track in sorted(places.items())]
            if playlist == {"tracks": []}:
                del self.lists[id]

    @staticmethod
    def part(table, id, members, names):
        """Puts a part of what is known of something, or takes it away; what has no part is gone."""
        if members is not None:
            table.setdefault(id, {"tracks": []}).update(members)
            return
        known = table.get(id, {})
        for name in names.split():
            known.pop(name, None)
        if not any(known.values()):
            table.pop(id, None)

    def restore_song(self, key, before, row):
        """A server has to have it again, or to remove it."""
        id, = key
        if row:
            self.songs[id] = {"title": row["title"], "artist": row["artist"], "artwork": row["artwork_url"],
                              "added": row["date_added"], "changed": self.sequence,
                              "status": PENDING if row["sync_status"] == SYNCED else row["sync_status"]}
        elif before and before["sync_status"] == PENDING:
            del self.songs[id]
        elif before:
            self.change(id)
            self.songs[id]["status"] = REMOVED

    def restore_song_alias(self, key, _, row):
        self.names.pop(key[0], None)
        if row:
            self.names[key[0]] = row["song_id"]

    def restore_tag(self, key, _, row):
        self.tags.pop(key[0], None)
        if row:
            self.tags[key[0]] = (row["name"], row["hex_color"], row["is_system_tag"] == 1)

    def restore_track_play(self, key, _, row):
        self.plays.pop(key[0], None)
        if row:
            self.plays[key[0]] = [row["last_played_at"], row["first_played_at"], row["play_count"]]

    def restore_projection_artwork(self, key, _, row):
        self.pictures.pop(key[0], None)
        if row:
            self.pictures[key[0]] = row["data"]

    def restore_projection_song_tag_source(self, key, _, row):
        tags = self.given.setdefault(key[0], {}).setdefault(key[1], set())
        tags.discard(key[2])
        if row:
            tags.add(key[2])

    # --- Tables --------------------------------------------------------------------------------

    def rows(self):
        rows = {table: {} for table in TABLES}
        for id, track in self.tracks.items():
            texts = (track["title"], track["artist"], track["album"])
            rows["tracks"][id,] = (
                *texts, track["albumArtist"], float(track["duration"]), track["fileUrl"],
                track["artworkUrl"], track["picture"], track["genre"], track["year"], track["trackNumber"])
            rows["track_source"][id,] = (
                track["source"], track["uri"], track["song"], track["dateAdded"])
            rows["track_search"][id,] = texts
        for id, playlist in self.lists.items():
            rows["collections"][id,] = (playlist["name"],)
            rows["collection_info"][id,] = (
                playlist["description"], playlist["artwork"], playlist["created"],
                playlist["modified"])
            for position, track in enumerate(playlist["tracks"]):
                rows["collection_tracks"][id, position] = (track,)
        for id, song in self.songs.items():
            rows["song"][id,] = (song["title"], song["artist"], song["artwork"], song["added"],
                                 song["status"])
            for tag in set().union(*self.given.get(id, {}).values()):
                rows["song_tag"][id, tag] = ()
        for name, id in self.names.items():
            rows["song_alias"][name,] = (id,)
        for id, (name, color, system) in self.tags.items():
            rows["tag"][id,] = (name, color, int(system))
        for id, play in self.plays.items():
            rows["track_play"][id,] = tuple(play)
        return rows


def decoded(text):
    try:
        return base64.b64decode(text, validate=True)
    except ValueError as error:
        raise ReducerError(f"a picture that is not base64: {error}")


if __name__ == "__main__":
    main("track-reducer", Library, TABLES,
         "Rebuilds the tables of a track library from the events and compares the database.")
