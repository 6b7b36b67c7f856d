import CatalogTestSupport
import Foundation

@testable import EventLog

/// A log in a folder of its own, which goes with it.
final class ScratchLog {
  static let id = LogID(bytes: Array(0x10..<0x20))

  /// The folder above the log's.
  private let folder: ScratchFolder
  let limits: LogLimits

  var parent: String { folder.path }
  var path: String { parent + "/events" }
  var reader: EventLogReader { EventLogReader(directory: path, limits: limits) }

  init(_ limits: LogLimits = .standard) throws {
    folder = try ScratchFolder()
    self.limits = limits
  }

  func writer(
    knownHeads: [LogHead] = [], wait: Duration? = nil, files: any FileCalls = RealFileCalls()
  ) throws -> EventLogWriter {
    try EventLogWriter(
      directory: path, logID: Self.id, knownHeads: knownHeads, holder: "test", wait: wait,
      files: files, limits: limits)
  }

  /// Appends batches, each of these lines, with a writer of its own; the head after each.
  @discardableResult
  func append(_ batches: [[String]], sealing: Bool = false) throws -> [LogHead] {
    let writer = try writer()
    defer { writer.close() }
    let heads = try batches.map { try Self.append($0, to: writer).head }
    if sealing { try writer.seal() }
    return heads
  }

  @discardableResult
  static func append(
    _ lines: [String], to writer: EventLogWriter, after head: LogHead? = nil
  ) throws -> AppendOutcome {
    var batch = try writer.makeBatch(expecting: head ?? writer.head)
    for line in lines {
      try Array(line.utf8).withUnsafeBytes { try batch.append(line: $0) }
    }
    return try writer.append(batch)
  }

  /// Names of the segments in order.
  func segments() throws -> [String] {
    try names().filter { $0.hasSuffix(".jsonl.zst") && !$0.hasPrefix(".") }
  }

  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path + "/" + name)))
  }

  /// Writes in place: the file keeps its identity.
  func write(_ bytes: [UInt8], to name: String) throws {
    let file = try FileHandle(forUpdating: URL(filePath: path + "/" + name))
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: Data(bytes))
    try file.close()
  }

  /// Writes behind the end of a segment, as a writer does: readers may be there.
  func extend(_ name: String, by bytes: some Sequence<UInt8>) throws {
    let file = try LogFile(path + "/" + name, .readWrite, RealFileCalls())
    try file.write(Array(bytes), at: file.size())
  }

  /// Changes a segment in place.
  func change(_ name: String, _ body: (inout [UInt8]) -> Void) throws {
    var bytes = try bytes(name)
    body(&bytes)
    try write(bytes, to: name)
  }
}

extension LogCursor {
  /// The next batch with its lines; nil at the end.
  func nextLinesOfBatch() throws -> [String]? {
    guard try nextBatch() != nil else { return nil }
    return try restOfLines()
  }

  func restOfLines() throws -> [String] {
    var text = ""
    while let block = try nextLines() { text += String(decoding: block.bytes, as: UTF8.self) }
    return text.split(separator: "\n").map(String.init)
  }

  /// All batches to the end of what is there.
  func rest() throws -> [[String]] {
    var batches: [[String]] = []
    while let lines = try nextLinesOfBatch() { batches.append(lines) }
    return batches
  }
}
