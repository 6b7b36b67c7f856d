public import CatalogModel
import CatalogStore
package import EventLog
import GRDB
import Support

/// An operation of a log as a person names it: by its id, by the beginning of its id, or by its events.
public enum OperationName: Hashable, Sendable {
  case id(EntityID)
  /// At least four characters of an id, in lower case.
  case prefix(String)
  /// Whole batches, by their events.
  case events(ClosedRange<UInt64>)
  /// Whole batches, by the moments at which they begin and end.
  indirect case range(MomentRange)

  /// Reads `1318f01b-…`, `1318f01b`, `3534` or `3534..3600`; `head` for the last batch, `head~3..head` for the last three,
  /// `yesterday`. Any other text gives nil. Digits alone are a sequence, unless they begin with 0.
  public init?(_ text: String) {
    if let events = Self.events(text) {
      self = .events(events)
    } else if let id = OperationName(id: text) {
      self = id
    } else if let range = MomentRange(text) ?? MomentRange(whole: text) {
      self = .range(range)
    } else {
      return nil
    }
  }

  /// The forms that `init(_:)` reads, for a person who wrote another one.
  package static let forms = """
    its id or the first four characters of it or more, its events as in 3534 or 3534..3600, head for the last batch, \
    head~3..head for the last three, a date, or yesterday
    """

  /// Reads `1318f01b-…` or `1318f01b`: digits alone are the beginning of an id.
  package init?(id text: String) {
    if let id = EntityID(text) {
      self = .id(id)
    } else if Self.isPrefix(text) {
      self = .prefix(text.lowercased())
    } else {
      return nil
    }
  }

  private static func events(_ text: String) -> ClosedRange<UInt64>? {
    func sequence(_ text: Substring) -> UInt64? {
      guard text.utf8.allSatisfy(\.isASCIIDigit), !text.hasPrefix("0") else { return nil }
      return UInt64(text)
    }
    guard let dots = text.firstRange(of: "..") else {
      return sequence(text[...]).map { $0...$0 }
    }
    guard let first = sequence(text[..<dots.lowerBound]),
      let last = sequence(text[dots.upperBound...]), first <= last
    else { return nil }
    return first...last
  }

  static let leastPrefix = 4

  private static func isPrefix(_ text: String) -> Bool {
    leastPrefix..<36 ~= text.utf8.count
      && text.utf8.enumerated().allSatisfy { place, byte in
        let isDash = [8, 13, 18, 23].contains(place)
        return isDash == (byte == UInt8(ascii: "-")) && (isDash || byte.hexValue != nil)
      }
  }
}

extension OperationName {
  /// Whether it is the id of an operation, or the beginning of it.
  package func isName(of operation: EntityID) -> Bool {
    switch self {
    case .id(let id): id == operation
    case .prefix(let prefix): operation.description.hasPrefix(prefix)
    case .events, .range: false
    }
  }

  /// - Throws: `CatalogError` with `notFound` if the ids of several operations of a log begin so.
  package func requireOne(in log: any LogStore) throws {
    guard case .prefix(let prefix) = self else { return }
    var found: [EntityID] = []
    let cursor = try log.cursor()
    var decoder = EnvelopeDecoder()
    while try cursor.nextBatch() != nil {
      try cursor.forEachLine { line, sequence in
        let operation = try decoder.decode(line: line, expecting: sequence).operation
        if found.last != operation, isName(of: operation) { found.append(operation) }
      }
    }
    try Self.requireOne(of: found.withoutRepetitions, prefix)
  }

  fileprivate static func requireOne(of operations: [EntityID], _ prefix: String) throws {
    guard operations.count > 1 else { return }
    let list = operations.prefix(5).map(\.description).joined(separator: ", ")
    throw CatalogError(
      .notFound,
      "\(operations.count) operations begin with \(prefix): \(list)\(operations.count > 5 ? ", …" : ""); name more of the id"
    )
  }
}

extension OperationName: CustomStringConvertible {
  public var description: String {
    switch self {
    case .id(let id): id.description
    case .prefix(let prefix): prefix
    case .events(let events) where events.count == 1: "\(events.lowerBound)"
    case .events(let events): "\(events.lowerBound)..\(events.upperBound)"
    case .range(let range): range.text
    }
  }
}

