package import CatalogModel
import GRDB
import GRDBSQLite
import Projections
package import Support

/// A row of a query. Each column is decoded by a call that throws where the database holds something else.
///
/// GRDB steps through the rows; this reads the bytes that SQLite stores, by place. GRDB's own subscript ends
/// the process for a wrong storage class, and its fast path converts without a word: '12 MB' becomes 12, a
/// blob becomes a text, a text ends at U+0000 and bad UTF-8 is replaced. Valid until the next row.
package struct StoredRow {
  /// Where rows come from: what an error names.
  package struct Origin: Sendable {
    let table: String
    /// The columns of the key, and their places in the query.
    let key: [(column: String, place: Int)]

    package init(_ table: String, _ key: (column: String, place: Int)...) {
      self.table = table
      self.key = key
    }
  }

  private let statement: OpaquePointer
  private let origin: Origin

  package init(_ statement: OpaquePointer, _ origin: Origin) {
    self.statement = statement
    self.origin = origin
  }

  /// The same row for columns that another table gives.
  package func part(_ origin: Origin) -> StoredRow {
    StoredRow(statement, origin)
  }

  package func isNull(_ place: Int) -> Bool {
    sqlite3_column_type(statement, Int32(place)) == SQLITE_NULL
  }

  // MARK: Texts

  package func text(_ place: Int) throws -> String {
    guard let text = try optionalText(place) else { throw drift(place, "a text") }
    return text
  }

  package func optionalText(_ place: Int) throws -> String? {
    switch sqlite3_column_type(statement, Int32(place)) {
    case SQLITE_TEXT:
      guard let text = String(validating: bytes(place), as: UTF8.self) else {
        throw drift(place, "a text in UTF-8")
      }
      return text
    case SQLITE_NULL: return nil
    default: throw drift(place, "a text or NULL")
    }
  }

  /// A text that stands for a case: a kind, a state.
  package func name<Name: RawRepresentable & CaseIterable>(
    _ place: Int, as type: Name.Type = Name.self
  ) throws -> Name where Name.RawValue == String {
    guard !isNull(place), let text = try? text(place), let name = Name(rawValue: text) else {
      throw drift(place, "one of " + Name.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return name
  }

  /// The lower-case text of an id.
  package func id(_ place: Int) throws -> EntityID {
    if sqlite3_column_type(statement, Int32(place)) == SQLITE_TEXT {
      if let id = EntityID(canonical: bytes(place)) { return id }
    }
    throw drift(place, "a UUID in lower case")
  }

  package func time(_ place: Int) throws -> Timestamp {
    guard let time = try optionalTime(place) else { throw drift(place, "a time") }
    return time
  }

  package func optionalTime(_ place: Int) throws -> Timestamp? {
    switch sqlite3_column_type(statement, Int32(place)) {
    case SQLITE_TEXT:
      if let time = Timestamp(utf8: UnsafeRawBufferPointer(bytes(place))) { return time }
    case SQLITE_NULL: return nil
    default: break
    }
    throw drift(place, "a time, as 2026-01-31T12:00:00.000Z")
  }

  // MARK: Numbers

  /// Any integer: ids, which are compared and nothing else.
  package func integer(_ place: Int) throws -> Int64 {
    guard sqlite3_column_type(statement, Int32(place)) == SQLITE_INTEGER else {
      throw drift(place, "an integer")
    }
    return sqlite3_column_int64(statement, Int32(place))
  }

  /// A version or a size that is shown, and not counted with: earlier releases took any of 64 bits.
  package func amount(_ place: Int) throws -> Int64 {
    let amount = try integer(place)
    guard amount >= 0 else { throw drift(place, "an integer from 0 on") }
    return amount
  }

  package func optionalAmount(_ place: Int) throws -> Int64? {
    isNull(place) ? nil : try amount(place)
  }

  /// An integer that is counted with: a place, an order.
  package func number(_ place: Int) throws -> Int64 {
    let number = try integer(place)
    guard number.magnitude <= NumberRules.greatest.magnitude else {
      throw drift(place, "an integer from -\(NumberRules.greatest) to \(NumberRules.greatest)")
    }
    return number
  }

  package func optionalNumber(_ place: Int) throws -> Int64? {
    isNull(place) ? nil : try number(place)
  }

  /// An integer from 0 on.
  package func count(_ place: Int) throws -> Int {
    let number = try integer(place)
    guard 0...NumberRules.greatest ~= number, let count = Int(exactly: number) else {
      throw drift(place, "an integer from 0 to \(NumberRules.greatest)")
    }
    return count
  }

  package func flag(_ place: Int) throws -> Bool {
    guard sqlite3_column_type(statement, Int32(place)) == SQLITE_INTEGER,
      case let number = sqlite3_column_int64(statement, Int32(place)), 0...1 ~= number
    else { throw drift(place, "0 or 1") }
    return number == 1
  }

  /// A finite number; nil for NULL.
  package func optionalReal(_ place: Int) throws -> Double? {
    switch sqlite3_column_type(statement, Int32(place)) {
    case SQLITE_FLOAT, SQLITE_INTEGER:
      let real = sqlite3_column_double(statement, Int32(place))
      if real.isFinite { return real }
    case SQLITE_NULL: return nil
    default: break
    }
    throw drift(place, "a number or NULL")
  }

  // MARK: Whatever it is

  /// What a column holds, for a person: a text or an integer as it is, everything else as SQL writes it.
  package func shown(_ place: Int) -> String {
    switch StoredValue(statement, at: place) {
    case .text(let text): text
    case let value: value.description
    }
  }

  // MARK: Errors

  /// The error for a column that holds something else than it should.
  package func drift(_ place: Int, _ expected: String) -> StoreError {
    .drifted(
      origin.table, key: origin.key.map { ($0.column, StoredValue(statement, at: $0.place)) },
      sqlite3_column_name(statement, Int32(place)).map { String(cString: $0) } ?? "?",
      is: StoredValue(statement, at: place), shouldBe: expected)
  }

  private func bytes(_ place: Int) -> UnsafeBufferPointer<UInt8> {
    guard let start = sqlite3_column_text(statement, Int32(place)) else {
      return UnsafeBufferPointer(start: nil, count: 0)
    }
    return UnsafeBufferPointer(
      start: start, count: Int(sqlite3_column_bytes(statement, Int32(place))))
  }
}

extension StoreError {
  /// A column that holds what no projector writes there.
  package static func drifted(
    _ table: String, key: [(column: String, value: StoredValue)], _ column: String,
    is value: StoredValue, shouldBe expected: String
  ) -> StoreError {
    func shown(_ value: StoredValue) -> String { JSONExcerpt.printable(value.description) }
    let key = key.map { "\($0.column)=\(shown($0.value))" }.joined(separator: ", ")
    return StoreError(
      .drifted,
      "\(table)\(key.isEmpty ? "" : "[\(key)]").\(column) is \(shown(value)), should be \(expected): "
        + drift)
  }

  /// What to do about rows that no projector wrote.
  package static let drift = ErrorMessage.changedByHand

  /// Rows of a table that contradict each other.
  package static func changedByHand(_ table: String) -> StoreError {
    StoreError(.drifted, "rows of \(table) do not fit together: \(drift)")
  }
}
