import CatalogTestSupport
import Foundation

@testable import EventLog

/// A log in a directory of its own, with what was appended to it.
final class LogFixture {
  static let id = LogID(bytes: Array(0..<16))

  let directory: ScratchFolder
  var limits: LogLimits
  /// Lines of each batch that was appended.
  private(set) var batches: [[[UInt8]]] = []
  /// The head after each batch, with the empty one first.
  private(set) var heads: [LogHead] = [.empty(LogFixture.id)]

  var path: String { directory.path + "/events" }
  var head: LogHead { heads[heads.count - 1] }
  var reader: EventLogReader { EventLogReader(directory: path, limits: limits) }

  init(_ limits: LogLimits = .standard) throws {
    directory = try ScratchFolder(inMemory: true)
    self.limits = limits
  }

  func writer(
    knownHeads: [LogHead] = [], wait: Duration? = nil, files: any FileCalls = RealFileCalls()
  ) throws -> EventLogWriter {
    try EventLogWriter(
      directory: path, logID: Self.id, knownHeads: knownHeads, holder: "a test", wait: wait,
      files: files, limits: limits)
  }

  /// Appends a batch and notes it.
  @discardableResult
  func append(_ lines: [[UInt8]], to writer: EventLogWriter) throws -> LogHead {
    let outcome = try writer.append(lines, after: head)
    guard case .appended(let next) = outcome else { throw UnexpectedOutcome(outcome: outcome) }
    note(lines, next)
    return next
  }

  /// Notes a batch that was found in the log.
  func note(_ lines: [[UInt8]], _ head: LogHead) {
    batches.append(lines)
    heads.append(head)
  }

  /// Appends generated batches and closes the writer.
  func fill(_ count: Int, sealing: Bool = false, from generator: inout SeededGenerator) throws {
    let writer = try writer()
    for _ in 0..<count { try append(Lines.batch(from: &generator), to: writer) }
    if sealing { try writer.seal() }
    writer.close()
  }

  /// Names of the segments in order.
  func segments() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path)
      .filter { $0.hasSuffix(".jsonl.zst") && !$0.hasPrefix(".") }.sorted()
  }

  func names() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: path))
  }

  func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path + "/" + name)))
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(filePath: path + "/" + name))
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: path + "/" + name)
  }

  /// All lines of the first batches, each with its line feed.
  func text(_ count: Int? = nil) -> [UInt8] {
    batches.prefix(count ?? batches.count).joined().flatMap { $0 + [0x0A] }
  }
}

struct UnexpectedOutcome: Error {
  let outcome: AppendOutcome
}

extension EventLogWriter {
  func append(_ lines: [[UInt8]], after head: LogHead) throws -> AppendOutcome {
    var batch = try makeBatch(expecting: head)
    for line in lines {
      try line.withUnsafeBytes { try batch.append(line: $0) }
    }
    return try append(batch)
  }
}

/// Events of generated logs.
enum Lines {
  /// A line of this length that compresses no better than hexadecimal digits do.
  static func line(_ length: Int, from generator: inout SeededGenerator) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return (0..<length).map { _ in digits[Int(generator.next() & 15)] }
  }

  static func batch(from generator: inout SeededGenerator) -> [[UInt8]] {
    (0...generator.below(4)).map { _ in line(1 + generator.below(60), from: &generator) }
  }
}
