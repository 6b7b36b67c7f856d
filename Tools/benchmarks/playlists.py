"""A playlist of 2,000 tracks read 50 times, of which some came, went and moved each time.

What a later list costs in the log against the first one, which stores it whole, and what a rebuild with all of
them costs against one without any. The lists come from `Tools/serve-playlists`, as from Apple Music.
"""

import json
import os
import random
import shutil
import subprocess

from benchmarks.setting import ROOT, Row

TRACKS, SNAPSHOTS, CHANGES = 2_000, 50, 10


def rows(setting):
    playlists = setting.path("playlists.json")
    served(playlists, [])
    server = subprocess.Popen([str(ROOT / "Tools" / "serve-playlists"), playlists], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    try:
        os.environ["APPLE_MUSIC_API"] = f"http://127.0.0.1:{server.stdout.readline().strip()}"
        os.environ["APPLE_MUSIC_TOKEN"] = "e30.e30.e30"
        yield from measured(setting, playlists)
    finally:
        server.stdin.close()
        server.wait()


def measured(setting, playlists):
    dice = random.Random(1)
    catalog = setting.removed_folder("music")
    seed = setting.path("seed-music.json")
    with open(seed, "w", encoding="utf-8") as file:
        json.dump({"format": 1, "seedId": "music", "revision": 1, "dimensions": {}, "packs": [], "music": [
            {"id": "00000000-0000-4000-8000-000000000001", "title": "Playlist",
             "appleMusicPlaylistId": "pl.bench", "useSnapshot": True, "tags": {}}]}, file)
    setting.run([setting.program, "import", seed, "--catalog", catalog])
    empty = [rebuilt(setting, catalog) for _ in range(setting.runs)]
    tracks = [track(dice) for _ in range(TRACKS)]
    sizes = [size(catalog)]
    for _ in range(SNAPSHOTS):
        served(playlists, tracks)
        setting.run([setting.program, "music", "refresh", "--tracks", "--catalog", catalog])
        sizes.append(size(catalog))
        for _ in range(CHANGES):
            place = dice.randrange(len(tracks))
            change = dice.randrange(3)
            if change == 0:
                tracks[place] = track(dice)
            elif change == 1:
                tracks.insert(dice.randrange(len(tracks)), tracks.pop(place))
            else:
                tracks.insert(place, tracks.pop(dice.randrange(len(tracks))))
    grown = [after - before for before, after in zip(sizes, sizes[1:])]
    full = [rebuilt(setting, catalog) for _ in range(setting.runs)]
    yield Row(f"a later list of {TRACKS:,} tracks with {CHANGES} changes, in bytes of the first",
              [size / grown[0] for size in grown[1:]], at_most=0.05)
    yield Row(f"bytes of {SNAPSHOTS} lists in the log", [sum(grown) / 1024], unit="KiB")
    yield Row(f"a rebuild with {SNAPSHOTS} lists, {TRACKS * SNAPSHOTS:,} rows, beyond one without",
              [(a - b) * 1_000 for a, b in zip(full, empty)], unit="ms")
    shutil.rmtree(catalog)


def track(dice):
    number = dice.randrange(10**9, 10**10)
    words = ["Night", "River", "Stone", "Fire", "Song", "Winter", "Road", "Light"]
    return [str(number), " ".join(dice.sample(words, 3)), " ".join(dice.sample(words, 2)),
            " ".join(dice.sample(words, 2)), dice.randrange(60_000, 600_000)]


def served(path, tracks):
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump({"pl.bench": {"title": "Playlist", "tracks": tracks}}, file)
    os.replace(path + ".new", path)


def rebuilt(setting, catalog):
    target = setting.removed("music.sqlite")
    wall = setting.timed([setting.program, "rebuild", "--out", target, "--catalog", catalog]).wall
    setting.removed("music.sqlite")
    return wall


def size(catalog):
    events = os.path.join(catalog, "events")
    return sum(os.path.getsize(os.path.join(events, name)) for name in os.listdir(events))
