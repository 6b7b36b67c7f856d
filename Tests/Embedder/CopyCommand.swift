import ArgumentParser
import EventLog

/// Appends the events of a log to a new one in batches of another size, and says how long that took.
/// `Tools/bench` times appending with it, and makes logs of one-event batches.
struct CopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "copy")

  @Argument var events: String
  /// A folder, or an address of a server.
  @Argument var copy: String
  /// Events a batch.
  @Option var batch = 1
  /// Events to append.
  @Option var count = Int.max
  /// Seals the copy at the end.
  @Flag var seals = false

  func run() throws {
    let lines = try read()
    guard let id = try EventLogReader(directory: events).logID() else {
      throw Failure(description: "there is no log in \(events)")
    }
    let writer = try ScanCommand.log(copy).writing(WriterOpening(logID: id, holder: "embedder"))
    let clock = ContinuousClock()
    let took = try clock.measure {
      for first in stride(from: 0, to: lines.count, by: batch) {
        var builder = try writer.makeBatch(expecting: writer.head)
        for line in lines[first..<min(first + batch, lines.count)] {
          try line.withUnsafeBytes { try builder.append(line: $0) }
        }
        _ = try writer.append(builder)
      }
    }
    if seals { _ = try writer.seal() }
    writer.close()
    Embedder.say("\(lines.count) events in \(took / .seconds(1)) s")
  }

  private func read() throws -> [[UInt8]] {
    let cursor = try EventLogReader(directory: events).cursor()
    var lines: [[UInt8]] = []
    while lines.count < count, try cursor.nextBatch() != nil {
      while lines.count < count, let block = try cursor.nextLines() {
        for line in block.bytes.split(separator: 0x0A).prefix(count - lines.count) {
          lines.append(Array(line))
        }
      }
    }
    return lines
  }
}
