import CatalogTestSupport
import Foundation
import Testing

/// A page as Python's `html.parser` reads it: a second reader, which is told nothing of how it was made.
struct HTMLPage: Decodable {
  struct Cell: Decodable {
    let text: String
    let value: Int?
  }

  struct Table: Decodable {
    let heads: [String]
    let rows: [[Cell]]
    let foot: [Cell]

    /// The cells below a heading.
    func column(_ name: String) throws -> [Cell] {
      let index = try #require(heads.firstIndex(of: name), "no column \(name) in \(heads)")
      return rows.map { $0[index] }
    }

    /// The sums of a table of numbers, by heading.
    var sums: [String: Int] {
      Dictionary(
        uniqueKeysWithValues: zip(heads, foot).compactMap { head, cell in
          cell.value.map { (head, $0) }
        })
    }
  }

  /// What makes it no page: tags that are not closed, ids that are there twice or not at all, scripts
  /// and styles that are not those of its policy, attributes that carry code.
  let problems: [String]
  /// How often each tag is there.
  let tags: [String: Int]
  /// Values of attributes that make a browser load or follow something.
  let links: [String]
  /// Attributes by id.
  let attributes: [String: [String: String]]
  let tables: [String: Table]
  let policy: String
  /// All text that is shown.
  let text: String

  init(_ path: String) async throws {
    let folder = try ScratchFolder()
    let outcome = try await Program.run(
      "python3", [try folder.write(Self.reader, to: "reader.py"), path])
    try #require(outcome.status == 0, "\(outcome)")
    self = try JSONDecoder().decode(HTMLPage.self, from: Data(outcome.output.utf8))
  }

  func fact(_ name: String) -> String? {
    attributes["facts"]?["data-\(name)"]
  }

  func table(_ id: String) throws -> Table {
    try #require(tables[id], "no table \(id)")
  }

  private static let reader = """
    import base64, hashlib, html.parser, json, sys

    VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source"}
    LOADING = {"src", "href", "srcset", "action", "data", "poster", "xlink:href", "formaction"}

    class Page(html.parser.HTMLParser):
        def __init__(self):
            super().__init__()
            self.open, self.problems, self.links, self.shown = [], [], [], []
            self.tags, self.attributes, self.tables, self.referred = {}, {}, {}, []
            self.policy, self.sources = "", []
            self.table = self.cell = None

        def start(self, tag, pairs):
            names = [name for name, _ in pairs]
            attributes = {name: value or "" for name, value in pairs}
            if len(attributes) != len(names):
                self.problems.append(f"{tag} has an attribute twice")
            self.tags[tag] = self.tags.get(tag, 0) + 1
            for name, value in attributes.items():
                if name in LOADING: self.links.append(value)
                if name.startswith("on") or name == "style":
                    self.problems.append(f"{tag} carries code: {name}")
            if "id" in attributes:
                if attributes["id"] in self.attributes:
                    self.problems.append("the id is there twice: " + attributes["id"])
                self.attributes[attributes["id"]] = attributes
            if "aria-labelledby" in attributes: self.referred.append(attributes["aria-labelledby"])
            if attributes.get("href", "").startswith("#"): self.referred.append(attributes["href"][1:])
            if attributes.get("http-equiv") == "Content-Security-Policy":
                self.policy = attributes["content"]
            return attributes

        def handle_starttag(self, tag, pairs):
            attributes = self.start(tag, pairs)
            if tag not in VOID: self.open.append(tag)
            if tag == "table":
                self.table = self.tables.setdefault(
                    attributes["id"], {"heads": [], "rows": [], "foot": []})
            if tag == "tr": self.row = []
            if tag in ("td", "th"):
                value = attributes.get("data-value")
                self.cell = {"text": "", "value": None if value is None else int(value)}

        def handle_startendtag(self, tag, pairs):
            self.start(tag, pairs)

        def handle_endtag(self, tag):
            if not self.open or self.open[-1] != tag:
                return self.problems.append(f"</{tag}> within {self.open[-3:]} at {self.getpos()}")
            self.open.pop()
            if tag in ("td", "th"):
                self.row.append(self.cell)
                self.cell = None
            if tag == "tr":
                if "thead" in self.open: self.table["heads"] = [cell["text"] for cell in self.row]
                elif "tfoot" in self.open: self.table["foot"] = self.row
                else: self.table["rows"].append(self.row)

        def handle_data(self, data):
            if self.open and self.open[-1] in ("script", "style"):
                digest = base64.b64encode(hashlib.sha256(data.encode()).digest()).decode()
                self.sources.append(f"{self.open[-1]}-src 'sha256-{digest}'")
                return
            self.shown.append(data)
            if self.cell is not None: self.cell["text"] += data

        def handle_comment(self, data): self.problems.append("a comment: " + data)
        def unknown_decl(self, data): self.problems.append("a declaration: " + data)
        def handle_pi(self, data): self.problems.append("an instruction: " + data)

    page = Page()
    with open(sys.argv[1], encoding="utf-8", newline="") as file: page.feed(file.read())
    page.close()
    page.problems += [f"{tag} is left open" for tag in page.open]
    page.problems += [f"no id {name}" for name in page.referred if name not in page.attributes]
    parts = [part.strip() for part in page.policy.split(";")]
    page.problems += [f"not in the policy: {source}" for source in page.sources if source not in parts]
    print(json.dumps({
        "problems": page.problems, "tags": page.tags, "links": page.links, "tables": page.tables,
        "attributes": page.attributes, "policy": page.policy, "text": "".join(page.shown)}))

    """
}