/// Whole batches of a log, one after another, that can be left out or taken back: the events of an operation, or of several.
package struct OperationRange: Hashable, Sendable {
  package let first: UInt64
  package let last: UInt64
  /// In the order of the log.
  package let operations: [EntityID]
  /// The batches, each with the first of its operations.
  let batches: [Batch]
  /// The heads of the log before the first batch and after the last.
  package let before: LogHead
  package let after: LogHead

  struct Batch: Hashable, Sendable {
    let operation: EntityID
    let events: ClosedRange<UInt64>
  }

  /// Finds in a log what a name means.
  ///
  /// - Parameter history: of the same catalog, which knows the batches of an operation; nil reads the log for them.
  /// - Throws: `CatalogError`: `notFound` if no operation or more than one has this id, or if a batch has events of others
  ///   too; `noMoment` for events that the log does not have, that are not whole batches, and for event 1.
  package init(
    _ name: OperationName, in log: CatalogLog, history: CatalogHistory? = nil
  ) throws {
    try self.init(named: name, in: log, history: history)
    guard first > 1 else {
      throw CatalogError(
        .noMoment,
        "event 1 says what this is a catalog of: without it there is no catalog; name later events")
    }
  }

  /// The batches that hold some events, or those of an operation, whichever they are.
  ///
  /// - Throws: as for operations that are left out, but an event in the middle of a batch means the whole batch.
  package init(
    showing name: OperationName, in log: CatalogLog, history: CatalogHistory? = nil
  ) throws {
    var name = name
    if case .events(let events) = name, let head = try log.head(),
      events.upperBound <= head.sequence
    {
      name = .events(
        try log.batch(containing: events.lowerBound)
          .firstSequence...log.batch(containing: events.upperBound).lastSequence)
    }
    try self.init(named: name, in: log, history: history)
  }

  private init(
    named name: OperationName, in log: CatalogLog, history: CatalogHistory?
  ) throws {
    let head = try log.reader.requireEvents().head
    let batches: [OperationBatch]
    switch name {
    case .id(let id): batches = try Self.batches(id.description, log, history)
    case .prefix(let prefix): batches = try Self.batches(prefix, log, history)
    case .range(let range):
      batches = try Self.batches(
        Self.events(at: range, in: log, history) ?? range.events(in: log, history: history), log)
    case .events(let events) where events.upperBound <= head.sequence:
      batches = try Self.batches(events, log)
    case .events(let events):
      // So many digits may begin an id.
      let isPrefix = events.count == 1 && name.description.utf8.count >= OperationName.leastPrefix
      batches = isPrefix ? try Self.batches(name.description, log, history) : []
      guard !batches.isEmpty else {
        throw CatalogError(
          .noMoment,
          "there is no event \(events.upperBound); the log holds events 1 to \(head.sequence)")
      }
    }
    guard let first = batches.first?.info, let last = batches.last?.info else {
      throw CatalogError(
        .notFound, "the log has no operation \(name); \(do: .listOperations) lists them")
    }
    self.first = first.firstSequence
    self.last = last.lastSequence
    operations = batches.flatMap(\.operations).withoutRepetitions
    self.batches = batches.compactMap { batch in
      batch.operations.first.map {
        Batch(operation: $0, events: batch.info.firstSequence...batch.info.lastSequence)
      }
    }
    before = first.previousHead
    after = last.head
  }

  package var range: BatchRange { BatchRange(firstSequence: first, lastSequence: last) }

  package func contains(_ sequence: UInt64) -> Bool { first...last ~= sequence }

  /// The events, for a person.
  package var words: String { first == last ? "event \(first)" : "events \(first) to \(last)" }

  // MARK: By events

  /// The events of the batches with the very time that a range was named by, as `log` prints it: its reader means these, and not what
  /// came after them. Of a day or a month, those of the batches of all its times. Nil if the range was named by something else, or if no
  /// batch has such a time.
  ///
  /// - Throws: `CatalogError` with `noMoment` if others are between them.
  private static func events(
    at range: MomentRange, in log: CatalogLog, _ history: CatalogHistory?
  ) throws -> ClosedRange<UInt64>? {
    guard let times = range.onlyTimes else { return nil }
    var found: [ClosedRange<UInt64>] = []
    for batch in try PastStates(log, history: history).batches().batches
    where times.contains(batch.time) {
      if let last = found.last, last.upperBound + 1 == batch.firstSequence {
        found[found.count - 1] = last.lowerBound...batch.lastSequence
      } else {
        found.append(batch.firstSequence...batch.lastSequence)
      }
    }
    if found.count > 1 {
      let names = found.prefix(5).map { OperationName.events($0).description }
        .joined(separator: " or ")
      throw CatalogError(
        .noMoment,
        "batches of the time \(range.text) have others between them: name \(names)\(found.count > 5 ? ", …" : "")"
      )
    }
    return found.first
  }

  private static func batches(
    _ events: ClosedRange<UInt64>, _ log: CatalogLog
  ) throws -> [OperationBatch] {
    let (first, last) = (
      try log.batch(containing: events.lowerBound), try log.batch(containing: events.upperBound)
    )
    guard first.firstSequence == events.lowerBound, last.lastSequence == events.upperBound else {
      let (start, end) = (first.firstSequence, last.lastSequence)
      func words(_ batch: BatchInfo) -> String {
        "events \(batch.firstSequence) to \(batch.lastSequence) are one batch"
      }
      let cut =
        first == last
        ? words(first)
        : [first, last].filter {
          !(events.contains($0.firstSequence) && events.contains($0.lastSequence))
        }.map(words).joined(separator: ", ")
      throw CatalogError(
        .noMoment,
        "\(cut), and a batch is taken as a whole: name \(start == end ? "\(start)" : "\(start)..\(end)")"
      )
    }
    var batches: [OperationBatch] = []
    try OperationBatch.forEach(
      in: log, after: first.start, through: last.lastSequence
    ) { batches.append($0) }
    return batches
  }

  // MARK: By an id

  /// The batches of the operation whose id begins with a text; empty if there is none.
  private static func batches(
    _ prefix: String, _ log: CatalogLog, _ history: CatalogHistory?
  ) throws -> [OperationBatch] {
    var found: [OperationBatch] = []
    func add(_ batch: OperationBatch) {
      if batch.operations.contains(where: { $0.description.hasPrefix(prefix) }) {
        found.append(batch)
      }
    }
    var known: LogHead?
    if let history = try history?.openAsItIs() {
      for head in try history.batches(ofOperation: prefix) {
        let batch = try log.batch(containing: head)
        try OperationBatch.forEach(in: log, after: batch.start, through: head, add)
      }
      known = history.checkpoint.head
    }
    if try log.head() != known { try OperationBatch.forEach(in: log, after: known, add) }

    let operations = found.flatMap(\.operations).withoutRepetitions
    try OperationName.requireOne(
      of: operations.filter { $0.description.hasPrefix(prefix) }, prefix)
    let isOneAfterAnother = zip(found, found.dropFirst()).allSatisfy {
      $0.info.lastSequence + 1 == $1.info.firstSequence
    }
    guard isOneAfterAnother, operations.count <= 1 else {
      let list = found.map { "\($0.info.firstSequence)..\($0.info.lastSequence)" }
      throw CatalogError(
        .notFound,
        "operation \(prefix) has events among those of others, in the batches \(list.joined(separator: ", ")); name the "
          + "events of whole batches")
    }
    return found
  }
}

