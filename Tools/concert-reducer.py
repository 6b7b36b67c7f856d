#!/usr/bin/env python3
"""Independent projection of a concert archive: rebuilds its tables from the events and compares the database.

usage: Tools/concert-reducer.py EVENTS_DIR DATABASE [--limit N]
       Tools/concert-reducer.py EVENTS_DIR --dump TABLE | --conflicts

Written from docs/CONCERTS.md and the brief's section 1, not from the projector, so that the two can disagree. It reads
the text of the events only, folds them into plain dictionaries, passes over the events that contradict earlier ones
(--conflicts lists them), and compares every column of every table of the brief, types included, with the SQLite
database, which is opened read-only; the texts of the search too. Prints each difference and one line a table. --dump
prints the rows of one table as JSON Lines instead.

Exit status: 0 equal, 1 an error (an unknown event, no database …), 2 different, 64 a wrong argument.
"""

import datetime
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from reducing import (  # noqa: E402
    REVERTED, Conflict, ReducerError, Shape, main, restored, table_shapes)

# table → (columns, number of columns that are its key; the key stands first).
TABLES = {
    "shows": ("show_id date year month year_month band url venue_name city state country location_raw setlist_status "
              "setlist_raw song_list lineup_status lineup_raw member_list show_sequence recordings_raw "
              "recording_count best_recording_id average_rating total_reviews is_in_library library_added_at "
              "created_at updated_at", 1),
    "recordings": ("identifier show_id source_type rating raw_rating review_count confidence high_ratings low_ratings "
                   "taper source lineage source_type_string collection_timestamp", 1),
    "library_shows": ("show_id added_to_library_at is_pinned library_notes custom_rating last_accessed_at tags", 1),
    "recent_shows": ("show_id last_played_timestamp first_played_timestamp total_play_count", 1),
    "collections": ("id name description tags_json show_ids_json total_shows primary_tag created_at updated_at", 1),
    "data_version": ("id data_version package_name version_type description imported_at git_commit git_tag "
                     "build_timestamp total_shows total_venues total_files total_size_bytes", 1),
    "show_search": ("show_id search_text", 1),
    "projection_show_recording": ("show_id identifier position", 2),
    "projection_collection_show": ("collection_id position show_id", 2),
    "projection_rated_show": ("show_id average_rating total_reviews", 1),
}
TABLES = table_shapes(TABLES)

# All tables to which an event may bring rows back, with our own.
SHAPES = {
    "shows": Shape(
        "show_id:t date:t year:i month:i year_month:t band:t url:t? venue_name:t city:t? state:t? country:t location_raw:t? "
        "setlist_status:t? setlist_raw:t? song_list:t? lineup_status:t? lineup_raw:t? member_list:t? show_sequence:i "
        "recordings_raw:t? recording_count:i best_recording_id:t? average_rating:r? total_reviews:i is_in_library:i "
        "library_added_at:i? created_at:i updated_at:i", "show_id"),
    "recordings": Shape(
        "identifier:t show_id:t source_type:t? rating:r raw_rating:r review_count:i confidence:r high_ratings:i "
        "low_ratings:i taper:t? source:t? lineage:t? source_type_string:t? collection_timestamp:i", "identifier"),
    "library_shows": Shape("show_id:t added_to_library_at:i is_pinned:i library_notes:t? custom_rating:r? "
                           "last_accessed_at:i? tags:t?", "show_id"),
    "recent_shows": Shape("show_id:t last_played_timestamp:i first_played_timestamp:i total_play_count:i", "show_id"),
    "collections": Shape("id:t name:t description:t tags_json:t show_ids_json:t total_shows:i primary_tag:t? "
                         "created_at:i updated_at:i", "id"),
    "data_version": Shape(
        "id:i data_version:t package_name:t version_type:t description:t? imported_at:i git_commit:t? git_tag:t? "
        "build_timestamp:t? total_shows:i total_venues:i total_files:i total_size_bytes:i", "id"),
    "projection_show_recording": Shape("show_id:t identifier:t position:i", "show_id identifier"),
    "projection_collection_show": Shape("collection_id:t position:i show_id:t", "collection_id position"),
    "projection_show_text": Shape("number:i show_id:t show_time:t? search_text:t search_words:t", "number"),
    "projection_rated_show": Shape("show_id:t average_rating:r total_reviews:i", "show_id"),
    "projection_counted_play": Shape("show_id:t sequence:i play_count:i", "show_id"),
    "projection_package": Shape("id:i sha256:t unlisted_json:t", "id"),
    "projection_reverted": REVERTED,
}
# What follows from other rows.
SETTLED = ("show_sequence", "is_in_library", "library_added_at")

