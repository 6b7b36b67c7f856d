import CatalogTestSupport
import Foundation
import Promises
import Testing

/// An import after a revert says how many values of the document differ from the catalog. The number is compared with that of the
/// cells which `--take-reverted` changes, as a script counts them in the databases before and after it.
@Suite(
  .promise(
    "An import of a document that stays reverted says how many of its values differ from "
      + "the catalog",
    by: "compared with the cells that `--take-reverted` changes, counted by a script"))
struct StayingValuesTests {
  private static let counting = """
    import bisect, sqlite3, sys
    STAMPS = {"updated_at", "last_seen_at", "collection_timestamp", "date_modified"}
    TIMES = {"created_at", "date_added", "imported_at", "library_added_at", "added_to_library_at"}
    RECORDS = {"data_version"}
    LISTS = {
        "pack_item": ("pack_id", "item_id", "sort_order"), "collection_tracks": ("collection_id", "track_id", "position"),
        "collection_shows": ("collection_id", "show_id", "position")}
    def tables(path):
        base = sqlite3.connect(path)
        schema = base.execute("SELECT name, sql LIKE 'CREATE VIRTUAL%' FROM sqlite_schema WHERE type = 'table'").fetchall()
        searches = tuple(name for name, isVirtual in schema if isVirtual)
        names = [name for name, _ in schema if not name.startswith(searches + ("projection_", "sqlite_", "grdb_"))]
        found = {}
        for table in names:
            if table in RECORDS: continue
            info = base.execute(f'PRAGMA table_info("{table}")').fetchall()
            key = [i for i, column in enumerate(info) if column[5]]
            if not key: continue
            columns = [column[1] for column in info]
            found[table] = (columns, key, {
                tuple(row[i] for i in key): row for row in base.execute(f'SELECT * FROM "{table}"')})
        return found
    def of_list(columns, rows, table):
        places = [columns.index(column) for column in LISTS[table]]
        lists = {}
        for row in rows.values():
            name, member, place = (row[i] for i in places)
            lists.setdefault(name, []).append((place, member))
        def numbered(members):
            return [(member, members[:place].count(member)) for place, member in enumerate(members)]
        return {name: numbered([member for _, member in sorted(members)]) for name, members in lists.items()}
    def moves(old, new):
        order = [old.index(member) for member in new if member in old]
        tails = []
        for place in order:
            at = bisect.bisect_left(tails, place)
            tails[at:at + 1] = [place]
        return len(order) - len(tails)
    before, after = tables(sys.argv[1]), tables(sys.argv[2])
    count = 0
    for table, (columns, key, old) in before.items():
        new = after[table][2]
        if table in LISTS:
            left, right = of_list(columns, old, table), of_list(columns, new, table)
            for name in left.keys() | right.keys():
                one, other = left.get(name, []), right.get(name, [])
                count += len(set(one) ^ set(other)) + moves(one, other)
            continue
        for name in old.keys() | new.keys():
            left, right = old.get(name), new.get(name)
            counted = [i for i, column in enumerate(columns) if column not in STAMPS and i not in key]
            if left and right: count += sum(left[i] != right[i] for i in counted)
            else: count += max(1, sum((left or right)[i] is not None and columns[i] not in TIMES for i in counted))
    print(count)
    """

