package import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog
import Foundation
import Logging
package import Projections

/// Takes operations of a catalog back at random, one after the other, and holds each revert against a plain model.
///
/// The model knows nothing of the planner: it has the rows before an operation, after it, and now, and says of each row whether
/// it may change. A row that stays needs a reason, and the model looks whether that is true.
package final class RevertTrial<Kind: CatalogKind> {
  /// The rows of a state, by table and key.
  package typealias Rows = [[[Value]: [Value]]]

  /// How much was tried.
  private struct Tally {
    var operations = 0
    var reverts = 0
    var reversedReverts = 0
  }

  private let kind: Kind
  private let folder: TemporaryFolder
  private let catalog: EventCatalog<Kind>
  private let store: MemoryRowStore
  /// The rows of the store.
  private var rows: Rows
  /// The end of what the store has.
  private var head: LogHead?
  private let invariant: (NamedRows) -> String?
  private let parts: [RevertPart]
  /// The rows after each batch, with its first and last event; that of the creation first.
  private var moments: [(events: ClosedRange<UInt64>, isRevert: Bool, rows: Rows)] = []
  private var tally = Tally()
  package let directory: CatalogDirectory

  /// - Parameter invariant: what is wrong with rows that no log of the kind makes; nil if nothing is.
  /// - Parameter parts: parts of operations that are restored, too, of a kind whose rows have no bundles, sets or lists.
  package init(
    _ kind: Kind, parts: [RevertPart] = [], invariant: @escaping (NamedRows) -> String?
  ) throws {
    self.kind = kind
    self.parts = parts
    self.invariant = invariant
    folder = try TemporaryFolder()
    directory = CatalogDirectory(folder.path + "/catalog")
    let options = OpeningOptions(
      logger: Logger(label: "reverts") { _ in SwiftLogNoOpLogHandler() })
    catalog = EventCatalog(kind, try OpenedCatalog.open(directory, kind, options: options))
    _ = try catalog.opened.create(by: "trial")
    store = MemoryRowStore(schema: kind.schema)
    rows = kind.schema.tables.map { _ in [:] }
    head = try catalog.opened.log.head()
    moments = [(1...1, false, rows)]
  }

  deinit {
    catalog.close()
    folder.remove()
  }

  // MARK: Steps

  /// Batches of one to six events.
  package static func batches(_ count: Int, _ event: () -> Kind.Event) -> [[Kind.Event]] {
    (0..<count).map { place in (0...(place % 6)).map { _ in event() } }
  }

  /// Appends the batches in their order, with reverts between them and after them.
  ///
  /// - Parameter reverts: how many, at least.
  /// - Returns: the first thing that is wrong, for a person; nil if nothing is. That no revert was reverted is wrong, too.
  package func run(_ batches: [[Kind.Event]], reverts: Int, seed: UInt64) throws -> String? {
    var random = SplitMixer(seed: seed)
    var waiting = batches[...]
    while !waiting.isEmpty || tally.reverts < reverts {
      let isRevert = moments.count > 3 && (waiting.isEmpty || random.below(3) == 0)
      if isRevert {
        if let finding = try revertSomething(&random) { return "\(finding) (seed \(seed))" }
      } else {
        let last = tally.operations
        while tally.operations == last, let batch = waiting.popFirst() { try append(batch) }
        if let finding = invariant(NamedRows(schema: kind.schema, rows: rows)) {
          return "event \(moments[moments.count - 1].events.upperBound): \(finding) (seed \(seed))"
        }
      }
      if (tally.operations + tally.reverts) % 16 == 0, let finding = try databaseFinding() {
        return "\(finding) (seed \(seed))"
      }
    }
    guard tally.reversedReverts > 0 else {
      return "of \(tally.reverts) reverts none was reverted (seed \(seed))"
    }
    return try databaseFinding()
  }

  /// Appends events; those that contradict the rows are left out.
  private func append(_ events: [Kind.Event]) throws {
    for events in [events] + (events.count > 1 ? events.map { [$0] } : []) {
      do {
        let change = try catalog.changeNow(by: "trial") { _ in events }
        guard change.events > 0 else { return }
        try apply(change)
        tally.operations += 1
        if events.count > 1 { return }
      } catch let error as ProjectionError where error.code == .contradiction {
        continue
      }
    }
  }

  /// Brings the rows of the model up to date, from the lines of the log.
  private func apply(_ change: ChangeReport, isRevert: Bool = false) throws {
    let first = moments[moments.count - 1].events.upperBound + 1
    let log = catalog.opened.log
    guard let head = try log.head(), let id = try log.logID() else { return }
    let replay = try EventReplay(log, after: self.head)
    let applier = EventApplier(id, kind)
    // States share the tables in which they agree.
    let observed = ObservedRowStore(store) { [self] change in
      rows[change.table.ordinal][change.key] = change.after
    }
    while try replay.nextBatch({ try applier.apply($0, $1, to: observed) }) != nil {}
    self.head = head
    moments.append((first...head.sequence, isRevert, rows))
  }

  private func revertNow(
    _ events: ClosedRange<UInt64>, _ part: RevertPart, isForced: Bool
  ) throws -> (conflicts: [RevertConflict], change: ChangeReport) {
    let (draft, change) = try catalog.revertNow(
      .events(events), part, reason: "a trial", isForced: isForced)
    return (draft.conflicts, change)
  }

  private func revertSomething(_ random: inout SplitMixer) throws -> String? {
    let last = 1 + random.below(moments.count - 1)
    let first = random.below(4) == 0 ? max(1, last - random.below(4)) : last
    let events = moments[first].events.lowerBound...moments[last].events.upperBound
    let isForced = random.below(4) == 0
    // Without parts the numbers that are drawn are those of earlier trials.
    let place = parts.isEmpty ? 0 : random.below(parts.count * 2)
    let part = place < parts.count && !parts.isEmpty ? parts[place] : RevertPart()
    let words =
      "a revert of events \(events.lowerBound) to \(events.upperBound)"
      + (isForced ? ", forced" : "") + (part.isWhole ? "" : ", of \(part)")
      + " at event \(moments[moments.count - 1].events.upperBound)"
    let (conflicts, change) = try revertNow(events, part, isForced: isForced)
    guard change.events > 0 else {
      let model = RevertModel(
        kind, before: moments[first - 1].rows, after: moments[last].rows, now: rows, then: rows,
        through: events.upperBound, isForced: isForced, part: part)
      return try model.finding(conflicts).map { "\(words): \($0)" }
    }
    let now = rows
    try apply(change, isRevert: true)
    tally.reverts += 1
    if moments[last].isRevert { tally.reversedReverts += 1 }
    let then = rows
    let model = RevertModel(
      kind, before: moments[first - 1].rows, after: moments[last].rows, now: now, then: then,
      through: events.upperBound, isForced: isForced, part: part)
    if let finding = try model.finding(conflicts) ?? model.dangling() {
      return "\(words): \(finding)"
    }
    if let finding = invariant(NamedRows(schema: kind.schema, rows: then)) {
      return "\(words): \(finding)"
    }
    let second = try revertNow(events, part, isForced: isForced)
    guard second.change.events == 0 else { return "\(words): a second one has something to do" }
    let again = RevertModel(
      kind, before: moments[first - 1].rows, after: moments[last].rows, now: then, then: then,
      through: events.upperBound, isForced: isForced, part: part)
    return try again.finding(second.conflicts).map { "a second time \(words): \($0)" }
  }

  /// Names a fault of the database: other rows than a fold of the log, or a row that refers to none.
  private func databaseFinding() throws -> String? {
    if let dangling = try catalog.opened.projection.danglingReferences(limit: 1).first {
      return "\(dangling)"
    }
    let path = folder.path + "/fold.sqlite"
    try? FileManager.default.removeItem(atPath: path)
    try ProjectionRebuild(catalog.opened.log).write(to: path)
    guard
      try ProjectionFile.receipt(of: directory.database, kind.schema)
        == ProjectionFile.receipt(of: path, kind.schema)
    else {
      return "the database has other rows than a fold of the log"
    }
    return nil
  }
}