# The brief's example of a search text has `NY New York`; provinces of Canada have their names in the same way.
STATES = dict(pair.split("=") for pair in (
    "AL=Alabama|AK=Alaska|AZ=Arizona|AR=Arkansas|CA=California|CO=Colorado|CT=Connecticut|DE=Delaware|"
    "DC=District of Columbia|FL=Florida|GA=Georgia|HI=Hawaii|ID=Idaho|IL=Illinois|IN=Indiana|IA=Iowa|KS=Kansas|"
    "KY=Kentucky|LA=Louisiana|ME=Maine|MD=Maryland|MA=Massachusetts|MI=Michigan|MN=Minnesota|MS=Mississippi|"
    "MO=Missouri|MT=Montana|NE=Nebraska|NV=Nevada|NH=New Hampshire|NJ=New Jersey|NM=New Mexico|NY=New York|"
    "NC=North Carolina|ND=North Dakota|OH=Ohio|OK=Oklahoma|OR=Oregon|PA=Pennsylvania|RI=Rhode Island|"
    "SC=South Carolina|SD=South Dakota|TN=Tennessee|TX=Texas|UT=Utah|VT=Vermont|VA=Virginia|WA=Washington|"
    "WV=West Virginia|WI=Wisconsin|WY=Wyoming").split("|"))


PROVINCES = dict(pair.split("=") for pair in (
    "AB=Alberta|BC=British Columbia|MB=Manitoba|NB=New Brunswick|NF=Newfoundland|NL=Newfoundland and Labrador|"
    "NS=Nova Scotia|NT=Northwest Territories|NU=Nunavut|ON=Ontario|PE=Prince Edward Island|PQ=Quebec|QC=Quebec|"
    "SK=Saskatchewan|YT=Yukon").split("|"))


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def known(**members):
    """What nobody knows is left out."""
    return {key: value for key, value in members.items() if value is not None}


def milliseconds(time):
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    moment = datetime.datetime.strptime(time, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.timezone.utc)
    return (moment - epoch) // datetime.timedelta(milliseconds=1)


def songs(show):
    return [song["name"] for part in show["setlist"] or [] for song in part["songs"]]


def members(show):
    return [musician["name"] for musician in show["lineup"] or []]


def country(show):
    """The package's; else the state, where it is not a code of two capital letters; else the default."""
    if show["country"] is not None:
        return show["country"]
    state = show["state"]
    if state is None or len(state) == 2 and state.isascii() and state.isalpha() and state.isupper():
        return "USA"
    return state


def state_name(show):
    name = STATES.get(show["state"])
    if name is None and country(show).lower() in ("usa", "canada", "can", "ca"):
        name = PROVINCES.get(show["state"])
    return name


def search_text(show):
    year, month, day = show["date"].split("-")
    short = [mark.join((str(int(month)), str(int(day)), year[2:])) for mark in "-/."]
    parts = [show["date"], *short, year, year[2:], year[:3], show["venue"], show["city"], show["state"],
             state_name(show), country(show), *members(show), *songs(show)]
    return " ".join(part for part in parts if part)


def search_text_of_row(row):
    """The same of a row, which has the setlist and the lineup as JSON."""
    return search_text({
        "date": row["date"], "venue": row["venue_name"], "city": row["city"], "state": row["state"],
        "country": row["country"], "setlist": row["setlist_raw"] and json.loads(row["setlist_raw"]),
        "lineup": row["lineup_raw"] and json.loads(row["lineup_raw"])})


