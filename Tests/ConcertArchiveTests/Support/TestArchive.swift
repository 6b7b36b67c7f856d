import CatalogEngine
import CatalogTestSupport
import ConcertArchive
import Foundation

/// An archive in a folder of its own, and the hand-written packages.
final class TestArchive: Sendable {
  let folder: ScratchFolder
  let archive: ConcertArchive
  private let clock: TestClock

  /// The packages of `Examples/Concerts`: the second is an update of the first.
  static let first = ScratchFolder.repository + "/Examples/Concerts/data-v1.0.0"
  static let second = ScratchFolder.repository + "/Examples/Concerts/data-v1.1.0"

  init() async throws {
    folder = try ScratchFolder()
    clock = TestClock()
    let clock = clock
    archive = try await ConcertArchive.open(
      CatalogDirectory(folder.file("archive")),
      options: OpeningOptions(clock: CatalogClock { clock.next() }))
  }

  deinit { archive.close() }

  /// An archive with the first package.
  static func imported() async throws -> TestArchive {
    let test = try await TestArchive()
    try await test.archive.packages.apply(first)
    return test
  }

  var database: String { folder.file("archive/catalog.sqlite") }

  /// What sqlite3 answers, a row a line.
  func sql(_ statement: String) throws -> [String] {
    try SQLiteShell.rows(of: database, statement)
  }

  /// The ids that a search finds.
  func found(_ query: String) async throws -> [String] {
    try await archive.shows.search(query, limit: 1_000).rows.map(\.line.showID)
  }

  /// A copy of the first package that can be changed.
  func package(_ change: (PackageCopy) throws -> Void) throws -> String {
    let path = folder.file("package-\(UUID().uuidString)")
    try FileManager.default.copyItem(atPath: Self.first, toPath: path)
    try change(PackageCopy(path: path))
    return path
  }
}

/// A package in a folder that can be changed.
struct PackageCopy {
  let path: String

  func write(_ text: String, to name: String) throws {
    try text.write(toFile: "\(path)/\(name)", atomically: true, encoding: .utf8)
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: "\(path)/\(name)")
  }

  func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
  }

  /// Replaces a text that stands in a file.
  func replace(_ old: String, _ new: String, in name: String) throws {
    let text = try text(name)
    guard text.contains(old) else { throw Failed(text: "\(name) has no \(old)") }
    try write(text.replacing(old, with: new), to: name)
  }
}

/// Ids of the hand-written packages.
enum ID {
  static let lanternHall = "1977-05-08-lantern-hall-millbrook-ny-usa"
  static let civicArena = "1977-05-09-civic-arena-millbrook-ny-usa"
  static let broomeArena = "1977-11-06-broome-arena-millbrook-ny-usa"
  static let zephyrRoom = "1970-02-13-zephyr-room-boston-ma-usa"
  static let mercuryRoom = "1970-02-13-mercury-room-boston-ma-usa"
  static let apolloRoom = "1970-02-13-apollo-room-boston-ma-usa"
  static let barn = "1969-01-05-the-barn-ames-ia-usa"
  static let lateBarn = "1969-01-05-the-barn-ames-ia-usa-late-show"
  static let alameda = "1974-07-19-oakdale-alameda-coliseum-oakdale-ca-usa"
  static let stLouis = "1971-12-05-st-louis-armory-st-louis-mo-usa"
  static let harborStage = "1982-05-08-harbor-stage-kingston-jamaica"
}
