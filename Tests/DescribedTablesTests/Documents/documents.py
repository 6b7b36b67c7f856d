#!/usr/bin/env python3
"""Writes documents with random values, in random dialects, and beside each what Python's own readers find in it.

usage: documents.py SEED COUNT FOLDER

N.csv or N.json, and N.expected.json: {"kind": the description, "name": the document, "tables": {table: rows}}, where each
row is an object of columns. Numbers are texts, as repr and str write them, so that nothing is rounded on the way.
"""
import csv
import gzip
import io
import json
import random
import sys

TEXTS = ["", "plain", "two words", "a,b", "a;b", "a\tb", "a|b", "say \"hi\"", "5\" pipe", "line\nbreak", "cr\r\nlf",
         "\u00fcber", "caf\u00e9", "cafe\u0301", "\u20ac 5", "NULL", "007", "1e3", " spaces ", "'quoted'", "{\"a\":1}",
         "x" * 300]
BEYOND = ["\u6771\u4eac", "\U0001F600 smile", "\u0391\u03b8\u03ae\u03bd\u03b1"]


def text(random_, encoding):
    value = random_.choice(TEXTS + ([] if encoding in ("cp1252", "latin-1") else BEYOND))
    if encoding == "latin-1":
        value = value.replace("\u20ac", "EUR").replace("e\u0301", "\u00e9")
    if encoding == "cp1252":
        value = value.replace("e\u0301", "\u00e9")
    return value


def integer(random_):
    return random_.choice([0, 1, -1, 7, 127, 128, -128, -129, 255, 256, 2**31, 2**53, 2**53 + 1, 2**63 - 1, -2**63,
                           random_.randint(-10**18, 10**18)])


def number(random_):
    return random_.choice(["0", "1", "-1.5", "36.80", "0.1", "12345.678", "99999999.99", "0.000001",
                           str(random_.randint(0, 10**9) / 100), repr(random_.random()), "2.5e10"])


TYPES = ["text", "text?", "integer", "integer?", "number", "number?", "flag", "time?"]


def spelt(random_, kind, encoding, decimal):
    """A value as a document has it."""
    if kind.endswith("?") and random_.random() < 0.2:
        return ""
    kind = kind.rstrip("?")
    if kind == "text":
        return text(random_, encoding)
    if kind == "integer":
        return str(integer(random_))
    if kind == "number":
        return number(random_).replace(".", decimal)
    if kind == "flag":
        return random_.choice(["0", "1", "true", "false"])
    return random_.choice(["2026-01-31T12:00:00Z", "2026-01-31 14:30:05", "2026-02-01", "2026-01-31T12:00:00.250+02:00"])


TIMES = {"2026-01-31T12:00:00Z": "2026-01-31T12:00:00.000Z", "2026-01-31 14:30:05": "2026-01-31T14:30:05.000Z",
         "2026-02-01": "2026-02-01T00:00:00.000Z", "2026-01-31T12:00:00.250+02:00": "2026-01-31T10:00:00.250Z"}


def meant(cell, kind, decimal):
    """The value of a cell that Python's reader found."""
    if cell == "":
        return "" if kind.startswith("text") else None
    kind = kind.rstrip("?")
    if kind == "text":
        return cell
    if kind == "integer":
        return {"integer": str(int(cell))}
    if kind == "number":
        return {"real": repr(float(cell.replace(decimal, ".")))}
    if kind == "flag":
        return {"integer": "1" if cell in ("1", "true") else "0"}
    return TIMES[cell]


def csv_document(random_, path):
    encoding = random_.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1"])
    separator = random_.choice(",;\t|")
    decimal = random_.choice(".,")
    end = random_.choice(["\n", "\r\n"])
    kinds = [random_.choice(TYPES) for _ in range(random_.randint(1, 8))]
    names = ["key"] + [f"c{i}" for i in range(len(kinds))]
    columns = dict(zip(names, ["text"] + kinds))
    # The header has other names for some columns.
    sources = {name: random_.choice(["{}", "Col. {}", "\u00dc \"{}\""]).format(name) for name in names}
    header = names[:]
    random_.shuffle(header)
    output = io.StringIO(newline="")
    quoting = random_.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    writer = csv.writer(output, delimiter=separator, lineterminator=end, quoting=quoting)
    writer.writerow([sources[name] for name in header])
    for place in range(random_.randint(1, 60)):
        row = {"key": f"k{place}"}
        for name, kind in zip(names[1:], kinds):
            row[name] = spelt(random_, kind, encoding, decimal)
        writer.writerow([row[name] for name in header])
    written = output.getvalue()
    if random_.random() < 0.3:
        written = written[:-len(end)]
    data = written.encode(encoding)
    packed = random_.random() < 0.2
    with open(path + (".gz" if packed else ""), "wb") as file:
        file.write(gzip.compress(data) if packed else data)
    # Independent of what was written: Python reads the bytes again.
    found = csv.reader(io.StringIO(data.decode(encoding), newline=""), delimiter=separator)
    known = {source: name for name, source in sources.items()}
    first = [known[source] for source in next(found)]
    rows = [{name: meant(cell, columns[name], decimal) for name, cell in zip(first, row)} for row in found]
    form = {"decimal": decimal, "separator": separator}
    if encoding in ("cp1252", "latin-1"):
        form["encoding"] = encoding
    kind = {"kind": "k", "tables": {"rows": {"key": "key", "columns": columns}}, "documents": {"d": {"csv": form, "rows": {"rows": {"columns": sources}}}}}
    return {"kind": kind, "name": "d", "file": path + (".gz" if packed else ""), "tables": {"rows": rows}}