class Archive:
    """The rows that packages and a person make; `rows` adds what follows from others."""

    def __init__(self):
        self.sequence = 0
        self.conflicts = []  # (sequence, type, why) of events that changed nothing
        self.shows = {}  # id → columns, without those of SETTLED
        self.texts = {}  # number of the show's first event → (show, early or late or None, text of the search)
        self.ratings = {}  # show → (rating, reviews)
        self.links = {}  # show → recording → its place
        self.recordings = {}  # identifier → columns, without the show
        self.collections = {}  # id → columns
        self.members = {}  # collection → place → show
        self.library = {}  # show → [added, pinned, notes, rating, last played, tags]
        self.recent = {}  # show → [last, first, count]
        self.version = None  # columns
        self.handlers = {
            "catalog.created": lambda data, at: None,
            "package.imported": self.package_imported,
            "show.upserted": self.show_upserted,
            "show.removed": self.show_removed,
            "recording.upserted": self.recording_upserted,
            "recording.removed": self.recording_removed,
            "collection.upserted": self.collection_upserted,
            "collection.removed": self.collection_removed,
            "library.show.added": self.added,
            "library.show.removed": self.taken_out,
            "library.show.pinned": self.pinned,
            "library.show.noted": self.noted,
            "library.show.rated": self.rated,
            "library.show.tagged": self.tagged,
            "show.played": self.played,
            "recent.cleared": self.cleared,
            "operation.reverted": lambda data, at: None,
            "rows.restored": self.restored,
        }

    def apply(self, event):
        self.sequence = event["seq"]
        handler = self.handlers.get(event["type"])
        if handler is None or event["v"] != 1:
            raise ReducerError(f"event {event['seq']}: {event['type']} version {event['v']} is unknown")
        try:
            handler(event["data"], milliseconds(event["at"]))
        except Conflict as conflict:
            self.conflicts.append((event["seq"], event["type"], str(conflict)))

    @staticmethod
    def require(table, key, what):
        if key not in table:
            raise Conflict(f"there is no {what} {key}")

    def drop_orphans(self, recordings):
        """A recording goes with the last show that lists it, as the foreign key says."""
        for recording in recordings:
            if not any(recording in places for places in self.links.values()):
                self.recordings.pop(recording, None)

    # Packages

    def package_imported(self, data, at):
        self.version = dict(zip(TABLES["data_version"][0], (
            1, data["version"], data["packageName"], data["versionType"], data["description"], at, data["gitCommit"],
            data["gitTag"], data["buildTimestamp"], data["shows"], data["venues"], data["files"], data["bytes"])))

    def show_upserted(self, data, at):
        show, date = data["show"], data["date"]
        old = self.shows.get(show)
        setlist = data["setlist"] and [
            {**known(set=part["set"]), "songs": [known(**song) for song in part["songs"]]}
            for part in data["setlist"]]
        lineup = data["lineup"] and [known(**musician) for musician in data["lineup"]]
        self.shows[show] = {
            "show_id": show, "date": date, "year": int(date[:4]), "month": int(date[5:7]), "year_month": date[:7],
            "band": data["band"], "url": data["url"], "venue_name": data["venue"], "city": data["city"],
            "state": data["state"], "country": country(data), "location_raw": data["location"],
            "setlist_status": data["setlistStatus"], "setlist_raw": None if setlist is None else compact(setlist),
            "song_list": ",".join(songs(data)) if songs(data) else None, "lineup_status": data["lineupStatus"],
            "lineup_raw": None if lineup is None else compact(lineup),
            "member_list": ",".join(members(data)) if members(data) else None,
            "recordings_raw": compact(data["recordings"]) if data["recordings"] else None,
            "recording_count": data["recordingCount"], "best_recording_id": data["bestRecording"],
            "average_rating": data["averageRating"], "total_reviews": data["totalReviews"],
            "created_at": old["created_at"] if old else at, "updated_at": at}
        number = next((number for number, text in self.texts.items() if text[0] == show), self.sequence)
        self.texts[number] = (show, data["showTime"], search_text(data))
        self.ratings.pop(show, None)
        if data["averageRating"] is not None:
            self.ratings[show] = (data["averageRating"], data["totalReviews"])
        before = self.links.get(show, {})
        self.links[show] = {}
        for position, recording in enumerate(data["recordings"]):
            self.links[show].setdefault(recording, position)
        self.drop_orphans(set(before) - set(self.links[show]))

    def show_removed(self, data, at):
        show = data["show"]
        self.require(self.shows, show, "show")
        del self.shows[show]
        self.texts = {number: text for number, text in self.texts.items() if text[0] != show}
        self.ratings.pop(show, None)
        self.library.pop(show, None)
        self.drop_orphans(self.links.pop(show, {}))

    def recording_upserted(self, data, at):
        if not any(data["recording"] in places for places in self.links.values()):
            raise Conflict(f"no show lists the recording {data['recording']}")
        self.recordings[data["recording"]] = {
            "identifier": data["recording"], "source_type": data["sourceType"], "rating": data["rating"],
            "raw_rating": data["rawRating"], "review_count": data["reviewCount"], "confidence": data["confidence"],
            "high_ratings": data["highRatings"], "low_ratings": data["lowRatings"], "taper": data["taper"],
            "source": data["source"], "lineage": data["lineage"], "source_type_string": data["sourceType"],
            "collection_timestamp": at}

    def recording_removed(self, data, at):
        self.require(self.recordings, data["recording"], "recording")
        del self.recordings[data["recording"]]

    def collection_upserted(self, data, at):
        old = self.collections.get(data["id"])
        self.collections[data["id"]] = {
            "id": data["id"], "name": data["name"], "description": data["description"],
            "tags_json": compact(data["tags"]), "show_ids_json": compact(data["showIds"]),
            "total_shows": len(data["showIds"]), "primary_tag": data["tags"][0] if data["tags"] else None,
            "created_at": old["created_at"] if old else at, "updated_at": at}
        self.members[data["id"]] = dict(enumerate(data["showIds"]))

    def collection_removed(self, data, at):
        self.require(self.collections, data["id"], "collection")
        del self.collections[data["id"]]
        self.members.pop(data["id"], None)

    # A person

    def added(self, data, at):
        self.require(self.shows, data["show"], "show")
        self.library.setdefault(data["show"], [at, 0, None, None, None, None])

    def taken_out(self, data, at):
        self.require(self.library, data["show"], "show of the library")
        del self.library[data["show"]]

    def pinned(self, data, at):
        self.require(self.library, data["show"], "show of the library")
        self.library[data["show"]][1] = int(data["pinned"])

    def noted(self, data, at):
        self.require(self.library, data["show"], "show of the library")
        self.library[data["show"]][2] = data["notes"]

    def rated(self, data, at):
        self.require(self.library, data["show"], "show of the library")
        self.library[data["show"]][3] = data["rating"]

    def tagged(self, data, at):
        self.require(self.library, data["show"], "show of the library")
        self.library[data["show"]][5] = compact(data["tags"]) if data["tags"] else None

    def played(self, data, at):
        self.require(self.shows, data["show"], "show")
        last, first, count = self.recent.get(data["show"], (at, at, 0))
        self.recent[data["show"]] = [max(last, at), first, count + 1]
        if data["show"] in self.library:
            saved = self.library[data["show"]]
            saved[4] = max(saved[4] or at, at)

    def cleared(self, data, at):
        if data["show"] is not None:
            self.recent.pop(data["show"], None)
            return
        before = milliseconds(data["before"])
        self.recent = {show: play for show, play in self.recent.items() if play[0] >= before}

    # Reverts

    def restored(self, data, at):
        touched = set()
        for key, before, row in restored(SHAPES, self.present, **data):
            restore = getattr(self, "restore_" + data["table"], None)
            if restore:
                touched |= restore(key, row) or set()
        self.drop_orphans(touched)
        self.settle()

    def present(self, table):
        """The rows of a table by their keys; what follows from others stands for itself."""
        def columns(rows):
            names = TABLES[table][0][1:]
            return {(show,): dict(zip(names, row)) for show, row in rows.items()}

        if table == "shows":
            return {(id,): {**row, **dict.fromkeys(SETTLED), "show_sequence": 1, "is_in_library": 0}
                    for id, row in self.shows.items()}
        if table == "recordings":
            return {(id,): {**row, "show_id": ""} for id, row in self.recordings.items()}
        if table == "library_shows":
            return columns(self.library)
        if table == "recent_shows":
            return columns(self.recent)
        if table == "collections":
            return {(id,): row for id, row in self.collections.items()}
        if table == "data_version" and self.version:
            return {(1,): self.version}
        if table == "projection_show_text":
            return {(number,): {"show_id": show, "show_time": time, "search_text": text, "search_words": ""}
                    for number, (show, time, text) in self.texts.items()}
        return {}

    def settle(self):
        """Makes what follows from the rows of shows and from the members of collections."""
        self.ratings = {show: (row["average_rating"], row["total_reviews"])
                        for show, row in self.shows.items() if row["average_rating"] is not None}
        for number, (show, time, _) in self.texts.items():
            if show in self.shows:
                self.texts[number] = (show, time, search_text_of_row(self.shows[show]))
        for show, row in self.shows.items():
            links = [recording for recording, _ in sorted(self.links.get(show, {}).items(), key=lambda link: link[1])]
            if list(dict.fromkeys(json.loads(row["recordings_raw"] or "[]"))) != links:
                row["recordings_raw"] = compact(links) if links else None
        for id, row in self.collections.items():
            shows = [show for _, show in sorted(self.members.get(id, {}).items())]
            row["show_ids_json"], row["total_shows"] = compact(shows), len(shows)

    @staticmethod
    def put(table, key, row):
        table.pop(key, None)
        if row is not None:
            table[key] = row

    def restore_shows(self, key, row):
        self.put(self.shows, key[0], row and {name: value for name, value in row.items() if name not in SETTLED})
        return set(self.links.get(key[0], {}))

    def restore_recordings(self, key, row):
        self.put(self.recordings, key[0], row and {name: value for name, value in row.items() if name != "show_id"})

    def restore_library_shows(self, key, row):
        self.put(self.library, key[0], row and [row[name] for name in TABLES["library_shows"][0][1:]])

    def restore_recent_shows(self, key, row):
        self.put(self.recent, key[0], row and [row[name] for name in TABLES["recent_shows"][0][1:]])

    def restore_collections(self, key, row):
        self.put(self.collections, key[0], row)

    def restore_data_version(self, key, row):
        self.version = row

    def restore_projection_show_recording(self, key, row):
        self.put(self.links.setdefault(key[0], {}), key[1], row and row["position"])
        return {key[1]}

    def restore_projection_collection_show(self, key, row):
        self.put(self.members.setdefault(key[0], {}), key[1], row and row["show_id"])

    def restore_projection_show_text(self, key, row):
        self.put(self.texts, key[0], row and (row["show_id"], row["show_time"], row["search_text"]))

    def restore_projection_rated_show(self, key, row):
        self.put(self.ratings, key[0], row and (row["average_rating"], row["total_reviews"]))

    # Rows

    def sequences(self):
        """Early before none before late, then by id."""
        times, days = {show: time for show, time, _ in self.texts.values()}, {}
        for show, row in self.shows.items():
            rank = {"early": 0, None: 1, "late": 2}[times.get(show)]
            days.setdefault(row["date"], []).append((rank, show.encode(), show))
        return {show: place for day in days.values() for place, (_, _, show) in enumerate(sorted(day), start=1)}

    def rows(self):
        sequences = self.sequences()
        tables = {table: {} for table in TABLES}

        def put(table, *row):
            keys = TABLES[table][1]
            tables[table][row[:keys]] = row[keys:]

        def put_columns(table, row):
            put(table, *(row[name] for name in TABLES[table][0]))

        for show, row in self.shows.items():
            put_columns("shows", {
                **row, "show_sequence": sequences[show], "is_in_library": int(show in self.library),
                "library_added_at": self.library[show][0] if show in self.library else None})
        for show, _, text in self.texts.values():
            put("show_search", show, text)
        for show, rating in self.ratings.items():
            put("projection_rated_show", show, *rating)
        homes = {}
        for show, places in self.links.items():
            for recording, position in places.items():
                put("projection_show_recording", show, recording, position)
                home = (self.shows[show]["date"], sequences[show], show.encode(), show)
                homes[recording] = min(homes.get(recording, home), home)
        for recording, row in self.recordings.items():
            put_columns("recordings", {**row, "show_id": homes[recording][3]})
        for show, saved in self.library.items():
            put("library_shows", show, *saved)
        for show, (last, first, count) in self.recent.items():
            put("recent_shows", show, last, first, count)
        for row in self.collections.values():
            put_columns("collections", row)
        for collection, shows in self.members.items():
            for position, show in shows.items():
                put("projection_collection_show", collection, position, show)
        if self.version:
            put_columns("data_version", self.version)
        return tables


if __name__ == "__main__":
    main("concert-reducer", Archive, TABLES,
         "Rebuilds the tables of a concert archive from the events and compares the database.")
