package import CatalogModel
import CatalogStore
package import EventLog
package import Projections
import Support

/// The kinds of catalogs that a program knows.
package struct KnownKinds: Sendable {
  let kinds: [any CatalogKind]
  private let descriptions: (any KindDescriptions)?

  /// - Parameter descriptions: makes the kinds that logs describe; nil if the program knows only its own.
  package init(_ kinds: [any CatalogKind], descriptions: (any KindDescriptions)? = nil) {
    self.kinds = kinds
    self.descriptions = descriptions
  }

  package var names: [String] { kinds.map(\.name) }

  package var first: (any CatalogKind)? { kinds.first }

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
    guard let created = try CatalogBeginning.read(reader) else { return nil }
    return try kind(named: created.kind) ?? describedKind(created.kind, reader, database)
  }

  /// The kind that a log describes; nil if it describes none, or if the program makes none of descriptions.
  private func describedKind(
    _ name: String, _ reader: any LogStore, _ database: String?
  ) throws -> (any CatalogKind)? {
    guard let descriptions else { return nil }
    if let database,
      let kind = try remembered(name, reader, HeadWitnesses.peek(database), database, descriptions)
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
    _ name: String, _ reader: any LogStore, _ witnesses: HeadWitnesses?, _ database: String,
    _ descriptions: any KindDescriptions
  ) throws -> (any CatalogKind)? {
    guard let query = descriptions.placesQuery,
      case .checkpoint(let checkpoint)? = witnesses?.claim,
      let places = HeadWitnesses.peek(database, integersOf: query), !places.isEmpty
    else { return nil }
    do {
      guard try reader.logID() == checkpoint.logID else { return nil }
      let later = try DescribingEvent.all(
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
    if let (kind, checkpoint) = kind(ofDatabase: database),
      checkpoint.logID == (try reader.logID())
    {
      return CatalogLog(reader, kind)
    }
    guard let created = try CatalogBeginning.read(reader) else {
      // Not one of a catalog, or empty: a replay says which.
      return CatalogLog(reader, try anyone())
    }
    guard
      let kind = try kind(named: created.kind) ?? describedKind(created.kind, reader, database)
    else {
      throw Self.unknown(created.kind, names)
    }
    return CatalogLog(reader, kind)
  }

  /// The kind of a database, by its checkpoint; nil if that is of another program, or if there is none.
  private func kind(
    ofDatabase path: String?
  ) -> (kind: any CatalogKind, checkpoint: Checkpoint)? {
    guard case .checkpoint(let checkpoint) = path.flatMap({ HeadWitnesses.peek($0) })?.claim,
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
      guard try reader.logID() != nil else { return try anyone() }
      return try log(reader, besides: database).kind
    } catch let error as EventLogError {
      if error.isSilence, let (kind, _) = kind(ofDatabase: database) { return kind }
      return try anyone()
    }
  }

  private func anyone() throws -> any CatalogKind {
    guard let kind = kinds.first else { throw Self.unknown("?", names) }
    return kind
  }

  private static func unknown(_ name: String, _ known: [String]) -> CatalogError {
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
