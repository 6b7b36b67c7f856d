import ArgumentParser
import CatalogEngine
import CatalogModel
import EventLog
import Projections

// `changes --follow`: the changes of a log as it grows.
extension ChangesCommand {
  /// - Throws: `ValidationError` for options that a list without an end cannot have.
  func requireEndless() throws {
    if to != nil || MomentRange(from) != nil {
      throw ValidationError("--follow has no end: name the earlier moment alone")
    }
    if rows != nil { throw ValidationError("--follow lists every change: leave --rows out") }
    if summary { throw ValidationError("--summary counts what has an end: leave --follow out") }
    if history.options.format == .json, Console.current.shape != .lines {
      throw ValidationError("--follow writes a change a line: name --format jsonl, or text")
    }
  }

  /// Lists what the log has after a moment, and goes on with what is appended.
  ///
  /// - Throws: `EventLogError` with `lostEvents` if the log does not go on from the last batch that was listed: another one has its
  ///   place.
  func followLog() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    var states = try history.states(progress)
    let start = try ComparedMoments(from, nil).found(in: states, latest: .head(back: 0)).from
    var reached = try start.sequence.flatMap {
      $0 == 0 ? nil : try states.log.batch(containing: $0).head
    }
    progress.finish()
    console.write(start, as: "from", besides: history.options.format)
    let deadline = pace.deadline
    while true {
      let asked = ContinuousClock.now
      do {
        let cursor = try states.log.cursor(after: reached)
        // A batch at a time: what is printed does not depend on when the log was asked.
        while let batch = try cursor.nextBatch() {
          states = try withDescription(of: states, progress)
          try write(batch, of: states, to: console)
          progress.finish()
          // The disk may be full on which the answer is kept: the program says so as it ends.
          if console.isOfProcess, Console.outputFailure != nil { return }
          reached = batch.head
        }
      } catch let error as EventLogError where error.code == .unavailable {
        console.error("\(ProgramName.current): \(error)")
      }
      let next = asked + pace.interval
      if let deadline, next > deadline { return }
      try await Task.sleep(until: next, clock: .continuous)
    }
  }

  /// The states with the tables that the log describes now: an event may have changed them.
  private func withDescription(
    of states: PastStates, _ progress: ProgressPrinter
  ) throws -> PastStates {
    guard states.log.kind is any SelfDescribingKind,
      try history.log().kind.fingerprint != states.log.kind.fingerprint
    else { return states }
    return try history.states(progress)
  }

  private func write(_ batch: BatchInfo, of states: PastStates, to console: Console) throws {
    let schema = states.log.kind.schema
    let tables = try schema.tables(named: table, of: states.log) ?? schema.tables
    let steps = try states.steps(
      in: tables, after: batch.firstSequence - 1, through: batch.lastSequence
    ).filter(isAskedFor)
    guard !steps.isEmpty else { return }
    let names = try states.names(through: batch.lastSequence)
    switch history.options.format {
    case .text:
      var values = ValueExcerpts(isWhole: detail.all)
      try write(steps.filter(isShown), names, &values, to: console)
    case .json: try console.write(json: steps.map { try $0.json(names) })
    }
  }
}
