import ArgumentParser
import CatalogEngine
import CatalogModel
import EventLog
import Projections

// `changes --follow`: the changes of a log as it grows.
extension ChangesCommand {
  /// - Throws: `ValidationError` for options that need an end.
  func requireNoEnd() throws {
    if to != nil || resumed == nil && MomentRange(from) != nil {
      throw ValidationError("--follow has no end: name the earlier moment alone")
    }
    if rows != nil { throw ValidationError("--follow lists every change: leave --rows out") }
    if summary { throw ValidationError("--summary counts what has an end: leave --follow out") }
    if history.options.format == .json, Console.current.shape != .lines {
      throw ValidationError("--follow writes a change a line: name --format jsonl, or text")
    }
  }

  /// Lists the changes after a moment, and continues with those of appended events.
  ///
  /// - Throws: `EventLogError` with `lostEvents` if the log does not continue from the last batch that was listed: another log
  ///   replaced it. `CatalogError` with `noCatalog` if there is none any more.
  func followLog() async throws {
    let progress = ProgressPrinter(.current)
    defer { progress.finish() }
    var follower = try ChangesFollower(self, progress)
    // From here on what was made for this command alone is removed before the process ends.
    let interruption = Interruption {}
    defer { interruption.end() }
    let deadline = pace.deadline
    var isLast = false
    while true {
      let asked = ContinuousClock.now
      while try follower.listBatch() {
        // The disk may be full on which the answer is kept: the program says so as it ends.
        if Console.current.isOfProcess, Console.outputFailure != nil { return }
        if interruption.wasAsked { throw Exit(status: .interrupted) }
        if let deadline, .now >= deadline { return }
      }
      if isLast { return }
      var next = asked + pace.interval
      if let deadline, next >= deadline { (next, isLast) = (deadline, true) }
      try await interruption.sleep(until: next)
      if interruption.wasAsked { throw Exit(status: .interrupted) }
    }
  }
}

/// Lists the changes of a log batch by batch, so that what is printed does not depend on when the log was asked.
private struct ChangesFollower {
  private let command: ChangesCommand
  private let progress: ProgressPrinter
  private let console = Console.current
  private var states: PastStates
  /// The tables that the log describes, as far as they are asked for.
  private var tables: [TableDescription]
  /// The end of the last batch that was listed; nil before the first one of the log.
  private var reached: LogHead?
  /// Gives the batches that the log has; nil if the log is to be asked anew.
  private var cursor: (any BatchCursor)?
  /// Whether the log's server did not answer when it was asked last.
  private var isSilent = false
  /// The last event of the log when its description was read.
  private var described: UInt64 = 0

  /// - Throws: `ValidationError` for a table that the catalog does not have.
  init(_ command: ChangesCommand, _ progress: ProgressPrinter) throws {
    (self.command, self.progress) = (command, progress)
    // What a reader has of the log is of events that this one does not have.
    if command.history.events == nil,
      let lost = try LostEvents.find(in: command.history.options.directory)
    {
      throw lost
    }
    states = try command.history.states(progress, isGrowing: true)
    let schema = states.log.kind.schema
    tables = try schema.tables(named: command.table, of: states.log) ?? schema.tables
    if let head = command.resumed {
      // Reading on from it finds out whether the log has it; before the first event there is nothing to find it by.
      let log = states.log.reader
      if head.sequence > 0 {
        // The catalog is in order, and what the service kept is of another log: nothing has to be rebuilt.
        if let refusal = try log.refusal(of: head) {
          throw EventLogError(
            .lostEvents,
            "\(refusal.message); if the log is the right one, begin again with a moment of it: `\(ProgramName.current) changes head --follow`",
            file: log.place)
        }
        progress.finish()
        reached = head
      } else if try head != .empty(log.requireEvents().logID) {
        throw EventLogError(
          .lostEvents, "\(log.place) is not the log that was followed", file: log.place
        )
      }
      return
    }
    let ends = try ComparedMoments(command.from, nil)
    let start = try ends.found(in: states, latest: .head(back: 0), startsEarly: true).from
    if let sequence = start.sequence, sequence > 0 {
      let batch = try states.log.batch(containing: sequence)
      reached = batch.head
      // A reader that was ended within the batch has not read all of it.
      if case .sequence(let asked) = ends.from, batch.firstSequence...batch.lastSequence ~= asked,
        asked < sequence
      {
        reached = batch.start
        progress.finish()
        console.note(
          "from: event \(asked) is within the batch of events \(batch.firstSequence) to \(batch.lastSequence), which is listed"
        )
        return
      }
    }
    progress.finish()
    console.write(start, as: "from", besides: command.history.options.format)
  }

  /// Lists the next batch.
  ///
  /// - Returns: false if the log has none now, or if its server does not answer.
  mutating func listBatch() throws -> Bool {
    guard let batch = try nextBatch() else { return false }
    progress.restart()
    let steps = try states.steps(
      in: tables, after: batch.firstSequence - 1, through: batch.lastSequence
    ).filter(command.isAskedFor)
    let names = steps.isEmpty ? nil : try states.names(through: batch.lastSequence)
    progress.finish()
    switch command.history.options.format {
    case .text:
      var values = ValueExcerpts(isWhole: command.detail.all)
      try command.write(steps.filter(command.isShown), names, &values, to: console)
    case .json:
      // The last line alone says that all of the batch was read.
      try console.write(
        json: steps.enumerated().map { place, step in
          let isLast = place == steps.count - 1
          let head = isLast ? batch.head : batch.previousHead
          return try step.json(names, command.values)
            + ["resume": "\(head.sequence):\(head.chain.hex)"]
        })
    }
    reached = batch.head
    return true
  }

  private mutating func nextBatch() throws -> BatchInfo? {
    do {
      if cursor == nil {
        guard try states.log.reader.exists() else {
          throw CatalogError(.noCatalog, "there is no log in \(states.log.reader.place) any more")
        }
        cursor = try states.log.cursor(after: reached)
      }
      let batch = try cursor?.nextBatch()
      if isSilent { console.error("\(ProgramName.current): the server answers again") }
      isSilent = false
      guard let batch else {
        cursor = nil
        return nil
      }
      if batch.lastSequence > described { try takeDescription(of: batch) }
      return batch
    } catch let error as EventLogError where error.code == .unavailable {
      // Once, and not each time that it is asked.
      if !isSilent { console.error("\(ProgramName.current): \(error)") }
      isSilent = true
      cursor = nil
      return nil
    }
  }

  /// Takes the tables that the log describes now, since an event may have changed them.
  ///
  /// - Throws: `CatalogError` with `notFound` if none of the tables is left that are asked for.
  private mutating func takeDescription(of batch: BatchInfo) throws {
    guard states.log.kind is any SelfDescribingKind else { return }
    // The end first: a description that is read after it is that of all events up to it.
    described = try states.log.head()?.sequence ?? 0
    guard try command.history.log().kind.fingerprint != states.log.kind.fingerprint else { return }
    states = try command.history.states(progress, isGrowing: true)
    let schema = states.log.kind.schema
    tables = schema.tables.filter { command.table.isEmpty || command.table.contains($0.name) }
    guard !tables.isEmpty else {
      throw CatalogError(
        .notFound,
        "the catalog does not have the table \(command.table.joined(separator: ", ")) any more")
    }
    console.error(
      "\(ProgramName.current): the description of the tables changed: lines from event \(batch.firstSequence) on have the "
        + "new columns; read the tables again, since what a new column holds in earlier rows is not listed"
    )
  }
}
