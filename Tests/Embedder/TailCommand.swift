import ArgumentParser
import EventLog

/// Follows a log beside its writers and holds what it sees against what was appended.
struct TailCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "tail")

  @Argument var events: String
  /// Ends behind the batch that holds this event.
  @Option var until: UInt64
  /// Of `append`; without it the events can be any.
  @Option var seed: UInt64?

  func run() async throws {
    let reader = EventLogReader(directory: events)
    let lines = seed.map(AppendedLines.init)
    var last: UInt64 = 0
    for try await element in reader.follow(every: .milliseconds(5)) {
      let batch = element.batch
      guard batch.firstSequence == last + 1, batch.eventCount == UInt64(element.lines.count) else {
        throw Failure(description: "behind event \(last) comes a batch that is not whole: \(batch)")
      }
      for (index, line) in element.lines.enumerated() {
        let sequence = batch.firstSequence + UInt64(index)
        if let lines, lines.line(sequence) != line {
          throw Failure(description: "event \(sequence) is not what was appended")
        }
      }
      last = batch.lastSequence
      Embedder.say("batch \(batch.firstSequence) \(last) \(batch.chain.hex)")
      if last >= until { break }
    }
  }
}
