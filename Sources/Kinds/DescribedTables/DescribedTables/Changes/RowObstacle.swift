package import CatalogEngine
import CatalogStore
import Projections

/// Rows that do not fit a new description.
///
/// Tables and columns have the names of the description that the log has.
enum RowObstacle: Sendable {
  /// Values that are not of a type.
  case misfit(table: String, column: String, DescribedType)
  /// Rows without a value.
  case null(table: String, column: String)
  /// Rows that would have the same key.
  case sameKey(table: String, columns: [String])

  fileprivate var table: String {
    switch self {
    case .misfit(let table, _, _), .null(let table, _), .sameKey(let table, _): table
    }
  }

  /// The first rows in the way, as a sentence; nil if none is.
  fileprivate func sentence(_ rows: ProvedRows, _ program: KindProgram) throws -> String? {
    guard let table = program.table(table)?.table else { return nil }
    var found = FoundRows(table)
    switch self {
    case .misfit(_, let column, let type):
      guard let place = table.index(of: column) else { return nil }
      try rows.scan(table) { cells in
        let value = cells[place].value
        guard value != .null, !type.holds(value) else { return }
        found.add(cells.map(\.value), " has \(value.shownToPeople)")
      }
    case .null(_, let column):
      guard let place = table.index(of: column) else { return nil }
      try rows.scan(table) { cells in
        if cells[place].value == .null { found.add(cells.map(\.value), " has no value") }
      }
    case .sameKey(_, let columns):
      let places = columns.compactMap(table.index)
      guard places.count == columns.count, !places.isEmpty else { return nil }
      var known: [[Value]: String] = [:]
      try rows.scan(table) { cells in
        let row = cells.map(\.value)
        let key = places.map { row[$0] }
        if let other = known[key] {
          found.add(row, " would have the key of \(other)")
        } else {
          known[key] = table.name(of: row)
        }
      }
    }
    return found.sentence
  }
}

/// The first rows that are in the way, and how many there are.
private struct FoundRows {
  private let table: TableDescription
  private var first: String?
  private var count = 0

  init(_ table: TableDescription) {
    self.table = table
  }

  mutating func add(_ row: [Value], _ problem: @autoclosure () -> String) {
    count += 1
    if first == nil { first = table.name(of: row) + problem() }
  }

  /// `goods[sku='A'] has 'x', and 3 more rows`
  var sentence: String? {
    guard let first else { return nil }
    switch count - 1 {
    case 0: return first
    case 1: return "\(first), and 1 more row"
    case let others: return "\(first), and \(others) more rows"
    }
  }
}

extension DescriptionChange.Condition {
  /// The reason for which rows cannot be as the condition says; nil if they are.
  func obstacle(in rows: MemoryRowStore, _ program: KindProgram) -> String? {
    guard let table = program.table(table)?.table, let place = table.index(of: column) else {
      return nil
    }
    let sorted = rows.rows(in: table).sorted { table.key(of: $0).isBefore(table.key(of: $1)) }
    var owners: [Value: [Value]] = [:]
    for row in sorted where row[place] != .null {
      let value = row[place]
      if !type.holds(value) {
        return
          "\(table.name).\(column) cannot be \(type.noun): \(table.name(of: row)) has \(value.shownToPeople)"
      }
      if isUnique, let other = owners.updateValue(row, forKey: type.widened(value)) {
        return
          "\(table.name).\(column) cannot be unique: \(table.name(of: other)) and \(table.name(of: row)) have \(value.shownToPeople)"
      }
    }
    return nil
  }
}

extension DescribedType {
  /// Whether a value of another type can be one of this type, as it is or as its text says.
  fileprivate func holds(_ value: Value) -> Bool {
    switch (self, value) {
    case (.any, _): true
    case (.number, .integer(let integer)): Double(exactly: integer) != nil
    case (.integer, .real(let real)): Int64(exactly: real) != nil
    case (.integer, .integer), (.number, .real), (.text, .text), (.blob, .blob), (.id, .id): true
    case (_, .text(let text)): (try? self.value(ofText: text)) != nil
    case (.text, .blob), (.blob, _): false
    case (.flag, .integer(let integer)): integer == 0 || integer == 1
    case (.text, _): true
    default: false
    }
  }
}

extension TableDescription {
  /// `goods[sku='A']`
  func name(of row: [Value]) -> String {
    let key = zip(self.key, key(of: row)).map { "\(columns[$0].name)=\($1.shownToPeople)" }
    return "\(name)[\(key.joined(separator: ", "))]"
  }
}

extension TableCatalog {
  /// The refusal with the rows that its reasons are about, at the log's head.
  ///
  /// - Throws: what reading the rows throws.
  package static func naming(
    rowsOf refusal: DescriptionRefusal, in directory: CatalogDirectory, _ kind: DescribedKind,
    options: OpeningOptions
  ) throws -> DescriptionRefusal {
    guard !refusal.obstacles.isEmpty else { return refusal }
    return try OpenedCatalog.readProvedAtHead(of: directory, kind, options: options) { rows in
      let reasons = try refusal.reasons.enumerated().map { place, reason in
        let sentence = try refusal.obstacles[place]?.sentence(rows, kind.program)
        return sentence.map { "\(reason): \($0)" } ?? reason
      }
      return DescriptionRefusal(reasons: reasons)
    }.result
  }
}
