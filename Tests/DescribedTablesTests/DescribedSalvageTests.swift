import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Batches of a log that describes its tables are damaged, and what can be read is written to a new log.
@Suite(
  "Salvage of catalogs that describe themselves",
  .promise(
    "A salvaged log describes its tables as the old one did, or does without the events that it cannot describe",
    by: "each batch of a log damaged in turn"))
struct DescribedSalvageTests {
  @Test("A salvage says that the description is lost, without which no command opens the log")
  func saysThatTheDescriptionIsLost() throws {
    let shop = try TableShop(
      #"{"kind": "shop", "tables": {"t": {"key": "id", "columns": {"id": "text", "v": "integer"}}}}"#
    )
    try shop.take("t", "id,v\na,1\n")
    let events = shop.catalog + "/events"
    let path = try Self.place(of: 2, in: shop).path
    let whole = try Data(contentsOf: URL(filePath: path))
    for (at, isLost) in [(try Self.place(of: 2, in: shop).offset, true), (whole.count - 40, false)]
    {
      var bytes = whole
      bytes[at + 8] ^= 1
      try bytes.write(to: URL(filePath: path))
      for options in [[], ["--past-gaps"], ["--past-gaps", "--events", events]] {
        let out = shop.folder.file("out-\(isLost)-\(options.count)")
        let salvage = try shop.run(["salvage", out] + options)
        #expect(salvage.status == (isLost && options.count == 3 ? 1 : 2), "\(salvage.everything)")
        // The database has the description.
        let isUnknown = isLost && options.count != 1
        let words =
          options.isEmpty
          ? "no command of this program opens" : "the event that describes its tables is lost"
        #expect(salvage.errors.contains(words) == isUnknown, "\(salvage.everything)")
        let rows = try Program(BuiltProgram.path("catalogctl"), "rows", "t", "--catalog", out)
        #expect((rows.status == 0) != isUnknown, "\(rows.everything)")
      }
    }
  }

