import CatalogTestSupport
import Foundation
import Testing

/// An import after a revert says how many values of the document differ from the catalog. The number is compared with that of the
/// cells which `--take-reverted` changes, as a script counts them in the databases before and after it.
@Suite struct StayingValuesTests {
  private static let counting = """
    import datetime, sqlite3, sys
    STAMPS = {"updated_at", "last_seen_at", "collection_timestamp", "date_modified"}
    RECORDS = {"data_version"}
    moment = datetime.datetime.fromisoformat(sys.argv[3].replace("Z", "+00:00"))
    own = {moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"), round(moment.timestamp() * 1000)}
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
    before, after = tables(sys.argv[1]), tables(sys.argv[2])
    count = 0
    for table, (columns, key, old) in before.items():
        new = after[table][2]
        for name in old.keys() | new.keys():
            left, right = old.get(name), new.get(name)
            counted = [i for i, column in enumerate(columns) if column not in STAMPS and i not in key]
            if left and right: count += sum(left[i] != right[i] for i in counted)
            elif left: count += max(1, sum(left[i] is not None for i in counted))
            else: count += max(1, sum(right[i] is not None and right[i] not in own for i in counted))
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
    #expect(again.output.contains("nothing new"), "\(again)", sourceLocation: sourceLocation)
  }

  /// How many values the last operation changed, by the script.
  private func count(since before: TestCatalog, _ catalog: TestCatalog) async throws -> Int {
    let last = await catalog.run("log", "--newest", "--limit", "1", "--format", "json")
    let time = try #require(last.output.firstMatch(of: /"at"\s*:\s*"([^"]+)"/)).output.1
    let counted = try await Program.run(
      "python3", ["-c", Self.counting, before.database, catalog.database, String(time)])
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
    // The revision after it says the same, and can be taken.
    let json = try await catalog.importSeed(second, "--dry-run", "--format", "json")
    #expect(json.output.contains("\"newerRevision\" : 3"), "\(json)")
    #expect(try catalog.eventBytes() == bytes)
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