def json_value(random_, kind):
    if kind.endswith("?") and random_.random() < 0.2:
        return None
    kind = kind.rstrip("?")
    if kind == "text":
        return text(random_, "utf-8")
    if kind == "integer":
        return integer(random_)
    if kind == "number":
        return float(number(random_))
    if kind == "flag":
        return random_.choice([True, False])
    return random_.choice(list(TIMES))


def json_meant(value, kind):
    if value is None:
        return None
    kind = kind.rstrip("?")
    if kind in ("integer", "flag"):
        return {"integer": str(int(value))}
    if kind == "number":
        return {"real": repr(float(value))}
    if kind == "time":
        return TIMES[value]
    return value


def json_document(random_, path):
    kinds = [random_.choice(TYPES) for _ in range(random_.randint(1, 5))]
    names = [f"c{i}" for i in range(len(kinds))]
    shape = random_.choice(["map", "array", "lines", "nested"])
    items = {}
    for place in range(random_.randint(1, 40)):
        item = {}
        for name, kind in zip(names, kinds):
            value = json_value(random_, kind)
            if value is not None or random_.random() < 0.5:
                item[name] = value
        item["tags"] = random_.sample(["a", "b", "c", "\u00fc", "d e"], random_.randint(0, 3))
        item["prices"] = [{"from": start, "amount": random_.randint(0, 99)} for start in range(random_.randint(0, 3))]
        order = list(item)
        random_.shuffle(order)
        items[f"id {place}"] = {name: item[name] for name in order}
    listed = [dict(item, id=key) for key, item in items.items()]
    document, at = {
        "map": (items, "{id}"), "array": (listed, "[id]"), "lines": (listed, "[id]"),
        "nested": ({"count": len(items), "data": {"items": items}}, "data.items.{id}")}[shape]
    with open(path, "w", encoding="utf-8") as file:
        if shape == "lines":
            for item in document:
                file.write(json.dumps(item, ensure_ascii=random_.random() < 0.5) + "\n")
        else:
            json.dump(document, file, ensure_ascii=random_.random() < 0.5, indent=random_.choice([None, 1]))
    with open(path, encoding="utf-8") as file:
        again = [json.loads(line) for line in file] if shape == "lines" else json.load(file)
    if shape == "nested":
        again = again["data"]["items"]
    pairs = again.items() if isinstance(again, dict) else [(item["id"], item) for item in again]
    main, tags, prices = [], [], []
    for key, item in pairs:
        main.append(dict({"id": key}, **{n: json_meant(item.get(n), k) for n, k in zip(names, kinds)}))
        tags += [{"id": key, "tag": tag} for tag in item["tags"]]
        prices += [{"id": key, "place": {"integer": str(place)}, "amount": {"integer": str(price["amount"])}}
                   for place, price in enumerate(item["prices"])]
    described = {
        "rows": {"main": {"at": at}, "tags": {"at": at + ".tags[]", "columns": {"tag": "@"}},
                 "prices": {"at": at + ".prices[#place]"}},
        "ignore": ["from"], ("jsonl" if shape == "lines" else "json"): {}}
    if shape == "nested":
        described["count"] = "count"
    kind = {
        "kind": "k",
        "tables": {
            "main": {"key": "id", "columns": dict({"id": "text"}, **dict(zip(names, kinds)))},
            "tags": {"key": ["id", "tag"], "columns": {"id": "text", "tag": "text"}},
            "prices": {"key": ["id", "place"], "columns": {"id": "text", "place": "integer", "amount": "integer"}}},
        "documents": {"d": described}}
    return {"kind": kind, "name": "d", "file": path, "tables": {"main": main, "tags": tags, "prices": prices}}


def main(seed, count, folder):
    random_ = random.Random(int(seed))
    with open(f"{folder}/expected.jsonl", "w", encoding="utf-8") as file:
        for place in range(int(count)):
            make = random_.choice([csv_document, json_document])
            found = make(random_, f"{folder}/{place}.{'csv' if make is csv_document else 'json'}")
            file.write(json.dumps(found, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
