"""Tampers with the database of a catalog whose tables are data: see tampering.py."""

import csv
import json

from tampering import Tampering

COLUMNS = ["sku", "name", "category", "vendor", "price", "stock", "ean", "active", "note"]

DESCRIPTION = {
    "kind": "shop", "version": 1,
    "tables": {
        "products": {
            "key": "sku", "indexes": [["category"], ["vendor", "stock"]],
            "columns": {
                "sku": "text", "name": {"type": "text", "name": True}, "category": "text", "vendor": "text?",
                "price": "number", "stock": {"type": "integer", "default": 0},
                "ean": {"type": "text?", "unique": True}, "active": {"type": "flag", "default": True},
                "note": "any?", "synced_at": {"type": "time?", "ignore": "alone"}}},
        "tags": {
            "key": ["product", "tag"], "indexes": [["tag"]],
            "columns": {"product": {"type": "text", "refers": "products", "gone": "remove"}, "tag": "text"}},
        "visits": {"key": "whole row", "columns": {"day": "text", "page": "text?"}}},
    "documents": {"nightly": {"csv": {"empty": "null"}, "rows": {"products": {
        "columns": {name: name for name in COLUMNS}}}}},
    "events": {
        "product.counted": {
            "data": {"sku": "text", "stock": "integer"},
            "needs": [{"row": "products", "key": ["$sku"], "else": "there is no product {sku}"}],
            "does": [{"set": "products", "key": ["$sku"], "to": {"stock": "$stock", "synced_at": "@at"}}]},
        "product.sold": {
            "data": {"sku": "text", "pieces": "integer"},
            "needs": [{"row": "products", "key": ["$sku"], "else": "there is no product {sku}"}],
            "does": [{"add": "products", "key": ["$sku"], "to": {"stock": "$pieces"}}]},
        "product.tagged": {
            "data": {"sku": "text", "tag": "text"},
            "needs": [{"row": "products", "key": ["$sku"], "else": "there is no product {sku}"}],
            "does": [{"put": "tags", "row": {"product": "$sku", "tag": "$tag"}}]},
        "product.gone": {
            "data": {"sku": "text"}, "does": [{"remove": "products", "key": ["$sku"]}]},
        "tag.dropped": {
            "data": {"tag": "text"}, "does": [{"removeAll": "tags", "where": {"tag": "$tag"}}]}},
    "rules": {"every product has a category": {"sql": "SELECT sku FROM products WHERE category = ''"}}}
class TableFiles:
    """The description and the documents of a catalog with a key of one column, one of two, none at all, a unique column, an
    index and a rule."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.skus = [f"SKU-{number:03}" for number in range(40)]
        self.products = [self.night(night) for night in range(3)]
        self.tags = self.written("tags.csv", ["product", "tag"], [
            [sku, tag] for sku in self.skus[::2] for tag in ("new", "sale")])
        self.visits = [self.written(f"visits-{time}.csv", ["day", "page"], [
            [f"day {place % 5}", "" if place % 7 == 0 else f"/{place % 3}"] for place in range(25 + time)])
            for time in range(2)]
        # The commands that make the catalog.
        self.first = [["init", "--describe", str(self.description(1))], ["import", f"nightly={self.products[0]}"]]

    def description(self, version):
        """A description: each one but the first has one more column, and the name of a vendor's column changes."""
        described = json.loads(json.dumps(DESCRIPTION))
        described["version"] = version
        columns = described["tables"]["products"]["columns"]
        for number in range(2, version + 1):
            columns[f"weight_{number}"] = {"type": "number", "default": number / 2}
        if version > 1:
            columns["supplier"] = dict(type="text?", **({"was": "vendor"} if version == 2 else {}))
            del columns["vendor"]
            described["tables"]["products"]["indexes"][1][0] = "supplier"
            given = described["documents"]["nightly"]["rows"]["products"]["columns"]
            given["supplier"] = given.pop("vendor")
        path = self.folder / f"kind-{version}.json"
        path.write_text(json.dumps(described))
        return path

    def written(self, name, header, rows):
        path = self.folder / name
        with open(path, "w", newline="") as file:
            csv.writer(file).writerows([header, *rows])
        return path

    def night(self, night):
        """The products of a night: some change, one goes, one is new, and two exchange a unique value."""
        rows = []
        for number in range(40 + night):
            if night and number == 10 + night:
                continue
            ean = number ^ 1 if night == 2 and number < 2 else number
            rows.append([
                f"SKU-{number:03}", f"Product {number}", "Lamps" if number % 9 == night else "Taps",
                ["Ferrum", "", "Lumen"][number % 3], f"{number + 0.25 * night:.2f}", number * 3 % 50 + night,
                "" if number % 11 == 0 else f"40200{ean:04}", number % 4 != 0,
                ["", "x", number, 0.5][number % 4]])
        return self.written(f"products-{night}.csv", COLUMNS, rows)


