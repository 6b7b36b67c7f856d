import ArgumentParser
import CatalogEngine
import CatalogStore
import Foundation
import Projections

struct DiffCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract:
      "Compare two states of the catalog row by row, and show the events that changed them.",
    discussion: (HistoryOptions.moments
      + " Either side may also be an SQLite file; two files need no catalog, and may be databases of other programs: then "
      + "--key TABLE=COLUMN names the key of a table. The program's own tables (projection_…) are left out unless --all or "
      + "--table asks for them. Text also cuts long values and leaves out columns such as updated_at. A line says how many. "
      + "Exit status 2 if anything differs.").examples(
        "\(ProgramName.current) diff 3533 live",
        "\(ProgramName.current) diff head~1 head",
        "\(ProgramName.current) diff yesterday",
        "\(ProgramName.current) diff 1318f01b --summary",
        "\(ProgramName.current) diff 2026-01-31T12:00:00Z live --summary",
        "\(ProgramName.current) diff live 3533 --sql"))

  @OptionGroup var history: HistoryOptions

  @OptionGroup var shown: DiffOptions

  @OptionGroup var described: DescriptionOptions

  @OptionGroup var script: ScriptOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Without a catalog, for two databases: the columns of a table's key, with commas between them.",
      valueName: "table=column"))
  var key: [String] = []

  @Argument(
    help: "The older side: a moment or a file; or an operation, or a range A..B, alone.",
    completion: .file())
  var from: String

  @Argument(
    help: "The newer side; default live, or the log's head with --events.", completion: .file())
  var to: String?

  func validate() throws {
    try script.requireAlone(history.options.format, summary: shown.summary)
    if let to, MomentRange(from) != nil {
      throw ValidationError("\(from) is a range already: leave \(to) out")
    }
    guard described.asDescribed else { return }
    guard !script.sql else {
      throw ValidationError(
        "--sql makes statements for the database as it is: leave out --as-described")
    }
    let isRange = to == nil && ComparedMoments.range(from) != nil
    guard isRange || Moment(from) != nil, to.map({ Moment($0) != nil }) ?? true else {
      throw ValidationError("--as-described needs two moments, not files")
    }
  }

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    let (from, to) = try sides(progress)
    let moments = [from, to].compactMap(Self.moment)
    // Of two files the log may have nothing.
    let past =
      try moments.isEmpty
      ? nil : described.states(history.states(progress), through: moments)
    if let past, moments.contains(where: { $0 != .live }) { _ = try past.withHistory() }
    let old = try side(from, past, progress)
    let new = try side(to, past, progress)
    guard key.isEmpty else {
      throw ValidationError("--key is for two databases of other programs, without a catalog")
    }
    // In JSON too: an empty array cannot say which state was looked at.
    console.write(old.moment, as: "from")
    console.write(new.moment, as: "to")
    let (kind, found) =
      try past.map { ($0.log.kind, $0) } ?? compared(old, new, from, to, progress)
    let states = try found.flatMap { try named(by: $0, from, to, console) }
    let diff = try shown.difference(
      from: old, to: new, of: kind, events: states, history.options.format, isScript: script.sql)
    progress.finish()
    let moved = states == nil ? [] : Self.movedNames(of: kind, old.sequence, new.sequence)
    if script.sql {
      let sequences = [old, new].compactMap(\.sequence)
      return try write(diff, from, to, of: kind, in: sequences, moved, to: console)
    }
    let output = DiffOutput(
      diff, RowNames(kind, in: [new, old]), hasEvents: states != nil, shown)
    switch history.options.format {
    case .text: try output.write(to: console)
    case .json:
      try console.write(json: output.json(from: old.sequence, to: new.sequence))
      console.write(diff.leftOut, cutValues: 0)
    }
    if !diff.schema.isEmpty {
      console.error(
        "\(ProgramName.current): warning: the schemas differ (\(diff.schema.joined(separator: ", "))); only the rows of the "
          + "catalog's own columns are compared; `\(ProgramName.current) verify` shows what the live database should have"
      )
    }
    let names = described.asDescribed ? "later" : "present"
    for sentence in moved {
      console.error("between them: \(sentence); both sides are shown with the \(names) names")
    }
    if output.hasDifferences { throw Exit(status: .findings) }
  }

  /// The states whose events explain rows; nil if a side is a database that has applied events which the log lacks: a row of such
  /// an event would be given to another one of the same number.
  private func named(
    by states: PastStates, _ from: String, _ to: String, _ console: Console
  ) throws -> PastStates? {
    for side in [from, to] {
      let moment = Self.moment(side)
      let path = moment == nil ? side : moment == .live ? try history.live : nil
      guard let path, let witnesses = HeadEvidence.peek(path),
        case .ahead = try ProjectionStanding(witnesses, in: states.log.reader)
      else { continue }
      console.error(
        "\(ProgramName.current): warning: \(side) has rows of events that the log does not have, so no row is given an event"
      )
      return nil
    }
    return states
  }

  /// Finds what one argument means: both sides of a range or of an operation, or one side beside the newest state.
  private func sides(_ progress: ProgressPrinter) throws -> (from: String, to: String) {
    if let to { return (from, to) }
    guard !FileManager.default.fileExists(atPath: from) else {
      throw ValidationError(
        "\(from) is a file: name a second file or a moment to compare it with")
    }
    let newest = try history.latest() == .live ? "live" : "head"
    // The error of a side says what it can be.
    guard let compared = try? ComparedMoments(from, nil) else { return (from, newest) }
    let states = try history.states(progress)
    guard let range = try compared.range(in: states) else { return (from, newest) }
    let before = try range.beginning(in: states.log, history: states.history)
    let end = try states.found(range.to).sequence.map(String.init) ?? "live"
    Console.current.note(
      "from: after event \(before); to: \(end == "live" ? end : "after event \(end)")")
    return (before == 0 ? "start" : String(before), end)
  }

  /// Sentences about names that a description between two states dropped or changed.
  ///
  /// - Parameters:
  ///   - old: the last event of one state; nil if it is the live database.
  ///   - new: the last event of the other one.
  private static func movedNames(
    of kind: any CatalogKind, _ old: UInt64?, _ new: UInt64?
  ) -> [String] {
    let (old, new) = (old ?? .max, new ?? .max)
    guard let described = kind as? any SelfDescribingKind, old != new else { return [] }
    return described.movedNames(in: min(old, new) + 1...max(old, new))
  }

  /// Writes the differences as statements for the database that the catalog adopted.
  private func write(
    _ diff: HistoryDiff, _ from: String, _ to: String, of kind: any CatalogKind,
    in moments: [UInt64], _ moved: [String],
    to console: Console
  ) throws {
    let adopted = kind as? any AdoptedKind
    let script = try SQLScript(diff) { adopted?.origin(of: $0, in: moments) }
    console.write(
      document: script.text(
        heading: ["The change of the rows from \(from) to \(to)."]
          + moved.map { "Not in this script: \($0)" }))
    if !script.isEmpty { throw Exit(status: .findings) }
  }

  /// The kind of two files, and the states of the log that has their events; nil if they are of another log, or of none that is
  /// here.
  private func compared(
    _ old: PastDatabase, _ new: PastDatabase, _ from: String, _ to: String,
    _ progress: ProgressPrinter
  ) throws -> (any CatalogKind, PastStates?) {
    let checkpoints = [from, to].map { path -> Checkpoint? in
      guard case .checkpoint(let checkpoint)? = HeadEvidence.peek(path)?.claim else { return nil }
      return checkpoint
    }
    var states: PastStates?
    do {
      states = try history.states(progress)
    } catch let error as CatalogError where error.code == .noCatalog {
      // Files alone are compared.
    }
    if let states {
      let id = try states.log.logID()
      if checkpoints.allSatisfy({ $0?.logID == id }) { return (states.log.kind, states) }
    }
    let known = KnownKinds.current
    let found =
      try known.kind(of: old, checkpoints[0]) ?? known.kind(of: new, checkpoints[1])
      ?? states?.log.kind ?? known.kindWithoutLog(to) ?? known.kindWithoutLog(from)
    guard let kind = found else {
      throw ValidationError(
        "neither \(from) nor \(to) is a database of a kind that this program knows: "
          + known.names.joined(separator: ", "))
    }
    return (kind, nil)
  }

  /// - Parameter states: those of the log; nil if no side is a moment.
  private func side(
    _ text: String, _ states: PastStates?, _ progress: ProgressPrinter
  ) throws -> PastDatabase {
    if let states, let moment = Self.moment(text) {
      return try history.database(moment, of: states, progress)
    }
    guard FileManager.default.fileExists(atPath: text) else {
      let fault =
        MomentRange.advice(onMistyped: text)
        ?? "\"\(text)\" is not a sequence or another moment, and not a file"
      throw ValidationError("\(fault); moments are \(Moment.forms)")
    }
    return try PastDatabase(file: text)
  }

  /// The moment that a side names; a file whose name could be the beginning of an operation's id is a file.
  private static func moment(_ text: String) -> Moment? {
    guard let moment = Moment(text) else { return nil }
    if case .operation = moment, FileManager.default.fileExists(atPath: text) { return nil }
    return moment
  }
}
