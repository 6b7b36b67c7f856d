public import CatalogEngine
import CatalogModel
import Synchronization

/// Makes the kinds of logs that describe themselves.
///
/// ```swift
/// CatalogProgram(ShopControl.self, kinds: [], descriptions: DescribedKinds())
/// ```
public final class DescribedKinds: KindDescriptions {
  /// The kinds that were made, so that a log has one in a process: tables belong to the kind that made them.
  private let known = Mutex<[String: DescribedKind]>([:])

  public init() {}

  public var eventType: String { TableEventType.described.rawValue }

  public var placesQuery: String? {
    "SELECT sequence FROM projection_description ORDER BY sequence"
  }

  /// Without the moves from one description to the next: they say what rows were called before, and change none.
  public var payloadsQuery: String? {
    """
    SELECT sequence, '{"version":' || version || ',"description":' || description || ',"moves":[]}'
    FROM projection_description ORDER BY sequence
    """
  }

  /// The moves of a description are not in a database. It has none if it is the first one, or adds to all names of the one before.
  /// One that adds nothing may have exchanged names.
  public func isWhole(_ event: DescribingEvent, after earlier: DescribingEvent?) -> Bool {
    guard let earlier else { return true }
    func description(_ event: DescribingEvent) -> KindDescription? {
      event.data["description"].flatMap { try? KindDescription.read($0) }
    }
    guard let old = description(earlier), let new = description(event) else { return false }
    let isGrown = old.tables.allSatisfy { table in
      guard let found = new.table(table.name) else { return false }
      return Set(table.columns.map(\.name)).isSubset(of: found.columns.map(\.name))
    }
    func size(_ description: KindDescription) -> Int {
      description.tables.reduce(0) { $0 + 1 + $1.columns.count }
    }
    return isGrown && size(new) > size(old)
  }

  /// - Throws: `CatalogError` with `unknownKind` for a description that this program cannot read.
  public func kind(
    named name: String, describedBy events: [DescribingEvent]
  ) throws -> any CatalogKind {
    let key = events.map { "\($0.sequence) \($0.data)\n" }.joined()
    if let kind = known.withLock({ $0[key] }) { return kind }
    let moments = try events.map { event in
      do throws(PayloadReader.Problem) {
        var data = try PayloadReader(event.data, path: "$.data")
        let moment = try DescribedMoment.payload.read(&data)
        try data.finish()
        return (event.sequence, moment)
      } catch {
        throw CatalogError(
          .unknownKind,
          "event \(event.sequence) describes the kind in a way that this program cannot read: "
            + "\(error.path): \(error.message)")
      }
    }
    guard moments.allSatisfy({ $0.1.description.kind == name }) else {
      throw CatalogError(
        .unknownKind, "the log is of kind \"\(name)\", and describes a kind of another name")
    }
    let kind = DescribedKind(moments)
    return known.withLock { known in
      if let other = known[key] { return other }
      known[key] = kind
      return kind
    }
  }
}
