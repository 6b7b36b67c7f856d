"""A library.json of 100,000 tracks and 2,000 playlists of 100 tracks."""

import json
import os
import random
import uuid

from benchmarks import kinds

TRACKS, PLAYLISTS, LENGTH = 100_000, 2_000, 100


def rows(setting):
    document = setting.path("library.json")
    if not os.path.exists(document):
        write(document)
    yield from kinds.rows(
        setting, "track-library", f"{TRACKS:,} tracks and {PLAYLISTS:,} playlists",
        ["tracks", "import", "--keep"], document,
        [["tracks", "search", "track 777"], ["tracks", "list", "--sort", "added"]])


def write(path):
    """The same bytes each time."""
    dice = random.Random(23)

    def new_id():
        return str(uuid.UUID(int=dice.getrandbits(128), version=4)).upper()

    ids = [new_id() for _ in range(TRACKS)]
    tracks = [{"id": id, "title": f"Track {number}", "artist": f"Artist {number % 997}",
               "album": f"Album {number % 4999}", "duration": 100 + number % 300,
               "fileURL": f"file:///Music/{number % 997}/Track%20{number}.mp3", "year": 1950 + number % 70,
               "trackNumber": number % 20 + 1} for number, id in enumerate(ids)]
    playlists = [{"id": new_id(), "name": f"Playlist {number}", "trackIDs": dice.choices(ids, k=LENGTH)}
                 for number in range(PLAYLISTS)]
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump({"tracks": tracks, "collections": playlists}, file)
    os.rename(path + ".new", path)
