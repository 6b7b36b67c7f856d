import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog
import Foundation
import Projections
import Support

struct ProjectionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "projection",
    abstract: "Compare the rows that two programs make of one log.",
    subcommands: [ProjectionDiffCommand.self])
}

struct ProjectionDiffCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show what another version of the program makes otherwise of the log.",
    discussion: """
      OLD is the program of another release, which rebuilds a database from a copy of the log; or a database that it made; \
      or a receipt, of which only the tables that differ can be named. The newer side is what this program makes: the rows \
      of the live database if these are at the same event and their digests prove them, else those of a replay. In a \
      catalog whose log describes its tables, OLD may be a description that is not taken yet: the command shows which \
      tables, columns and values it would change, and takes --drop as `kind change` does.

      Every difference has its table and column, how many rows differ, and the types of the events that last wrote them. \
      If no event of this program wrote a row, the last event that names its key counts. A new or missing table or column, \
      and a declaration that changed, are differences of their own; rows are compared in the columns that both have.

      --allow marks a difference as intended: it is counted, and does not fail. Exit status 2 if anything else differs.
      """.examples(
        "\(ProgramName.current) projection diff ../main/\(ProgramName.current)",
        "\(ProgramName.current) projection diff old.sqlite --allow TABLE.COLUMN --format github",
        "\(ProgramName.current) projection diff kind.json"))

  @OptionGroup var location: CatalogLocation

  @Option(name: .long, help: "Output format; github: annotations of a GitHub workflow.")
  var format: FindingsFormat = .text

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Read a folder of events without a database, for example a copy.", valueName: "dir"),
    completion: .directory)
  var events: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "An intended difference: TABLE.COLUMN, or TABLE for everything of it; may be repeated.",
      valueName: "name"))
  var allow: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp("The database of which OLD is the receipt.", valueName: "file"),
    completion: .file())
  var database: String?

  @Option(
    name: .long,
    help: ArgumentHelp("List at most this many rows of each difference.", valueName: "n"))
  var rows: Int = 3

  @Option(
    name: .long,
    help: ArgumentHelp(
      "End the old program after this many seconds.", valueName: "seconds"))
  var timeout: Int = 3_600

  @Argument(help: "A program, a database or a receipt.", completion: .file())
  var old: String

  func validate() throws {
    try OptionBounds.requireCount(rows, "--rows")
    guard 1...86_400 ~= timeout else {
      throw ValidationError("--timeout takes seconds from 1 to 86400, not \(timeout)")
    }
  }

  func run() async throws { try await format.annotating("Projection", compare) }

  private func compare() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let side = try Baseline(old)
    if database != nil, case .receipt = side {
    } else if database != nil {
      throw ValidationError("--database is for a receipt, and \(old) is not one")
    }
    let (reader, live) = try log()
    var found: (diff: ProjectionDiff, sequence: UInt64)
    switch side {
    case .program(let path):
      found = try await diff(
        with: BaselineProgram(path, in: folder.path, timeout: .seconds(timeout)), reader, live,
        progress)
    case .database(let path):
      found = try await diff(with: path, reader, live, progress)
    case .receipt(let receipt):
      found = try await diff(with: receipt, reader, live, progress)
    }
    progress.finish()
    for name in found.diff.allow(allow) {
      console.error("\(ProgramName.current): warning: --allow \(name) allows nothing that differs")
    }
    try ProjectionDiffOutput(found.diff, through: found.sequence).write(format, to: console)
    if !found.diff.failing.isEmpty { throw Exit(status: .findings) }
  }

  /// The log, and the live database beside it; nil if there is only a log.
  private func log() throws -> (any LogStore, live: CatalogDirectory?) {
    if let events { return (try HistoryOptions.reader(ofEvents: events), nil) }
    return (try location.reader(), try location.directory)
  }

  // MARK: The three forms of the old side

  private func diff(
    with program: BaselineProgram, _ reader: any LogStore, _ live: CatalogDirectory?,
    _ progress: ProgressPrinter
  ) async throws -> (diff: ProjectionDiff, sequence: UInt64) {
    let copy = try program.copy(reader)
    let log = try KnownKinds.current.log(copy, besides: live?.database)
    let head = try log.requireEnd().head
    // Both at once: neither needs the other.
    async let rebuilt: Void = Blocking.run { try program.rebuild() }
    let new = try await Blocking.run {
      try PastDatabase(
        projectionOf: log, at: head, live: live?.database, progress: progress.observer)
    }
    try await rebuilt
    let old = try PastDatabase(file: program.database)
    let made = try state(of: old, program.database)
    guard made.head == head else {
      throw CatalogError(
        .verification,
        "\(program.path) made the state after event \(made.sequence), and the log ends with event \(head.sequence)"
      )
    }
    return (try difference(old, new, log, head.sequence, live), head.sequence)
  }

  private func diff(
    with path: String, _ reader: any LogStore, _ live: CatalogDirectory?,
    _ progress: ProgressPrinter
  ) async throws -> (diff: ProjectionDiff, sequence: UInt64) {
    let log = try KnownKinds.current.log(reader, besides: live?.database)
    let old = try PastDatabase(file: path)
    let checkpoint = try state(of: old, path)
    guard try log.logID() == checkpoint.logID else {
      throw CatalogError(.wrongLog, "\(path) is of log \(checkpoint.logID), which is another one")
    }
    try require(checkpoint.head, in: log, of: path)
    let new = try await Blocking.run {
      try PastDatabase(
        projectionOf: log, at: checkpoint.head, live: live?.database, progress: progress.observer)
    }
    return (try difference(old, new, log, checkpoint.sequence, live), checkpoint.sequence)
  }

  private func diff(
    with receipt: RecordedReceipt, _ reader: any LogStore, _ live: CatalogDirectory?,
    _ progress: ProgressPrinter
  ) async throws -> (diff: ProjectionDiff, sequence: UInt64) {
    let log = try KnownKinds.current.log(reader, besides: live?.database)
    let (id, end) = try log.requireEnd()
    var head = end
    if let recorded = receipt.log {
      guard recorded.id == id.description, let chain = ChainHash(hex: recorded.chain) else {
        throw CatalogError(.wrongLog, "\(old) is of log \(recorded.id), this is log \(id)")
      }
      head = LogHead(sequence: recorded.sequence, chain: chain)
      try require(head, in: log, of: old)
    }
    if let database {
      let checkpoint = try state(of: PastDatabase(file: database), database)
      guard checkpoint.fingerprint.description == receipt.projector,
        receipt.log == nil || checkpoint.head == head
      else {
        throw CatalogError(.verification, "\(old) is not the receipt of \(database)")
      }
      return try await diff(with: database, reader, live, progress)
    }
    let new = try await Blocking.run { [head] in
      try PastDatabase(
        projectionOf: log, at: head, live: live?.database, progress: progress.observer)
    }
    return (try ProjectionDiff(from: receipt, to: new, of: log.kind), head.sequence)
  }

  private func difference(
    _ old: PastDatabase, _ new: PastDatabase, _ log: CatalogLog, _ last: UInt64,
    _ live: CatalogDirectory?
  ) throws -> ProjectionDiff {
    try ProjectionDiff(
      from: old, to: new, of: log, through: last,
      history: live.flatMap { CatalogHistory($0, log) }, examples: rows)
  }

  /// The state of a log that a database has.
  private func state(of database: PastDatabase, _ path: String) throws -> Checkpoint {
    guard let checkpoint = try database.read(Checkpoint.read) else {
      throw CatalogError(.verification, "\(path) has no checkpoint: no projector made it")
    }
    return checkpoint
  }

  /// - Throws: `CatalogError` with `wrongLog` if the log has no batch with this end.
  private func require(_ head: LogHead, in log: CatalogLog, of path: String) throws {
    let end = try log.head()?.sequence ?? 0
    guard 1...max(1, end) ~= head.sequence, try log.batch(containing: head.sequence).head == head
    else {
      throw CatalogError(
        .wrongLog, "\(path) is of event \(head.sequence), which this log has otherwise or lacks")
    }
  }
}