/// A batch of a log with the operations of its events; nearly every batch has one.
private struct OperationBatch {
  let info: BatchInfo
  var operations: [EntityID] = []

  /// Calls `body` for each batch of a log, in the log's order.
  static func forEach(
    in log: CatalogLog, after head: LogHead?, through last: UInt64 = .max,
    _ body: (OperationBatch) throws -> Void
  ) throws {
    if let remembered = log.reader as? RememberedLog {
      return try remembered.forEachBatch(after: head, through: last) {
        try body(OperationBatch(info: $0, operations: $1))
      }
    }
    let cursor = try log.cursor(after: head)
    var decoder = EnvelopeDecoder()
    while let info = try cursor.nextBatch() {
      try log.limit?.check()
      var batch = OperationBatch(info: info)
      try cursor.forEachLine { line, sequence in
        let operation = try decoder.decode(line: line, expecting: sequence).operation
        if batch.operations.last != operation { batch.operations.append(operation) }
      }
      batch.operations = batch.operations.withoutRepetitions
      try body(batch)
      if info.lastSequence >= last { return }
    }
  }
}

extension [EntityID] {
  /// The ids in their order, each once.
  fileprivate var withoutRepetitions: [EntityID] {
    var seen: Set<EntityID> = []
    return filter { seen.insert($0).inserted }
  }
}

extension OperationName {
  /// Finds the ids that begin with the digits by which an event of the log is named.
  ///
  /// - Parameter history: of the log. The events that it lacks are not read: that would take long for a note.
  package static func operations(
    beginningWith sequence: UInt64, in history: CatalogHistory
  ) throws -> [String] {
    let prefix = "\(sequence)"
    guard prefix.utf8.count >= leastPrefix, let history = try history.openAsItIs() else {
      return []
    }
    return try history.read { database in
      try PreparedStatement(
        database,
        """
        SELECT operation FROM history_batch WHERE substr(operation, 1, :length) = :prefix UNION
        SELECT operation FROM history_event WHERE substr(operation, 1, :length) = :prefix
        ORDER BY operation
        """, [.integer(Int64(prefix.utf8.count)), .text(prefix)]
      ).all { try $0.row(StoredRow.Origin("history_batch", ("operation", 0))).text(0) }
    }
  }
}

extension HistoryDatabase {
  /// The last events of the batches that have events of operations whose ids begin with a text.
  fileprivate func batches(ofOperation prefix: String) throws -> [UInt64] {
    try read { database in
      try PreparedStatement(
        database,
        """
        SELECT b.last FROM history_batch AS b
        WHERE substr(b.operation, 1, :length) = :prefix OR EXISTS (
          SELECT 1 FROM history_event AS e
          WHERE e.first BETWEEN b.first AND b.last AND substr(e.operation, 1, :length) = :prefix)
        ORDER BY b.last
        """, [.integer(Int64(prefix.utf8.count)), .text(prefix)]
      ).all { $0.sequence(0) }
    }
  }
}
