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
from reducing import Conflict, ReducerError, main, table_shapes  # noqa: E402

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


class Archive:
    """What a package and a person say, as the events have it; `tables` makes rows of it."""

    def __init__(self):
        self.sequence = 0
        self.conflicts = []  # (sequence, type, why) of events that changed nothing
        self.shows = {}  # id → [payload, created, updated]
        self.recordings = {}  # identifier → (payload, time)
        self.collections = {}  # id → [payload, created, updated]
        self.library = {}  # show → [added, pinned, notes, rating, last played, tags]
        self.recent = {}  # show → [last, first, count]
        self.version = None
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

    def listers(self, recording):
        return [show for show, (data, *_) in self.shows.items() if recording in data["recordings"]]

    def drop_orphans(self, recordings):
        """A recording goes with the last show that lists it, as the foreign key says."""
        for recording in recordings:
            if recording in self.recordings and not self.listers(recording):
                del self.recordings[recording]

    # Packages

    def package_imported(self, data, at):
        self.version = (data, at)

    def show_upserted(self, data, at):
        old = self.shows.get(data["show"])
        self.shows[data["show"]] = [data, old[1] if old else at, at]
        if old:
            self.drop_orphans(set(old[0]["recordings"]) - set(data["recordings"]))

    def show_removed(self, data, at):
        self.require(self.shows, data["show"], "show")
        old = self.shows.pop(data["show"])
        self.library.pop(data["show"], None)
        self.drop_orphans(old[0]["recordings"])

    def recording_upserted(self, data, at):
        if not self.listers(data["recording"]):
            raise Conflict(f"no show lists the recording {data['recording']}")
        self.recordings[data["recording"]] = (data, at)

    def recording_removed(self, data, at):
        self.require(self.recordings, data["recording"], "recording")
        del self.recordings[data["recording"]]

    def collection_upserted(self, data, at):
        old = self.collections.get(data["id"])
        self.collections[data["id"]] = [data, old[1] if old else at, at]

    def collection_removed(self, data, at):
        self.require(self.collections, data["id"], "collection")
        del self.collections[data["id"]]

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

    # Rows

    def sequences(self):
        """Early before none before late, then by id."""
        days = {}
        for show, (data, *_) in self.shows.items():
            rank = {"early": 0, None: 1, "late": 2}[data["showTime"]]
            days.setdefault(data["date"], []).append((rank, show.encode(), show))
        return {show: place for day in days.values() for place, (_, _, show) in enumerate(sorted(day), start=1)}

    def rows(self):
        sequences = self.sequences()
        tables = {table: {} for table in TABLES}

        def put(table, *row):
            keys = TABLES[table][1]
            tables[table][row[:keys]] = row[keys:]

        for show, (data, created, updated) in self.shows.items():
            setlist = data["setlist"] and [
                {**known(set=part["set"]), "songs": [known(**song) for song in part["songs"]]}
                for part in data["setlist"]]
            lineup = data["lineup"] and [known(**musician) for musician in data["lineup"]]
            date = data["date"]
            put("shows", show, date, int(date[:4]), int(date[5:7]), date[:7], data["band"], data["url"], data["venue"],
                data["city"], data["state"], country(data), data["location"], data["setlistStatus"],
                None if setlist is None else compact(setlist), ",".join(songs(data)) if songs(data) else None,
                data["lineupStatus"], None if lineup is None else compact(lineup),
                ",".join(members(data)) if members(data) else None, sequences[show],
                compact(data["recordings"]) if data["recordings"] else None, data["recordingCount"],
                data["bestRecording"], data["averageRating"], data["totalReviews"], int(show in self.library),
                self.library[show][0] if show in self.library else None, created, updated)
            put("show_search", show, search_text(data))
            if data["averageRating"] is not None:
                put("projection_rated_show", show, data["averageRating"], data["totalReviews"])
            for position, recording in enumerate(data["recordings"]):
                if data["recordings"].index(recording) == position:
                    put("projection_show_recording", show, recording, position)
        homes = {}
        for show, (data, *_) in self.shows.items():
            for recording in data["recordings"]:
                home = (data["date"], sequences[show], show.encode(), show)
                homes[recording] = min(homes.get(recording, home), home)
        for recording, (data, at) in self.recordings.items():
            put("recordings", recording, homes[recording][3], data["sourceType"], data["rating"], data["rawRating"],
                data["reviewCount"], data["confidence"], data["highRatings"], data["lowRatings"], data["taper"],
                data["source"], data["lineage"], data["sourceType"], at)
        for show, saved in self.library.items():
            put("library_shows", show, *saved)
        for show, (last, first, count) in self.recent.items():
            put("recent_shows", show, last, first, count)
        for collection, (data, created, updated) in self.collections.items():
            put("collections", collection, data["name"], data["description"], compact(data["tags"]),
                compact(data["showIds"]), len(data["showIds"]), data["tags"][0] if data["tags"] else None, created,
                updated)
            for position, show in enumerate(data["showIds"]):
                put("projection_collection_show", collection, position, show)
        if self.version:
            data, at = self.version
            put("data_version", 1, data["version"], data["packageName"], data["versionType"], data["description"], at,
                data["gitCommit"], data["gitTag"], data["buildTimestamp"], data["shows"], data["venues"],
                data["files"], data["bytes"])
        return tables


if __name__ == "__main__":
    main("concert-reducer", Archive, TABLES,
         "Rebuilds the tables of a concert archive from the events and compares the database.")