/// The rows of a state by the names of tables and columns.
package struct NamedRows {
  fileprivate let schema: Schema
  fileprivate let rows: [[[Value]: [Value]]]

  package subscript(table: String) -> [[String: Value]] {
    guard let table = schema.tables.first(where: { $0.name == table }) else { return [] }
    return rows[table.ordinal].values.map { row in
      Dictionary(uniqueKeysWithValues: zip(table.columns.map(\.name), row))
    }
  }

  /// The values of some columns, row by row.
  package func values(_ table: String, _ columns: String...) -> [[Value]] {
    self[table].map { row in columns.map { row[$0] ?? .null } }
  }

  /// The first list whose places are not 0, 1, 2, …; nil if there is none.
  package func gap(_ table: String, _ place: String, in list: String..., from first: Int64 = 0)
    -> String?
  {
    let rows = Dictionary(grouping: self[table]) { row in list.map { row[$0] ?? .null } }
    return rows.first { _, rows in
      let places = rows.map { $0[place] ?? .null }
      return Set(places) != Set(rows.indices.map { .integer(Int64($0) + first) })
    }.map { "\(table) \($0.key) has a gap" }
  }
}

/// SplitMix64, the same on every machine.
private struct SplitMixer {
  var seed: UInt64

  mutating func below(_ bound: Int) -> Int {
    seed &+= 0x9E37_79B9_7F4A_7C15
    var mixed = seed
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ mixed >> 31) % UInt64(bound))
  }
}