  /// The file and the offset of the batch that has an event.
  private static func place(of event: Int, in shop: TableShop) throws -> (path: String, offset: Int)
  {
    let stored = try shop.run("event", "\(event)").output.firstMatch(
      of: /stored: (\S+), offset (\d+)/)
    let place = try #require(stored).output
    return ("\(shop.catalog)/events/\(place.1)", try #require(Int(place.2)))
  }

  /// Damages the batch that has an event.
  private static func damage(_ event: Int, in shop: TableShop) throws {
    try damage(place(of: event, in: shop))
  }

  private static func damage(_ place: (path: String, offset: Int)) throws {
    var bytes = try Data(contentsOf: URL(filePath: place.path))
    bytes[place.offset + 8] ^= 1
    try bytes.write(to: URL(filePath: place.path))
  }

  /// Each batch is lost in turn. The rows are those that the other documents give: the lost one's row is missing, or nothing is,
  /// since the database has the descriptions. Of a description with new names it has too little.
  @Test("A salvage writes lost descriptions again, and describes the tables where the new log does")
  func salvagesDescriptions() throws {
    let first =
      #"{"kind": "shop", "tables": {"t": {"key": "id", "columns": {"id": "text", "v": "integer?"}}}}"#
    let shop = try TableShop(first)
    var batches: [(event: Int, row: String?)] = []
    func head() throws -> Int { try #require(Int(shop.head().prefix { $0 != " " })) }
    func take(_ id: String, _ column: String) throws {
      batches.append((try head() + 1, id))
      let taken = try shop.take("t", "id,\(column)\n\(id),\(id.count)\n", as: id + ".csv")
      #expect(taken.status == 0, "\(taken.everything)")
    }
    func describe(_ columns: String) throws {
      batches.append((try head() + 1, nil))
      let text = first.replacing(#""v": "integer?""#, with: columns)
      let changed = try shop.run("kind", "change", shop.folder.write(text, to: "next.json"))
      #expect(changed.status == 0, "\(changed.everything)")
    }
    batches.append((2, nil))
    for id in ["a", "bb"] { try take(id, "v") }
    try describe(#""v": "integer?", "w": "text?""#)
    for id in ["ccc", "dddd"] { try take(id, "v") }
    try describe(#""price": {"type": "integer?", "was": "v"}, "w": "text?""#)
    let renaming = try #require(batches.last?.event)
    try take("eeeee", "price")
    // It follows on new names, and goes with the one that made them.
    try describe(#""price": "integer?", "w": "text?", "x": "text?""#)
    try take("ffffff", "price")
    let all = try shop.rows("t")
    #expect(all.count == 6)
    for (event, row) in batches {
      let copy = try TableShop(copying: shop)
      try Self.damage(event, in: copy)
      let out = copy.folder.file("out")
      let salvage = try copy.run("salvage", out, "--past-gaps")
      #expect(salvage.status == 2, "\(salvage.everything)")
      func run(_ words: String...) throws -> Program {
        try Program([BuiltProgram.path("catalogctl")] + words + ["--catalog", out])
      }
      let rows = try run("rows", "t", "--csv")
      let left = rows.output.split(separator: "\n").dropFirst().map(String.init)
      if event == renaming {
        #expect(salvage.output.contains("left out  event \(event): kind.described"))
        #expect(rows.output.hasPrefix("id,v,w\n") && left.count == 4, "\(rows.everything)")
      } else {
        #expect(left == all.filter { line in row.map { !line.hasPrefix("\($0),") } ?? true })
        #expect(
          salvage.output.contains("created  event \(event) again") == (row == nil),
          "\(salvage.everything)")
        #expect(!salvage.output.contains("left out"), "\(salvage.everything)")
      }
      #expect(try run("verify").status == 0)
    }
  }

  @Test(
    "A salvage of events alone tells the kind without event 1, and leaves out what an unknown description names"
  )
  func salvagesEventsAlone() throws {
    let kind =
      #"{"kind": "shop", "tables": {"t": {"key": "id", "columns": {"id": "text", "v": "integer?"}}}}"#
    let shop = try TableShop(kind)
    try shop.take("t", "id,v\na,1\n")
    let renamed = kind.replacing(
      #""v": "integer?""#, with: #""price": {"type": "integer?", "was": "v"}"#)
    #expect(
      try shop.run("kind", "change", shop.folder.write(renamed, to: "next.json")).status == 0)
    let change = try #require(Int(shop.head().prefix { $0 != " " }))
    try shop.take("t", "id,price\na,2\nb,3\n", as: "next.csv")
    for event in [1, change] {
      let copy = try TableShop(copying: shop)
      try Self.damage(event, in: copy)
      let out = copy.folder.file("out")
      let salvage = try copy.run(
        "salvage", out, "--past-gaps", "--events", copy.catalog + "/events")
      #expect(salvage.status == 2, "\(salvage.everything)")
      let rows = try Program(
        BuiltProgram.path("catalogctl"), "rows", "t", "--csv", "--catalog", out)
      if event == 1 {
        #expect(rows.output == "id,price\na,2\nb,3\n" && !salvage.output.contains("left out"))
        #expect(salvage.output.contains("kept     events 2 to "), "\(salvage.everything)")
      } else {
        #expect(rows.output == "id,v\na,1\n", "\(rows.everything)")
        #expect(
          salvage.output.contains("rows.put: t has no column \"price\" here"),
          "\(salvage.everything)")
      }
    }
  }

  /// The database has other values of a column that was imported since: only the other one shows the exchange then.
  @Test(
    "A lost description that exchanged names is not written as one that changed nothing",
    arguments: ["", #", "x": "text?""#], [nil, "id,v\na,7\nb,8\nc,9\n"])
  func leavesOutExchangedNames(addition: String, later: String?) throws {
    let first =
      #"{"kind": "shop", "tables": {"t": {"key": "id", "columns": {"id": "text", "v": "integer", "w": "integer"}}}}"#
    let shop = try TableShop(first)
    try shop.take("t", "id,v,w\na,1,100\nb,2,200\nc,3,300\n")
    let exchanged = first.replacing(
      #""v": "integer", "w": "integer""#,
      with: #""w": {"type": "integer", "was": "v"}, "v": {"type": "integer", "was": "w"}"#
        + addition)
    let changed = try shop.run("kind", "change", shop.folder.write(exchanged, to: "next.json"))
    #expect(changed.status == 0, "\(changed.everything)")
    let event = try #require(Int(shop.head().prefix { $0 != " " }))
    if let later {
      let taken = try shop.take("t", later, as: "later.csv", "--part")
      #expect(taken.status == 0, "\(taken.everything)")
    }
    try Self.damage(event, in: shop)
    let out = shop.folder.file("out")
    let salvage = try shop.run("salvage", out, "--past-gaps")
    #expect(
      salvage.output.contains("left out  event \(event): kind.described"), "\(salvage.everything)")
    let rows = try Program(BuiltProgram.path("catalogctl"), "rows", "t", "--csv", "--catalog", out)
    let values = later == nil ? [1, 2, 3] : [7, 8, 9]
    #expect(
      rows.output == "id,v,w\na,\(values[0]),100\nb,\(values[1]),200\nc,\(values[2]),300\n",
      "\(rows.everything)")
  }

  @Test(
    "A lost description is written again even if most values changed in events that are lost, too")
  func toleratesLostValues() throws {
    let first =
      #"{"kind": "shop", "tables": {"t": {"key": "id", "columns": {"id": "text", "v": "integer", "w": "integer"}}}}"#
    let shop = try TableShop(first)
    try shop.take("t", "id,v,w\na,1,1\nb,2,2\n")
    let next = first.replacing(#""w": "integer""#, with: #""w": "integer", "x": "text?""#)
    #expect(
      try shop.run("kind", "change", shop.folder.write(next, to: "next.json")).status == 0)
    let event = try #require(Int(shop.head().prefix { $0 != " " }))
    try shop.take("t", "id,v,w\na,8,1\nb,9,2\n", as: "lost.csv")
    try shop.take("t", "id,v,w,x\nc,3,3,new\n", as: "kept.csv")
    for place in try [Self.place(of: event, in: shop), Self.place(of: event + 1, in: shop)] {
      try Self.damage(place)
    }
    let out = shop.folder.file("out")
    let salvage = try shop.run("salvage", out, "--past-gaps")
    #expect(salvage.output.contains("created  event \(event) again"), "\(salvage.everything)")
    let rows = try Program(BuiltProgram.path("catalogctl"), "rows", "t", "--csv", "--catalog", out)
    #expect(rows.output == "id,v,w,x\na,1,1,\nb,2,2,\nc,3,3,new\n", "\(rows.everything)")
  }

  @Test("Events of which a few are named as those of another kind are not taken for its")
  func doesNotGuessAKind() throws {
    let shop = try TableShop(
      """
      {"kind": "shop", "tables": {"t": {"key": "id", "columns": {"id": "text"}}},
       "events": {"library.show.added": {"data": {"show": "text"},
         "does": [{"put": "t", "row": {"id": "$show"}}]}}}
      """)
    try shop.take("t", "id\na\n")
    try shop.take("t", "id\nb\n", as: "b.csv")
    #expect(try shop.run("record", "library.show.added", "show=c").status == 0)
    // Event 2 describes the tables.
    for place in try [Self.place(of: 1, in: shop), Self.place(of: 2, in: shop)] {
      try Self.damage(place)
    }
    let salvage = try shop.run(
      "salvage", shop.folder.file("out"), "--past-gaps", "--events", shop.catalog + "/events")
    #expect(
      salvage.status == 1 && salvage.errors.contains("most events that are left are of no kind"),
      "\(salvage.everything)")
    #expect(!shop.folder.exists("out"))
  }
}
