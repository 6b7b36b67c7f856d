"""Writes seed documents of format 1 as a stream: one value, item or pack a line.

The layout is fixed so that the same content gives the same bytes and a git diff shows one line a
changed item. Used by Tools/make-starter-seed and Tools/generate-seed.
"""

import json

DIMENSIONS = (
    "locations", "moods", "musicThemes", "atmosphereThemes", "sfxThemes", "creatureTypes")

# The keys of an item's `tags` object: `themes` means the theme dimension of the item's kind.
TAG_KEYS = {
    "music": ("locations", "moods", "themes"),
    "atmosphere": ("locations", "moods", "themes"),
    "sfx": ("locations", "moods", "themes", "creatureTypes"),
}


def compact(value):
    """One line of JSON without spaces, non-ASCII characters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def item_object(kind, id, title, subtitle, tags, duration=None, artwork=None, visible=True):
    """An item of a pack, every key present, tag names sorted by their UTF-8 bytes."""
    return {
        "id": str(id), "title": title, "subtitle": subtitle, "duration": duration,
        "artworkUrl": artwork, "isVisible": visible,
        "tags": {key: sorted(tags.get(key, ()), key=str.encode) for key in TAG_KEYS[kind]},
    }


def music_object(id, title, subtitle, playlist_id, tags, artwork=None):
    """An entry of `music`: an item with its playlist, tags last as in a pack's item."""
    item = item_object("music", id, title, subtitle, tags, artwork=artwork)
    tags = item.pop("tags")
    return {**item, "appleMusicPlaylistId": playlist_id, "useSnapshot": False, "tags": tags}


def write_seed(out, seed_id, revision, dimensions, music, packs):
    """Writes one document to a text stream.

    dimensions: key → names in their order. music: objects of music_object. packs: pairs of
    (pack object without `items`, iterable of objects of item_object); both may be generators.
    """
    write = out.write
    write(f'{{"format":1,"seedId":{compact(seed_id)},"revision":{revision},\n"dimensions":{{')
    for index, key in enumerate(DIMENSIONS):
        write(f'{"," if index else ""}\n "{key}":[')
        _write_list(write, dimensions[key], "  ")
        write("]")
    write('},\n"music":[')
    _write_list(write, music, " ")
    write('],\n"packs":[')
    for index, (pack, items) in enumerate(packs):
        write(f'{"," if index else ""}\n {compact(pack)[:-1]},"items":[')
        _write_list(write, items, "  ")
        write("]}")
    write("]}\n")


def _write_list(write, values, indent):
    separator = "\n"
    for value in values:
        write(separator + indent + compact(value))
        separator = ",\n"