  /// Imports a document that stays reverted, and takes it.
  private func compare(
    _ catalog: TestCatalog, _ command: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    func run(_ options: String...) async -> Outcome {
      await InProcess.run(command + ["--catalog", catalog.path] + options)
    }
    func number(in outcome: Outcome) throws -> Int {
      try #require(outcome.status == 0, "\(outcome)", sourceLocation: sourceLocation)
      #expect(!outcome.output.contains("nothing new"), "\(outcome)", sourceLocation: sourceLocation)
      let line = try #require(
        outcome.errors.firstMatch(
          of:
            /stays reverted: ([0-9,]+) values? of this document differs? from the catalog; --take-reverted takes (it|them)/
        ), "\(outcome)", sourceLocation: sourceLocation)
      return try #require(Int(line.output.1.replacing(",", with: "")))
    }
    let planned = try number(in: await run("--dry-run"))
    let said = try number(in: await run())
    let json = await run("--format", "json")
    #expect(
      json.output.contains("\"differing\" : \(said)"), "\(json)", sourceLocation: sourceLocation)
    let before = try catalog.copy()
    let taken = await run("--take-reverted")
    #expect(taken.status == 0, "\(taken)", sourceLocation: sourceLocation)
    let changed = try await count(since: before, catalog)
    #expect(said > 0 && planned == said && changed == said, sourceLocation: sourceLocation)
    // A document that was taken is known.
    let again = await run()
    #expect(
      again.output.contains("nothing new") && !again.errors.contains("revert"), "\(again)",
      sourceLocation: sourceLocation)
  }

  /// How many values the last operation changed, by the script.
  private func count(since before: TestCatalog, _ catalog: TestCatalog) async throws -> Int {
    let counted = try await Program.run(
      "python3", ["-c", Self.counting, before.database, catalog.database])
    return try #require(
      Int(counted.output.trimmingCharacters(in: .newlines)), "\(counted.errors)")
  }

  private func revertLast(_ catalog: TestCatalog) async throws {
    let last = await catalog.run("log", "--newest", "--limit", "1", "--format", "json")
    let operation = try #require(last.output.firstMatch(of: /"op"\s*:\s*"([^"]+)"/)).output.1
    let reverted = await catalog.run("revert", String(operation))
    try #require(reverted.status == 0, "\(reverted)")
  }

  @Test func aSeed() async throws {
    let catalog = try await TestCatalog.imported()
    try await catalog.importSeed(SampleSeed.text(revision: 2))
    try await revertLast(catalog)
    try await compare(
      catalog, ["import", catalog.folder.file("seed.json"), "--at", TestCatalog.time])
  }

  /// One member comes and one moves: the places of the others do not count, and neither do the times of imports.
  @Test func aSeedThatChangesAList() async throws {
    let catalog = try TestCatalog()
    for (version, hour) in [("1", "08"), ("2", "09")] {
      let text = """
        {"format":1,"seedId":"small","revision":\(version),"dimensions":{"moods":["Cozy"]},"packs":[
         {"id":"\(SampleSeed.id(90))","kind":"sfx","title":"Pack","version":1,
          "manifestUrl":"https://packs.example.com/p.json","items":[
         \((version == "1" ? [1, 2, 3, 4] : [4, 5, 1, 2, 3]).map { number in
           "{\"id\":\"\(SampleSeed.id(number))\",\"title\":\"Item \(number)\",\"tags\":{\"moods\":[\"Cozy\"]}}"
         }.joined(separator: ","))]}]}
        """
      let seed = try catalog.folder.write(text, to: "seed.json")
      let done = await catalog.run("import", seed, "--at", "2026-01-01T\(hour):00:00.000Z")
      try #require(done.status == 0, "\(done)")
    }
    try await revertLast(catalog)
    try await compare(catalog, ["import", catalog.folder.file("seed.json")])
  }

  @Test func aPackageOfConcerts() async throws {
    let archive = try TestCatalog()
    let package = ScratchFolder.repository + "/Examples/Concerts/data-v1."
    _ = await archive.run("init", "--kind", "concert-archive")
    _ = await archive.run("shows", "import", package + "0.0")
    _ = await archive.run("shows", "import", package + "1.0")
    try await revertLast(archive)
    try await compare(archive, ["shows", "import", package + "1.0"])
  }

  @Test func documentsOfTracks() async throws {
    let examples = ScratchFolder.repository + "/Examples/Tracks/"
    let library = try TestCatalog()
    _ = await library.run("init", "--kind", "track-library")
    _ = await library.run("tracks", "import", examples + "morning.m3u8")
    _ = await library.run("tracks", "import", examples + "iTunes.xml")
    try await revertLast(library)
    try await compare(library, ["tracks", "import", examples + "iTunes.xml"])
  }

  /// One of two documents stays reverted: the values that the other one brings do not count.
  @Test func aSetOfWhichOneDocumentStaysReverted() async throws {
    let examples = ScratchFolder.repository + "/Examples/Tracks/"
    let library = try TestCatalog()
    _ = await library.run("init", "--kind", "track-library")
    _ = await library.run("tracks", "import", examples + "iTunes.xml")
    try await revertLast(library)
    let both = ["tracks", "import", examples + "iTunes.xml", examples + "library.json"]
    let planned = await InProcess.run(both + ["--catalog", library.path, "--dry-run"])
    let done = await InProcess.run(both + ["--catalog", library.path])
    func sentence(_ outcome: Outcome) -> Substring? {
      outcome.errors.split(separator: "\n").first { $0.hasPrefix("stays reverted: ") }
    }
    #expect(planned.output.contains("would append") && done.output.contains("appended"))
    let said = try #require(sentence(done), "\(done)")
    #expect(sentence(planned) == said)
    let alone = await library.run("tracks", "import", examples + "iTunes.xml")
    #expect(sentence(alone) == said, "\(alone)")
    try await compare(library, ["tracks", "import", examples + "iTunes.xml"])
  }

  /// A library that was imported before is left out, unless a revert of another operation may have taken what it says.
  @Test func aLaterLibraryOfTracks() async throws {
    let library = try TestCatalog()
    func write(_ name: String, _ titles: [String]) throws -> String {
      let tracks = titles.enumerated().map { place, title in
        #"{"id": "5A0E7C1B-63D2-4C11-9C62-7C0B1D1F0A0\#(place)", "title": "\#(title)", "artist": "X", "album": "L", "duration": 9\#(place), "fileURL": "file:///Music/\#(place).mp3"}"#
      }
      return try library.folder.write(
        #"{"tracks": [\#(tracks.joined(separator: ", "))], "collections": []}"#, to: name)
    }
    let first = try write("one.json", ["a", "b", "c"])
    let second = try write("two.json", ["a", "b", "d", "e"])
    _ = await library.run("init", "--kind", "track-library")
    _ = await library.run("tracks", "import", first)
    let end = try await library.head().sequence
    _ = await library.run("tracks", "import", second)
    let known = await library.run("tracks", "import", second)
    #expect(known.output.contains("nothing new") && !known.errors.contains("stays reverted"))
    let plain = await library.run("tracks", "import", second, "--take-reverted")
    #expect(plain.output.contains("nothing new"), "\(plain)")
    let reverted = await library.run("revert", "2..\(end)")
    #expect(reverted.output.contains("reverted"), "\(reverted)")
    try await compare(library, ["tracks", "import", second])
    let again = await library.run("tracks", "import", second)
    #expect(again.output.contains("nothing new"), "\(again)")
    #expect(!again.errors.contains("stays reverted"), "\(again)")
  }

  /// One of two files of an import stays reverted: the values of the other do not count.
  @Test func twoTablesOfWhichOneStaysReverted() async throws {
    let catalog = try TestCatalog()
    func write(_ name: String, _ value: (Int) -> Int) throws -> String {
      let rows = (1...40).map { "row \($0),\(value($0))\n" }.joined()
      return try catalog.folder.write("id,v\n" + rows, to: name)
    }
    let files = (t: try write("t1.csv") { $0 % 3 }, u: try write("u1.csv") { $0 % 3 })
    let made = await catalog.run("init", "--table", "t=\(files.t)", "--table", "u=\(files.u)")
    try #require(made.status == 0, "\(made)")
    let imported = await catalog.run("import", "t=\(files.t)", "u=\(files.u)")
    try #require(imported.status == 0, "\(imported)")
    let second = try write("t2.csv") { $0 == 7 ? 9 : $0 % 3 }
    _ = await catalog.run("import", "t=\(second)")
    try await revertLast(catalog)
    let other = try write("u2.csv") { $0 < 6 ? 9 : $0 % 3 }
    let alone = await catalog.run("import", "t=\(second)")
    let both = await catalog.run("import", "t=\(second)", "u=\(other)")
    let planned = await catalog.run("import", "t=\(second)", "u=\(other)", "--dry-run")
    for outcome in [alone, both, planned] {
      #expect(
        outcome.errors.contains("stays reverted: 1 value of this document differs"), "\(outcome)")
    }
    let sentence = "u2.csv was not imported, as the import of another document stays reverted"
    #expect(!alone.errors.contains(sentence))
    #expect(both.errors.contains(sentence) && planned.errors.contains(sentence), "\(both)")
  }

  @Test func tables() async throws {
    let catalog = try TestCatalog()
    let first = try catalog.folder.write("id,v,w\na,1,x\nb,2,y\nd,4,\n", to: "first.csv")
    let second = try catalog.folder.write("id,v,w\na,9,\nb,2,y\nc,3,z\n", to: "second.csv")
    let made = await catalog.run("init", "--table", "t=\(first)", "--key", "id")
    try #require(made.status == 0, "\(made)")
    for file in [first, second] {
      _ = await catalog.run("import", "t=\(file)", "--complete")
    }
    try await revertLast(catalog)
    try await compare(catalog, ["import", "t=\(second)", "--complete"])
  }

  /// A document that is older than the catalog's newest one can be compared, though it cannot be taken.
  @Test func anOlderSeedIsComparedToo() async throws {
    let catalog = try await TestCatalog.imported()
    let second = SampleSeed.text(revision: 2)
    try await catalog.importSeed(second)
    try await revertLast(catalog)
    let corrected = SampleSeed.text(revision: 1).replacingOccurrences(
      of: "\"revision\":1,", with: "\"revision\":3,")
    let third = try await catalog.importSeed(corrected)
    try #require(third.status == 0, "\(third)")
    let bytes = try catalog.eventBytes()
    let older = try await catalog.importSeed(second)
    #expect(older.status == 0 && older.output.contains("stays reverted, 0 events"), "\(older)")
    let said = try #require(
      older.errors.firstMatch(
        of:
          /stays reverted: ([0-9,]+) values of this document differ from the catalog; it cannot be taken, as the catalog has revision 3/
      ), "\(older)")
    let json = try await catalog.importSeed(second, "--dry-run", "--format", "json")
    #expect(json.output.contains("\"newerRevision\" : 3"), "\(json)")
    #expect(try catalog.eventBytes() == bytes)
    // The revision after it says the same, and can be taken.
    let before = try catalog.copy()
    let same = try await catalog.importSeed(
      second.replacingOccurrences(of: "\"revision\":2,", with: "\"revision\":4,"))
    try #require(same.output.contains("appended"), "\(same)")
    #expect(try await "\(count(since: before, catalog))" == said.output.1)
  }

  @Test func anOlderPackageSaysWhatTakesIt() async throws {
    let archive = try TestCatalog()
    let package = ScratchFolder.repository + "/Examples/Concerts/data-v1."
    _ = await archive.run("init", "--kind", "concert-archive")
    _ = await archive.run("shows", "import", package + "0.0")
    try await revertLast(archive)
    _ = await archive.run("shows", "import", package + "1.0")
    let older = await archive.run("shows", "import", package + "0.0")
    #expect(older.status == 0 && older.output.contains("stays reverted, 0 events"), "\(older)")
    #expect(
      older.errors.contains(
        "differ from the catalog; --take-reverted takes it only with --force, as the archive has 1.1.0"
      ), "\(older)")
    let taken = await archive.run(
      "shows", "import", package + "0.0", "--take-reverted", "--force")
    #expect(taken.status == 0 && taken.output.contains("appended"), "\(taken)")
  }
}
