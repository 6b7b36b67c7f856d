import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import DescribedTables
import EngineCommands
import Projections

/// Checks the rules of a described kind.
struct RulesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "Check the rules of the catalog's description, now or over the past.",
    discussion: """
      A rule is SQL that must return no row. With --since each batch from that moment on is checked, and the first one that \
      broke a rule is named, also if a later one mended it. Exit status 2 if a rule is broken, or was.
      """.examples("\(ProgramName.current) rules", "\(ProgramName.current) rules --since 1"))

  @OptionGroup var history: HistoryOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Check the states after each batch from this moment on.", valueName: "when"),
    transform: Moment.typed)
  var since: Moment?

  func run() async throws {
    let console = Console.current
    let kind = try history.options.describedKind()
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    let newest = try await history.newest(progress)
    let found = try kind.standingRules.map { rule in
      try Self.finding(rule, history, newest, since, progress)
    }
    progress.finish()
    try console.write(
      history.options.format, json: ["rules": found.map(\.json)] as JSONObject
    ) { console in
      for finding in found { finding.write(to: console) }
      if found.isEmpty { console.write("the description has no rules") }
    }
    if !found.allSatisfy(\.isKnownToHold) { throw Exit(status: .findings) }
  }

  private static func finding(
    _ rule: StandingRule, _ history: HistoryOptions, _ newest: Moment, _ since: Moment?,
    _ progress: ProgressPrinter
  ) throws -> Finding {
    guard let since else {
      let found = try history.database(newest, progress).finding(of: rule)
      return Finding(found.standing, of: rule, batch: nil)
    }
    let states = try history.states(progress)
    let last = try states.log.head()?.sequence ?? 0
    let first = try states.found(since).sequence ?? last
    let search = Bisection(
      SQLTokens.count(ofRowsOf: rule.sql), in: states, patience: .seconds(rule.seconds))
    let points: [Bisection.Point]
    do {
      points = try search.series(from: first, through: last)
    } catch let error as CatalogError where error.isOfTime {
      return Finding(.unknown(rule.stopped.message), of: rule, batch: nil)
    }
    func holds(_ point: Bisection.Point) -> Bool { point.value == .integer(0) }
    let batch = points.firstIndex { !holds($0) }.map {
      $0 == 0 ? first : points[$0].batch.lastSequence
    }
    guard let batch else { return Finding(rule: rule, broken: nil, batch: nil) }
    let then = try history.database(.sequence(batch), progress).finding(of: rule)
    var finding = Finding(then.standing, of: rule, batch: batch)
    let held = points.lastIndex(where: holds)
    if held == points.count - 1 {
      finding.mended = points.last?.batch.lastSequence
    } else if let held, points[...held].contains(where: { !holds($0) }) {
      finding.again = points[held + 1].batch.lastSequence
    }
    return finding
  }

  private struct Finding: Sendable {
    let rule: StandingRule
    let broken: BrokenRule?
    /// Why it was not checked; nil if it was.
    var unknown: String?
    /// The last event of the batch that broke it.
    let batch: UInt64?
    /// The last event of the batch after which it holds again; nil if it is broken at the end of the log.
    var mended: UInt64?
    /// The last event of the batch that broke it again, after it held meanwhile; nil if it was broken all the time, or holds.
    var again: UInt64?

    init(rule: StandingRule, broken: BrokenRule?, batch: UInt64?) {
      (self.rule, self.broken, self.batch) = (rule, broken, batch)
    }

    init(_ standing: RuleFinding.Standing, of rule: StandingRule, batch: UInt64?) {
      switch standing {
      case .holds: self.init(rule: rule, broken: nil, batch: batch)
      case .broken(let broken): self.init(rule: rule, broken: broken, batch: batch)
      case .unknown(let reason):
        self.init(rule: rule, broken: nil, batch: nil)
        unknown = reason
      }
    }

    var isKnownToHold: Bool { broken == nil && unknown == nil }

    func write(to console: Console) {
      if let unknown { return console.write("not checked  \(unknown)") }
      guard let broken else { return console.write("holds   \(rule.name)") }
      let place =
        switch (batch, mended, again) {
        case (let batch?, let mended?, _): " after event \(batch); it holds since event \(mended)"
        case (let batch?, nil, let again?):
          " since event \(batch); it held meanwhile, and is broken again since event \(again)"
        case (let batch?, nil, nil): " since event \(batch)"
        case (nil, _, _): ""
        }
      console.write("broken  \(broken.sentence)\(place)")
    }

    var json: JSONObject {
      [
        "rule": rule.name, "level": (rule.isRequired ? RowRule.Level.refuse : .report).rawValue,
        "holds": isKnownToHold, "rows": broken?.count ?? 0, "since": batch, "until": mended,
        "again": again,
        "unknown": unknown,
      ]
    }
  }
}
