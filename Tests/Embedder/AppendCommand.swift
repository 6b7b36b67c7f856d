import ArgumentParser
import EventLog

/// Appends to a log of its own and says each head after `append` returned it.
struct AppendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "append")

  @Argument var events: String
  @Option var seed: UInt64
  /// Batches to append.
  @Option var count = Int.max
  /// Seconds to wait for other writers.
  @Option var wait: Double?
  /// Plain bytes after which a segment is closed and sealed.
  @Option var segment: UInt64 = 256 << 10
  /// Opens and closes the log for each batch.
  @Flag var reopens = false

  func run() throws {
    var writer: EventLogWriter?
    for _ in 0..<count {
      let open = try writer ?? open()
      try append(to: open)
      writer = reopens ? nil : open
      if reopens { open.close() }
    }
    writer?.close()
  }

  private func open() throws -> EventLogWriter {
    var limits = LogLimits.standard
    limits.segment = segment
    let id = LogID(bytes: (0..<16).map { UInt8(truncatingIfNeeded: seed >> (8 * ($0 % 8))) })
    let writer = try EventLogWriter(
      directory: events, logID: id, holder: "embedder", wait: wait.map { .seconds($0) },
      limits: limits)
    Embedder.say("open \(writer.head.sequence) \(writer.head.chain.hex)")
    return writer
  }

  private func append(to writer: EventLogWriter) throws {
    let lines = AppendedLines(seed: seed)
    let first = writer.head.sequence + 1
    var batch = try writer.makeBatch(expecting: writer.head)
    for sequence in first..<first + lines.batchLength(first) {
      try lines.line(sequence).withUnsafeBytes { try batch.append(line: $0) }
    }
    guard case .appended(let head) = try writer.append(batch) else {
      throw Failure(description: "a batch that was never appended is there already")
    }
    Embedder.say("ack \(head.sequence) \(head.chain.hex)")
  }
}
