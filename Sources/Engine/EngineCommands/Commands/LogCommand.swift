package import ArgumentParser
import CatalogEngine
import CatalogModel
import EventLog
import Foundation

package struct LogCommand<Own: OwnEventFilter>: AsyncParsableCommand {
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "log",
      abstract: "List events: one line each, or JSON Lines.",
      discussion: "Events must match all options.".examples(
        "\(ProgramName.current) log --newest -n 5",
        "\(ProgramName.current) log 3534..3600",
        "\(ProgramName.current) log --operations --since yesterday",
        "\(ProgramName.current) log --by person --since 2026-01-31 --until yesterday",
        "\(ProgramName.current) log --format json | jq -r .type | sort | uniq -c"))
  }

  @OptionGroup var history: HistoryOptions
  @OptionGroup var type: EventTypeFilter
  @OptionGroup var own: Own
  @OptionGroup var filter: EventFilter

  @Argument(
    help: ArgumentHelp(
      "Only these events: 3534, 3534..3600, head~3..head, yesterday, or those of an operation by its id or the beginning of it.",
      valueName: "events"),
    transform: OperationName.typed)
  var events: OperationName?

  @Option(name: .long, help: ArgumentHelp("Only events after this sequence.", valueName: "seq"))
  var after: UInt64 = 0

  @Option(name: .long, help: ArgumentHelp("Only events up to this sequence.", valueName: "seq"))
  var through: UInt64?

  @Option(
    name: [.long, .customShort("n")],
    help: ArgumentHelp("List at most this many events.", valueName: "n"))
  var limit: Int?

  @Flag(name: .long, help: "Show the newest first.")
  var newest = false

  @Flag(
    name: .long,
    help:
      "List operations, a line each: events, time, source, how many events of each type, documents and the reason."
  )
  var operations = false

  @Flag(name: .long, help: "Wait for new events and show them, until interrupted.")
  var follow = false

  package init() {}

  package func validate() throws {
    try OptionBounds.requireCount(limit, "--limit")
    if newest, follow {
      throw ValidationError("--newest and --follow cannot be combined")
    }
    if operations, follow {
      throw ValidationError("--operations and --follow cannot be combined")
    }
    if through != nil, follow {
      throw ValidationError("--through and --follow cannot be combined")
    }
    if events != nil, follow {
      throw ValidationError("events that are named are in the log already: leave --follow out")
    }
    if newest, limit == nil, let number = onlyNumber {
      throw ValidationError("--newest takes no number. Did you mean '--limit \(number)'?")
    }
    if events != nil, after > 0 || through != nil {
      throw ValidationError(
        "events and --after or --through cannot be combined: name the events as FIRST..LAST")
    }
  }

  package func run() async throws {
    let console = Console.current
    let log: any LogStore
    do {
      log = try history.reader()
    } catch {
      // A slip of the fingers is told before a missing catalog is.
      try type.requireKnown()
      throw error
    }
    try type.require(in: log)
    try filter.op?.requireOne(in: log)
    var bounds = try filter.bounds { try history.log() }
    if let day { bounds.narrow(to: day) }
    guard after < .max else { return }
    let chosen = try chosen(in: log)
    let start = chosen.map { $0.lowerBound - 1 } ?? after
    let end = chosen.map { $0.upperBound - 1 } ?? through
    if console.shape == .csv, !operations { console.write(document: EventLine.csvHeader) }
    if operations {
      // A log of a kind that this program does not know is listed all the same.
      let kind = (try? history.log())?.kind
      return try OperationList(
        log, after: start, through: end ?? .max, kind
      ) { try matches($0, $1, within: bounds) }.write(
        newest: newest, limit: limit, history.options.format, to: console)
    }
    if newest {
      guard let last = try log.head()?.sequence else { throw ValidationError("the log is empty") }
      let found = try EventSearch(
        log, after: start, newestFrom: min(last, end ?? last), limit: limit,
        { try matches($0, $1, within: bounds) })
      for (event, json) in found.events { write(event, json, to: console) }
      if found.events.isEmpty { try noteNothing(in: log, console) }
      return
    }
    var (left, hasMore) = (limit ?? .max, false)
    // A person sees which end of the log is shown; a program that wants so many events is not kept waiting for one more.
    let looksFurther = history.options.format == .text && console.shape != .csv && !follow
    var head: LogHead?
    do {
      head = try forEach(after: start, through: end ?? .max, in: log, within: bounds) {
        event, json in
        hasMore = left == 0
        if hasMore { return false }
        write(event, json, to: console)
        left -= 1
        return left > 0 || looksFurther
      }
    } catch let error as EventLogError where error.isDamage && left == 0 {
      // All that was asked for is shown.
    }
    if left == limit ?? .max, !follow { try noteNothing(in: log, console) }
    // Some programs take a number for how many they list.
    if let number = onlyNumber, number > 1, chosen?.lowerBound == number, limit == nil {
      console.note("event \(number) alone; --limit \(number) lists as many")
    }
    if hasMore {
      console.note(
        "\(Count.of(limit ?? 0, "event")), the oldest; --newest begins with the last one")
    }
    if follow, left > 0 { try await follow(log, after: head, left, console, within: bounds) }
  }

  /// The sequence of the only event that was named; nil if others were, or none.
  private var onlyNumber: UInt64? {
    guard case .events(let events) = events, events.count == 1 else { return nil }
    return events.lowerBound
  }

  /// The times of the day or the month that was named; nil if events were named otherwise, or not at all.
  private var day: ClosedRange<Timestamp>? {
    guard case .range(let range) = events, let times = range.onlyTimes,
      times.lowerBound < times.upperBound
    else { return nil }
    return times
  }

  /// The events that were named; nil if all are listed, or those of a day.
  private func chosen(in log: any LogStore) throws -> Range<UInt64>? {
    guard let events, day == nil else { return nil }
    // A part of a batch is listed, though no command takes one back.
    if case .events(let events) = events, let head = try log.head(),
      events.upperBound <= head.sequence
    {
      return events.lowerBound..<events.upperBound + 1
    }
    let whole = try history.log()
    do {
      let range = try OperationRange(showing: events, in: whole)
      return range.first..<range.last + 1
    } catch let error as CatalogError where error.code == .noMoment {
      // A list of the events since a time is empty if there are none.
      guard case .range(let range) = events, let end = try? range.end(ifEmptyIn: whole) else {
        throw error
      }
      return end + 1..<end + 1
    }
  }

  private func matches(
    _ event: EventEnvelope, _ json: String, within bounds: EventBounds
  ) throws -> Bool {
    guard bounds.contains(event) else { return false }
    if let type = type.type, event.type != type { return false }
    return try filter.matches(event, json) && own.matches(event, json)
  }

  /// Hands over the events that are wanted, oldest first, until `body` says that it has enough.
  ///
  /// - Returns: how far the log was read.
  private func forEach(
    after: UInt64, through last: UInt64 = .max, in log: any LogStore,
    within bounds: EventBounds, _ body: (EventEnvelope, String) throws -> Bool
  ) throws -> LogHead? {
    var head = try log.start(before: after + 1)
    let cursor = try log.cursor(after: head)
    var decoder = EnvelopeDecoder()
    var isDone = false
    while !isDone, let batch = try cursor.nextBatch() {
      try cursor.forEachLine { line, sequence in
        guard !isDone, sequence > after, sequence <= last else { return }
        let event = try decoder.decode(line: line, expecting: sequence)
        let json = String(decoding: line, as: UTF8.self)
        if try matches(event, json, within: bounds) { isDone = try !body(event, json) }
      }
      head = batch.head
      if batch.lastSequence >= last { isDone = true }
    }
    return head
  }

  private func follow(
    _ log: any LogStore, after head: LogHead?, _ limit: Int, _ console: Console,
    within bounds: EventBounds
  ) async throws {
    var left = limit
    var decoder = EnvelopeDecoder()
    for try await element in log.follow(after: head) {
      for (index, line) in element.lines.enumerated() {
        let event = try decoder.decode(
          line: line, expecting: element.batch.firstSequence + UInt64(index))
        let json = String(decoding: line, as: UTF8.self)
        guard event.sequence > after, try matches(event, json, within: bounds) else { continue }
        write(event, json, to: console)
        left -= 1
        if left == 0 { return }
      }
    }
  }

  /// Says that no event was found, and what may have been meant.
  private func noteNothing(in log: any LogStore, _ console: Console) throws {
    console.note("0 events")
    if filter.grep != nil { console.note("--grep distinguishes capital and small letters") }
    if let by = filter.by {
      let sources = try LogStatistics(of: log, largest: 0).sources.byBytes.map(\.name)
      if !sources.contains(by) {
        console.note("known sources: " + sources.sorted().joined(separator: ", "))
      }
    }
  }

  private func write(_ event: EventEnvelope, _ json: String, to console: Console) {
    if console.shape == .csv {
      console.write(document: EventLine.csv(event, json: json))
    } else if history.options.format == .json {
      console.write(jsonText: json)
    } else {
      console.write(EventLine.text(event, json: json))
    }
  }
}

extension LogStore {
  /// The batch boundary before a sequence; nil at the beginning of the log.
  func start(before sequence: UInt64) throws -> LogHead? {
    guard let end = try head() else { throw ValidationError("the log is empty") }
    // After the head there is nothing, which is no error when listing.
    guard sequence >= 1, sequence <= end.sequence else { return sequence <= 1 ? nil : end }
    return try batch(containing: sequence).start
  }
}