class TableTampering(Tampering):
    """A catalog of tables that are data."""

    PARTS = ["category", "stock", "note", "tag"]

    def prepare(self, _):
        files = self.files = TableFiles(self.folder)
        self.last = ["record", "product.gone", "sku=SKU-005"]
        self.begin(files.first, [
            ["import", f"tags={files.tags}"], ["import", f"visits={files.visits[0]}"],
            ["import", f"nightly={files.products[1]}", "--complete"], ["record", "product.tagged", "sku=SKU-001", "tag=odd"],
            ["record", "product.counted", "sku=SKU-002", "stock=5"], ["import", f"visits={files.visits[1]}", "--complete"]])
        for command in (*files.first, ["import", f"visits={files.visits[1]}"], ["history", "make"]):
            self.run(self.other, command, (0,))

    def close(self):
        pass

    def ways(self):
        return [self.change_cells, self.change_cells, self.delete_rows, self.double_rows, self.swap_cells,
                self.change_schema, self.change_own_rows, self.change_digests, self.move_checkpoint,
                self.change_behind_an_index, self.swap_roots, self.change_statements]

    def change_own_rows(self, connection):
        """What the database says of documents, of rows that are equal, and of the description."""
        return self.execute(connection, self.dice.choice([
            "DELETE FROM projection_source", "UPDATE projection_source SET sha256 = hex(sha256)",
            "UPDATE projection_source SET reading = reading || ' part'", "DELETE FROM projection_reverted",
            "UPDATE OR IGNORE visits SET _key = substr(_key, 2) || 'A'", "DELETE FROM projection_description",
            "UPDATE projection_description SET version = version + 1",
            "UPDATE projection_description SET description = replace(description, 'integer', 'any')"]))

    def reading(self):
        sku = self.dice.choice(self.files.skus)
        return self.dice.choice([
            ["head"], ["rows", "products"], ["rows", "products", "category=Lamps", "--csv"], ["rows", "visits"],
            ["rows", "tags", "tag=sale", "--limit", "3"], ["rules"], ["rules", "--since", "1"], ["doctor"], ["receipt"],
            ["verify", "--quick"], ["stats"], ["log", "--newest", "--limit", "3"], ["check"], ["kind", "show"],
            ["blame", "products", sku], ["query", "SELECT count(*) FROM products"],
            ["import", "--dry-run", f"nightly={self.files.products[2]}"],
            ["kind", "change", str(self.files.description(2)), "--dry-run"]])

    def writing(self):
        sku = self.dice.choice(self.files.skus)
        return self.dice.choice([
            ["import", f"nightly={self.dice.choice(self.files.products)}"],
            ["import", f"nightly={self.dice.choice(self.files.products)}", "--complete"],
            ["import", f"nightly={self.files.products[2]}", "--complete", "--scope", "vendor=Ferrum", "--allow-removal"],
            ["import", f"tags={self.files.tags}", "--complete", "--allow-removal"],
            ["import", f"visits={self.dice.choice(self.files.visits)}", "--complete", "--allow-removal"],
            # It writes the time of the event into a row, which the content of the catalog has then.
            ["record", "product.counted", f"sku={sku}", f"stock={self.dice.randrange(9)}", "--at", "2030-01-01T00:00:00Z"],
            ["record", "product.sold", f"sku={sku}", "pieces=-1"],
            ["record", "product.tagged", f"sku={sku}", f"tag={self.dice.choice(['odd', 'new', 'sale'])}"],
            ["record", "product.gone", f"sku={sku}"], ["record", "tag.dropped", "tag=sale"],
            ["kind", "change", str(self.files.description(2))]])
