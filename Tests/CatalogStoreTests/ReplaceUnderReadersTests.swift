import CatalogModel
import CatalogStore
import CatalogTestSupport
import Foundation
import GRDB
import Projections
import Promises
import Testing

/// A rebuilt projection replaces the live one under readers that have it open.
@Suite(
  .promise(
    "Readers see old rows, then new ones, and never a mixture",
    by: "readers of this and of another process"))
struct ReplaceUnderReadersTests {
  private let folder: ScratchFolder
  private let database: ProjectionDatabase

  init() throws {
    folder = try ScratchFolder()
    database = try ProjectionDatabase(path: folder.file("live.sqlite"), migrations: .shelf)
    try Self.write(1, folder.file("first.sqlite"))
    try database.replace(withContentsOf: folder.file("first.sqlite"))
  }

  /// A projection whose every row says the generation: 3,000 × generation sources of that name.
  private static func write(_ generation: Int64, _ path: String) throws {
    let store = MemoryRowStore(schema: ShelfTables.schema)
    for number in 1...3_000 * generation {
      try store.put(
        [.integer(number), .text("generation \(generation), \(number)")],
        in: ShelfTables.source)
    }
    try BulkWriter(.shelf).write(
      store,
      checkpoint: Checkpoint.made(at: UInt64(generation)), to: path)
  }

  private static let look = """
    SELECT (SELECT sequence FROM projection_checkpoint) || ' ' || count(*) || ' '
      || count(DISTINCT substr(name, 1, 12)) || ' ' || min(name) FROM source
    """

  private static func whole(_ generation: Int) -> String {
    "\(generation) \(3_000 * generation) 1 generation \(generation), 1"
  }

  @Test func readerOfThisProcessKeepsItsSnapshot() throws {
    let path = folder.file("second.sqlite")
    try Self.write(2, path)
    let snapshot = try database.pool.makeSnapshot()
    #expect(try snapshot.read { try String.fetchOne($0, sql: Self.look) } == Self.whole(1))
    try database.replace(withContentsOf: path)
    #expect(try snapshot.read { try String.fetchOne($0, sql: Self.look) } == Self.whole(1))
    #expect(try database.pool.read { try String.fetchOne($0, sql: Self.look) } == Self.whole(2))
  }

  @Test func readerOfAnotherProcessSeesTheOldThenTheNew() async throws {
    let path = folder.file("second.sqlite")
    try Self.write(2, path)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", database.path]
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    func ask(_ sql: String) throws -> String {
      input.fileHandleForWriting.write(Data((sql + "\n").utf8))
      return String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    }
    #expect(try ask("BEGIN; \(Self.look);") == Self.whole(1) + "\n")
    try database.replace(withContentsOf: path)
    #expect(try ask("\(Self.look);") == Self.whole(1) + "\n")
    #expect(try ask("COMMIT; \(Self.look);") == Self.whole(2) + "\n")
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test func nobodySeesAnythingBetween() async throws {
    let paths = [folder.file("first.sqlite"), folder.file("second.sqlite")]
    try Self.write(2, paths[1])
    let pool = try database.pool
    let seen = try await withThrowingTaskGroup(of: Set<String>.self) { group in
      for _ in 0..<2 {
        group.addTask {
          var seen: Set<String> = []
          for _ in 0..<60 {
            seen.insert(try await pool.read { try String.fetchOne($0, sql: Self.look) ?? "none" })
          }
          return seen
        }
      }
      for turn in 0..<12 { try database.replace(withContentsOf: paths[(turn + 1) % 2]) }
      return try await group.reduce(into: Set<String>()) { $0.formUnion($1) }
    }
    #expect(seen.isSubset(of: [Self.whole(1), Self.whole(2)]), "\(seen)")
    #expect(!FileManager.default.fileExists(atPath: database.path + "-journal"))
  }
}
