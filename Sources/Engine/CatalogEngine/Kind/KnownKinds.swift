package import CatalogModel
import CatalogStore
package import EventLog
package import Projections
import Support
import Synchronization

/// The kinds of catalogs that a program knows.
package struct KnownKinds: Sendable {
  let kinds: [any CatalogKind]
  let descriptions: (any KindDescriptions)?
  private let known = KnownKind()

  /// - Parameter descriptions: makes the kinds that logs describe; nil if the program knows only its own.
  package init(_ kinds: [any CatalogKind], descriptions: (any KindDescriptions)? = nil) {
    self.kinds = kinds
    self.descriptions = descriptions
  }

  package var names: [String] { kinds.map(\.name) }

  package var first: (any CatalogKind)? { kinds.first }

  /// The name of the first kind that a condition holds for; nil if there is none.
  package func named(where isMeant: (any CatalogKind) -> Bool) -> String? {
    kinds.first(where: isMeant)?.name
  }

  /// The names of all their tables.
  package var tableNames: [String] { kinds.flatMap { $0.schema.tables.map(\.name) } }

  /// The names of all their types of events.
  package var eventTypes: [String] {
    kinds.flatMap { Self.eventTypes(of: $0) }
  }

  package static func eventTypes(of kind: some CatalogKind) -> [String] {
    let own = kind.eventTypes
    let first = EngineEventType.catalogCreated.rawValue
    return own.contains(first) ? own : [first] + own
  }

  /// The kind of a log, as its first events say; nil if it is not known.
  ///
  /// - Parameter database: the path of the catalog's database, which may know the events that describe the kind; nil if there
  ///   is only a log.
  package func knownKind(
    of reader: any LogStore, besides database: String?
  ) throws -> (any CatalogKind)? {
    try found(in: reader.atEnd(), database)?.kind
  }

  /// - Returns: nil if the log is not one of a catalog, or empty; no kind if this program does not know it.
  private func found(
    in reader: any LogStore, _ database: String?
  ) throws -> (name: String, kind: (any CatalogKind)?)? {
    let question = question(of: reader, database)
    if let question, let last = known.last.withLock(\.self), last.question == question {
      return (last.kind.name, last.kind)
    }
    guard let created = try CatalogBeginning.read(reader) else { return nil }
    if let kind = kind(named: created.kind) { return (created.kind, kind) }
    let kind = try describedKind(created.kind, reader, database)
    if let question, let kind { known.last.withLock { $0 = (question, kind) } }
    return (created.kind, kind)
  }

  /// The kind that a shared log describes, as it was found last. A command asks for it several times, and each time would cost
  /// several questions to a server.
  private final class KnownKind: Sendable {
    /// All that the answer depends on: the log up to an end, and what a database has applied of it.
    struct Question: Equatable {
      let place: String
      let end: LogHead
      let database: String?
      let applied: Checkpoint?
    }

    let last = Mutex<(question: Question, kind: any CatalogKind)?>(nil)
  }

  /// All on which the kind of a shared log depends; nil if the log is not shared.
  private func question(
    of reader: any LogStore, _ database: String?
  ) -> KnownKind.Question? {
    // If its end cannot be read, its beginning still names the kind.
    guard descriptions != nil, !reader.keepsOthersOut, let end = try? reader.head() else {
      return nil
    }
    var applied: Checkpoint?
    if case .checkpoint(let known) = database.flatMap({ HeadEvidence.peek($0) })?.claim {
      applied = known
    }
    return KnownKind.Question(
      place: reader.place, end: end, database: database, applied: applied)
  }

  /// The kind that a log describes; nil if it describes none, or if the program makes none of descriptions.
  private func describedKind(
    _ name: String, _ reader: any LogStore, _ database: String?
  ) throws -> (any CatalogKind)? {
    guard let descriptions else { return nil }
    if let database,
      let kind = try remembered(name, reader, HeadEvidence.peek(database), database, descriptions)
    {
      return kind
    }
    let events = try DescribingEvent.all(in: reader.cursor(), of: descriptions.eventType)
    return events.isEmpty ? nil : try descriptions.kind(named: name, describedBy: events)
  }

  /// The kind that a log describes in events whose places a database of it has.
  ///
  /// The events are read from the log. That there are no others, two things say: the head that the database is at is one of
  /// the log, and the database was made by exactly the kind that these events describe. A replay stops at an event that
  /// describes its kind otherwise. The events after that head are searched.
  ///
  /// - Returns: nil if the database is of another log, of other descriptions, or cannot be read: it says nothing then.
  private func remembered(
    _ name: String, _ reader: any LogStore, _ witnesses: HeadEvidence?, _ database: String,
    _ descriptions: any KindDescriptions
  ) throws -> (any CatalogKind)? {
    guard let query = descriptions.placesQuery,
      case .checkpoint(let checkpoint)? = witnesses?.claim,
      let places = HeadEvidence.peek(database, integersOf: query), !places.isEmpty
    else { return nil }
    do {
      guard let end = try reader.end(), end.logID == checkpoint.logID else { return nil }
      let later =
        try end.head == checkpoint.head
        ? []
        : DescribingEvent.all(
          in: reader.cursor(after: checkpoint.head), of: descriptions.eventType)
      let events = try places.compactMap {
        try DescribingEvent.at(UInt64(clamping: $0), in: reader, of: descriptions.eventType)
      }
      guard !events.isEmpty else { return nil }
      let kind = try descriptions.kind(named: name, describedBy: events)
      guard kind.fingerprint == checkpoint.fingerprint else { return nil }
      return later.isEmpty
        ? kind : try descriptions.kind(named: name, describedBy: events + later)
    } catch let error as EventLogError where error.code == .lostEvents {
      return nil
    }
  }

  /// The kind of the catalog in a folder, for help, which is shown at once and whatever state the catalog is in.
  ///
  /// No server is asked, and a log that describes its kind is not searched for that: the database knows the place.
  ///
  /// - Returns: nil if there is no catalog, or if its kind cannot be told in this way.
  package func kindAtOnce(of directory: CatalogDirectory) -> (any CatalogKind)? {
    let database = directory.database
    guard let reader = try? directory.store(), reader.keepsOthersOut,
      let created = try? CatalogBeginning.read(reader)
    else { return kindWithoutLog(database) }
    if let kind = kind(named: created.kind) { return kind }
    guard let descriptions else { return nil }
    return try? remembered(
      created.kind, reader, HeadEvidence.peek(database), database, descriptions)
  }

  package func kind(named name: String) -> (any CatalogKind)? {
    kinds.first { $0.name == name }
  }

  /// The log of a catalog, with the kind that it is of.
  ///
  /// - Parameter database: the path of the catalog's database, whose checkpoint says it sooner than event 1; nil if
  ///   there is only a log.
  /// - Throws: `CatalogError` with `unknownKind` for a kind that this program does not know; what reading event 1
  ///   throws.
  package func log(_ reader: any LogStore, besides database: String?) throws -> CatalogLog {
    CatalogLog(reader, try kind(in: reader.atEnd(), database))
  }

  /// - Parameter reader: is asked for its end several times.
  private func kind(in reader: any LogStore, _ database: String?) throws -> any CatalogKind {
    do {
      return try answeredKind(in: reader, database)
    } catch let error as EventLogError where error.isSilence {
      if let kind = database.flatMap(kindWithoutLog) { return kind }
      throw error
    }
  }

  /// The kind of a database whose log does not answer, or is not here.
  ///
  /// - Returns: nil if the database does not tell it.
  package func kindWithoutLog(_ database: String) -> (any CatalogKind)? {
    if let (kind, _) = kind(ofDatabase: database) { return kind }
    guard let descriptions, let query = descriptions.payloadsQuery,
      case .checkpoint(let checkpoint)? = HeadEvidence.peek(database)?.claim,
      let rows = HeadEvidence.peek(database, numberedTextsOf: query)
    else { return nil }
    let events = rows.compactMap { row -> DescribingEvent? in
      guard let data = try? JSONValue.parse(row.text, file: database) else { return nil }
      return DescribingEvent(sequence: UInt64(clamping: row.number), data: data)
    }
    guard events.count == rows.count,
      case .string(let name)? = events.last?.data["description"]?["kind"],
      let kind = try? descriptions.kind(named: name, describedBy: events),
      kind.fingerprint == checkpoint.fingerprint
    else { return nil }
    return kind
  }

  /// - Throws: what reading the log throws.
  private func answeredKind(
    in reader: any LogStore, _ database: String?
  ) throws -> any CatalogKind {
    if let (kind, checkpoint) = kind(ofDatabase: database),
      checkpoint.logID == (try reader.logID())
    {
      return kind
    }
    // A log that is not one of a catalog, or empty: a replay says which.
    guard let (name, kind) = try found(in: reader, database) else { return try anyone() }
    guard let kind else {
      let unknown = Self.unknown(name, names)
      guard descriptions != nil else { throw unknown }
      throw CatalogError(
        .unknownKind,
        unknown.explanation
          + "; if it has tables of your own, the event that describes them is lost")
    }
    return kind
  }

  /// The kind of a database, by its checkpoint; nil if that is of another program, or if there is none.
  private func kind(
    ofDatabase path: String?
  ) -> (kind: any CatalogKind, checkpoint: Checkpoint)? {
    guard case .checkpoint(let checkpoint) = path.flatMap({ HeadEvidence.peek($0) })?.claim,
      let kind = kinds.first(where: { $0.fingerprint == checkpoint.fingerprint })
    else { return nil }
    return (kind, checkpoint)
  }

  /// The kind of the catalog in a folder, as its database or event 1 says. Where neither can, because the folder is
  /// empty or the log is damaged, the first one: whoever goes on finds out why.
  ///
  /// - Throws: `CatalogError` with `unknownKind`.
  package func kind(of directory: CatalogDirectory) throws -> any CatalogKind {
    try kind(of: directory.store(), besides: directory.database)
  }

  /// The same for a log, and the path of the database that is beside it; nil if there is none.
  package func kind(
    of reader: any LogStore, besides database: String?
  ) throws -> any CatalogKind {
    do {
      return try certainKind(of: reader, besides: database) ?? anyone()
    } catch is EventLogError {
      // Another kind would be refused as that, and not as damaged.
      return try database.flatMap(kindWithoutLog) ?? anyone()
    }
  }

  /// The kind of a log, as it says itself, or its database if it cannot be read; nil if the log is empty and
  /// has no database.
  ///
  /// - Throws: `CatalogError` with `unknownKind`; `EventLogError` if the log is damaged or does not answer, and the database is not
  ///   one that this program made of a kind of its own.
  package func certainKind(
    of reader: any LogStore, besides database: String?
  ) throws -> (any CatalogKind)? {
    do {
      let reader = reader.atEnd()
      // A log that is gone beside a database is a loss, which the command for the kind says.
      guard try reader.logID() != nil else { return database.flatMap(kindWithoutLog) }
      return try kind(in: reader, database)
    } catch let error as EventLogError {
      let kind =
        error.isSilence ? database.flatMap(kindWithoutLog) : kind(ofDatabase: database)?.kind
      guard let kind else { throw error }
      return kind
    }
  }

  func anyone() throws -> any CatalogKind {
    guard let kind = kinds.first else { throw Self.unknown("?", names) }
    return kind
  }

  static func unknown(_ name: String, _ known: [String]) -> CatalogError {
    CatalogError(
      .unknownKind,
      "this is a catalog of kind \"\(JSONExcerpt.printable(name))\"; this program knows "
        + "\(known.map { "\"\($0)\"" }.joined(separator: ", "))")
  }
}

/// The first event of a log, which says what it is a log of.
package enum CatalogBeginning {
  /// Makes sure that a log is of a kind, where it says so of itself.
  ///
  /// - Throws: `CatalogError` with `wrongKind`.
  static func require(_ kind: any CatalogKind, _ reader: any LogStore) throws {
    guard try reader.head() != nil, let created = try read(reader), created.kind != kind.name
    else { return }
    throw CatalogError(
      .wrongKind,
      "this is a catalog of kind \"\(JSONExcerpt.printable(created.kind))\", not \"\(kind.name)\"")
  }

  /// - Returns: nil if there is no event, or the first is another one, or cannot be read.
  package static func read(_ reader: any LogStore) throws -> CatalogCreated? {
    let cursor = try reader.cursor()
    guard try cursor.nextBatch() != nil, let block = try cursor.nextLines() else { return nil }
    var created: CatalogCreated?
    EventLines.forEach(in: block.bytes, first: block.firstSequence) { line, sequence in
      guard sequence == 1 else { return }
      created = try? EventLine(line: line, expecting: 1).created().event
    }
    return created
  }
}
