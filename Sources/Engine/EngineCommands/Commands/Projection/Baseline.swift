import ArgumentParser
import CatalogEngine
import CatalogStore
import EventLog
import Foundation
import Support

/// The side of `projection diff` that another program made, or makes.
enum Baseline {
  /// A program that rebuilds the database.
  case program(String)
  case database(String)
  case receipt(RecordedReceipt)

  /// - Throws: `CatalogError` with `notFound` if there is no file; `ValidationError` if it is none of them.
  init(_ path: String) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue,
      let file = FileHandle(forReadingAtPath: path)
    else { throw CatalogError(.notFound, "there is no file \(path)") }
    defer { try? file.close() }
    let start = try file.read(upToCount: 16) ?? Data()
    if start == Data("SQLite format 3\0".utf8) {
      self = .database(path)
    } else if start.first == UInt8(ascii: "{") {
      self = .receipt(try RecordedReceipt.load(path))
    } else if FileManager.default.isExecutableFile(atPath: path) {
      self = .program(path)
    } else {
      throw ValidationError("\(path) is not a program, a database or a receipt")
    }
  }
}

/// Another release of the program, which rebuilds a database from a copy of the log: it never meets the catalog itself.
struct BaselineProgram: Sendable {
  let path: String
  let timeout: Duration
  private let folder: String

  /// - Parameter folder: gets the copy of the log and the database.
  init(_ path: String, in folder: String, timeout: Duration) {
    self.path = path
    self.folder = folder
    self.timeout = timeout
  }

  private var catalog: String { folder + "/old" }
  var database: String { folder + "/old.sqlite" }

  /// Copies the log, so that both programs read the same events whatever is appended meanwhile.
  func copy(_ log: any LogStore) throws -> any LogStore {
    let events = catalog + "/events"
    try FileManager.default.createDirectory(atPath: events, withIntermediateDirectories: true)
    let copy = EventLogReader(directory: events)
    guard log is EventLogReader else {
      _ = try LogCopy(from: log, to: copy)
      return copy
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: log.place)
    where name.hasSuffix(".jsonl.zst") {
      try FileManager.default.copyItem(atPath: "\(log.place)/\(name)", toPath: "\(events)/\(name)")
    }
    return copy
  }

  /// Runs `rebuild --out`.
  ///
  /// - Throws: `CatalogError` with `verification` if the program fails, with what it says.
  func rebuild() throws {
    var environment = ProcessInfo.processInfo.environment
    environment["CATALOG_HOME"] = nil
    let process = try ChildProcess(
      path, ["rebuild", "--catalog", catalog, "--out", database], environment: environment)
    let (errors, end) = try process.run(within: timeout)
    guard let end else {
      throw CatalogError(
        .verification,
        "\(path) took longer than \(Count.of(Int(timeout.components.seconds), "second")) and was ended; --timeout gives it more"
      )
    }
    let said = String(decoding: errors, as: UTF8.self).trimmingCharacters(in: .newlines)
    guard end == .exit(0), FileManager.default.fileExists(atPath: database) else {
      let how =
        switch end {
        case .exit(let status): "exit status \(status)"
        case .signal(let number): "signal \(number)"
        }
      throw CatalogError(
        .verification, "\(path) rebuild --out failed (\(how))\(said.isEmpty ? "" : ": \(said)")")
    }
  }
}
