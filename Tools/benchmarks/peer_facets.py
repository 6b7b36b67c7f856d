"""Counts the facets of a catalog with DuckDB or tantivy and prints their times as JSON (run by peers.py).

usage: peer_facets.py duckdb|tantivy DATABASE ANSWERS RUNS

ANSWERS is a list of questions with the filters and the counts that were given; other counts end this with
an error. Both hold everything in memory, use as many threads as there are cores, go by dense integers,
and give the counts of every dimension, the total, and the first 20 items by title.

- DuckDB: a table of items and one of (item, value) a dimension, without indexes, which it does not use for
  scans; the items that match are a materialized part of one statement.
- tantivy: a document an item, one segment, multi-valued fast fields, term sets as filters, one terms
  aggregation a dimension; titles are sorted by a fast field that holds their rank.
"""

import json
import os
import sqlite3
import statistics
import sys
import time

KIND = "sfx"
DIMENSIONS = {"locations": "location", "moods": "mood", "sfxThemes": "sfx_theme",
              "creatureTypes": "creature_type"}


def main():
    name, database, answers, runs = sys.argv[1:]
    with open(answers, encoding="utf-8") as file:
        questions = json.load(file)
    source = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    peer = {"duckdb": Duck, "tantivy": Tantivy}[name](source)
    times = []
    for question in questions:
        took = []
        for _ in range(int(runs)):
            start = time.perf_counter()
            counts, total = peer.ask(question["filters"], question["detail"] == "disjunctive")
            took.append((time.perf_counter() - start) * 1_000)
        wanted = {dimension: {int(value): count for value, count in values.items()}
                  for dimension, values in question["counts"].items()}
        if counts != wanted or total != question["total"]:
            sys.exit(f"{name} counts otherwise: {question['filter']} {question['detail']}")
        times.append(statistics.median(took))
    print(json.dumps({"version": peer.version, "settings": peer.settings, "times": times}))


def items(source):
    """Number, id and folded title of each visible item."""
    return source.execute(
        "SELECT number, item_id, title FROM projection_item JOIN projection_item_text USING (number) "
        "WHERE kind = ? AND is_visible = 1", (KIND,)).fetchall()


def taggings(source, table):
    return source.execute(
        f"SELECT number, {table}_id FROM item_{table} JOIN projection_item USING (item_id) "
        "WHERE kind = ? AND is_visible = 1", (KIND,)).fetchall()


class Duck:
    def __init__(self, source):
        import csv
        import tempfile

        import duckdb

        self.base = duckdb.connect(":memory:", config={"threads": os.cpu_count()})
        self.version = duckdb.__version__
        self.settings = f"in memory, {os.cpu_count()} threads"

        def load(table, columns, rows):
            with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows(rows)
                file.flush()
                self.base.execute(f"CREATE TABLE {table} ({columns})")
                self.base.execute(f"COPY {table} FROM '{file.name}' (HEADER false)")

        load("items", "number INTEGER, id VARCHAR, title VARCHAR", items(source))
        for table in DIMENSIONS.values():
            load(table, "number INTEGER, value INTEGER", taggings(source, table))

    def ask(self, filters, disjunctive):
        def matching(without=None):
            conditions = [
                f"number IN (SELECT number FROM {DIMENSIONS[dimension]} WHERE value IN "
                f"({', '.join(map(str, values))}))"
                for dimension, values in filters.items() if values and dimension != without]
            return "SELECT number FROM items" + (" WHERE " + " AND ".join(conditions) if conditions else "")

        names = {}
        for dimension in DIMENSIONS:
            without = dimension if disjunctive and filters.get(dimension) else None
            names[dimension] = f"without_{dimension}" if without else "matched"
        parts = [f"matched AS MATERIALIZED ({matching()})"] + [
            f"{name} AS MATERIALIZED ({matching(dimension)})"
            for dimension, name in names.items() if name != "matched"]
        counts = [f"SELECT '{dimension}', value, count(*) FROM {DIMENSIONS[dimension]} "
                  f"SEMI JOIN {name} USING (number) GROUP BY value" for dimension, name in names.items()]
        rows = self.base.execute(
            f"WITH {', '.join(parts)} SELECT '', 0, count(*) FROM matched UNION ALL "
            + " UNION ALL ".join(counts)).fetchall()
        self.base.execute(
            f"SELECT id, title FROM items SEMI JOIN ({matching()}) USING (number) ORDER BY title, id LIMIT 20"
        ).fetchall()
        answer = {dimension: {} for dimension in DIMENSIONS}
        total = 0
        for dimension, value, count in rows:
            if dimension:
                answer[dimension][value] = count
            else:
                total = count
        return answer, total


class Tantivy:
    def __init__(self, source):
        import tantivy

        self.tantivy = tantivy
        self.version = tantivy.__version__.split(",")[0].replace("tantivy ", "")
        self.settings = "in memory, one segment"
        builder = tantivy.SchemaBuilder()
        builder.add_unsigned_field("rank", fast=True)
        for dimension in DIMENSIONS:
            builder.add_unsigned_field(dimension, indexed=True, fast=True)
        self.schema = builder.build()
        index = tantivy.Index(self.schema)
        # One thread makes one segment, which is the quickest to read.
        writer = index.writer(heap_size=2_000_000_000, num_threads=1)
        values = {}
        for dimension, table in DIMENSIONS.items():
            for number, value in taggings(source, table):
                values.setdefault(number, []).append((dimension, value))
        for rank, (number, _, _) in enumerate(sorted(items(source), key=lambda row: (row[2].encode(), row[1]))):
            document = tantivy.Document()
            document.add_unsigned("rank", rank)
            for dimension, value in values.get(number, []):
                document.add_unsigned(dimension, value)
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self.searcher = index.searcher()
        self.settings += f" ({self.searcher.num_segments})" if self.searcher.num_segments != 1 else ""

    def query(self, filters, without=None):
        tantivy = self.tantivy
        parts = [(tantivy.Occur.Must, tantivy.Query.term_set_query(self.schema, dimension, values))
                 for dimension, values in filters.items() if values and dimension != without]
        return tantivy.Query.boolean_query(parts) if parts else tantivy.Query.all_query()

    def ask(self, filters, disjunctive):
        def terms(dimensions):
            return {dimension: {"terms": {"field": dimension, "size": 200_000, "segment_size": 200_000}}
                    for dimension in dimensions}

        apart = [dimension for dimension in DIMENSIONS if disjunctive and filters.get(dimension)]
        together = [dimension for dimension in DIMENSIONS if dimension not in apart]
        query = self.query(filters)
        found = self.searcher.aggregate(query, terms(together)) if together else {}
        for dimension in apart:
            found.update(self.searcher.aggregate(self.query(filters, dimension), terms([dimension])))
        page = self.searcher.search(query, limit=20, count=True, order_by_field="rank",
                                    order=self.tantivy.Order.Asc)
        return ({dimension: {bucket["key"]: bucket["doc_count"] for bucket in found[dimension]["buckets"]}
                 for dimension in DIMENSIONS}, page.count)


if __name__ == "__main__":
    main()
