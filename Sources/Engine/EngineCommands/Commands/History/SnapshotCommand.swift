import ArgumentParser
import CatalogEngine
import EventLog
import Recoveries

struct SnapshotCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot",
    abstract: "Keep past states, to make looking back faster.",
    discussion: """
      A snapshot is the database after one batch, compressed, in the folder snapshots of the catalog. \
      materialize, query, diff and bisect start from the nearest one instead of event 1; verify --thorough \
      compares each with a replay. Each is compared with the log and its own hash before it is used, and can be \
      deleted at any time.
      """,
    subcommands: [
      SnapshotMakeCommand.self, SnapshotListCommand.self, SnapshotRemoveCommand.self,
    ])
}

struct SnapshotMakeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make",
    abstract: "Keep the states after some batches.",
    discussion: """
      \(HistoryOptions.moments)

      Without --at and --count, keeps the state at the log's head. If all snapshots together exceed the \
      budget, unusable ones are removed first, then the one closest to its neighbours; the latest stays.
      """.examples(
        "\(ProgramName.current) snapshot make",
        "\(ProgramName.current) snapshot make --count 8 --budget 500M"))

  @OptionGroup var options: CatalogOptions

  @Option(
    name: .long, help: ArgumentHelp("The moment to keep; can be repeated.", valueName: "when")
  )
  var at: [Moment] = []

  @Option(
    name: .long,
    help: ArgumentHelp("Keep this many states, spread evenly over the batches.", valueName: "n"))
  var count: Int?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The limit for all snapshots together: bytes, or with K, M, G.", valueName: "size"))
  var budget = ByteSize(bytes: Snapshots.standardBudget)

  func validate() throws {
    if let count, !(1...1_000).contains(count) {
      throw ValidationError("--count takes 1 to 1000, not \(count)")
    }
    if at.contains(.live) {
      throw ValidationError("snapshots are created from the log: name sequences or times, not live")
    }
  }

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    try options.directory.requireWritable()
    let log = try options.wholeLog()
    let snapshots = try Snapshots(options.directory, log)
    guard let head = try log.head()?.sequence else { return }
    var sequences: [UInt64] = []
    for moment in at {
      let found = try moment.found(in: log.reader)
      guard let sequence = found.sequence else { continue }
      sequences.append(sequence)
      console.write(found, besides: options.format)
    }
    if let count {
      let ends = try Self.batchEnds(log)
      let parts = min(count, ends.count)
      for part in 0..<parts { sequences.append(ends[(part + 1) * ends.count / parts - 1]) }
    }
    if sequences.isEmpty { sequences = [head] }
    var made: [SnapshotJSON] = []
    for sequence in Set(sequences).sorted() {
      let (snapshot, removed) = try snapshots.make(
        sequence, budget: budget.bytes, progress: progress.observer,
        didPass: { console.error("\(ProgramName.current): warning: \($0)") })
      progress.finish()
      made.append(SnapshotJSON(snapshot))
      if options.format == .text { console.write(snapshot.line) }
      for other in removed {
        console.error("removed to stay within \(Count.bytes(budget.bytes)): \(other.line)")
      }
    }
    if options.format == .json { try console.write(json: made) }
  }

  private static func batchEnds(_ log: CatalogLog) throws -> [UInt64] {
    var ends: [UInt64] = []
    let cursor = try log.cursor()
    while let batch = try cursor.nextBatch() { ends.append(batch.lastSequence) }
    return ends
  }
}

struct SnapshotListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the snapshots, and why any cannot be used.",
    discussion: "Exit status 2 if one cannot be used.".examples(
      "\(ProgramName.current) snapshot list"))

  @OptionGroup var options: CatalogOptions

  func run() async throws {
    let console = Console.current
    let snapshots = try Snapshots(options.directory, options.log()).list(.bytes)
    switch options.format {
    case .text:
      for snapshot in snapshots { console.write(snapshot.line) }
      let bytes = snapshots.reduce(0) { $0 + $1.storedBytes }
      console.write("\(Count.of(snapshots.count, "snapshot")), \(Count.bytes(bytes))")
    case .json: try console.write(json: snapshots.map(SnapshotJSON.init))
    }
    if snapshots.contains(where: { $0.problem != nil }) { throw Exit(status: .findings) }
  }
}

struct SnapshotRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove snapshots: by default those that cannot be used.",
    discussion: "".examples(
      "\(ProgramName.current) snapshot remove", "\(ProgramName.current) snapshot remove --all"))

  @OptionGroup var options: CatalogOptions

  @Argument(help: ArgumentHelp("Sequences of snapshots.", valueName: "sequence"))
  var sequences: [UInt64] = []

  @Flag(name: .long, help: "Remove all snapshots.")
  var all = false

  func validate() throws {
    if all, !sequences.isEmpty {
      throw ValidationError("--all removes every snapshot: do not name sequences with it")
    }
  }

  func run() async throws {
    let console = Console.current
    try options.directory.requireWritable()
    let snapshots = try Snapshots(options.directory, options.log())
    let there = try snapshots.list(.bytes)
    for sequence in sequences where !there.contains(where: { $0.header?.sequence == sequence }) {
      throw CatalogError(
        .notFound,
        "there is no snapshot of event \(sequence); `\(ProgramName.current) snapshot list` lists them"
      )
    }
    let chosen = there.filter { snapshot in
      if all { return true }
      return sequences.isEmpty
        ? snapshot.problem != nil
        : snapshot.header.map { sequences.contains($0.sequence) } ?? false
    }
    // One that cannot be removed does not keep the others.
    var failure: (any Error)?
    var removed: [Snapshots.Snapshot] = []
    for snapshot in chosen {
      do {
        try snapshots.remove(snapshot)
        removed.append(snapshot)
      } catch {
        failure = failure ?? error
      }
    }
    switch options.format {
    case .text: console.write("removed \(Count.of(removed.count, "snapshot"))")
    case .json: try console.write(json: removed.map(SnapshotJSON.init))
    }
    if let failure { throw failure }
  }
}

/// A number of bytes as a person writes it.
struct ByteSize: ExpressibleByArgument {
  let bytes: UInt64

  init(bytes: UInt64) {
    self.bytes = bytes
  }

  init?(argument: String) {
    let units: [Character: UInt64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    let unit = argument.last.flatMap { units[$0] }
    let digits = unit == nil ? argument[...] : argument.dropLast()
    guard !digits.isEmpty, digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
      let number = UInt64(digits)
    else { return nil }
    let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: unit ?? 1)
    guard !isTooLarge else { return nil }
    self.bytes = bytes
  }

  var defaultValueDescription: String {
    bytes >= 1 << 30 && bytes.isMultiple(of: 1 << 30) ? "\(bytes >> 30)G" : "\(bytes)"
  }
}

extension Snapshots.Snapshot {
  fileprivate var line: String {
    let name = header.map { "event \($0.sequence)" } ?? path
    return "\(name)  \(Count.bytes(storedBytes))" + (problem.map { "  not usable: \($0)" } ?? "")
  }
}

private struct SnapshotJSON: Encodable {
  let file: String
  let storedBytes: UInt64
  let sequence: UInt64?
  let chain: String?
  let problem: String?

  init(_ snapshot: Snapshots.Snapshot) {
    file = snapshot.path
    storedBytes = snapshot.storedBytes
    sequence = snapshot.header?.sequence
    chain = snapshot.header?.chain
    problem = snapshot.problem
  }
}
