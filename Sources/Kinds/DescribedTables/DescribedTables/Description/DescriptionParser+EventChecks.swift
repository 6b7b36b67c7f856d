import CatalogModel
import Projections

/// The checks of what an event names, once all tables are known.
extension DescriptionParser {
  static func check(
    key: [Placed], of table: DescribedTable, _ event: OwnEvent, at place: Int,
    _ document: inout DocumentReader
  ) {
    guard case .columns(let names) = table.key else {
      return document.note(
        .invalidValue, at: place, "has no key of columns, so that no event can name its rows",
        advice: "name the columns of its key")
    }
    guard key.count == names.count else {
      return document.note(
        .invalidValue, at: key.first?.place ?? place, showsValue: false,
        "the key has \(CountWords.of(key.count, "value")) instead of \(names.count)",
        advice: "the key of \(table.name) is \(names.joined(separator: ", "))")
    }
    for (placed, name) in zip(key, names) {
      guard let column = table.column(name) else { continue }
      check(placed, for: column, event, allowsNull: false, &document)
    }
  }

  /// Notes an operand that a column cannot have.
  static func check(
    _ placed: Placed, for column: DescribedColumn, _ event: OwnEvent, allowsNull: Bool,
    _ document: inout DocumentReader
  ) {
    let type: DescribedType
    var isOptional = false
    switch placed.operand {
    case .literal(let json):
      if json == .null, allowsNull { return }
      return require(json, fits: column, at: placed.place, &document)
    case .member(let name):
      guard let member = event.member(name) else {
        return document.note(
          .invalidValue, at: placed.place, "is not a member of \(event.name)",
          advice: NearMiss.advice(for: name, among: event.members.map(\.name)))
      }
      type = member.type
      isOptional = member.isOptional
    case .time: type = .time
    case .author: type = .text
    case .sequence: type = .integer
    }
    if !column.takes(type) {
      document.note(
        .invalidValue, at: placed.place,
        "is \(type.noun), and \(column.name) is \(column.type.noun)",
        advice: "make both the same type")
    } else if isOptional, !allowsNull, !column.isOptional {
      document.note(
        .invalidValue, at: placed.place, "may be null, and \(column.name) is never NULL",
        advice: "write the type of the member without ?")
    }
  }

  static func check(
    _ cell: PlacedCell, of verb: StepKey, in table: DescribedTable, _ event: OwnEvent,
    _ document: inout DocumentReader
  ) {
    guard let column = require(cell.cell.column, in: table, at: cell.place, &document) else {
      return
    }
    if !column.isKept {
      document.note(
        .invalidValue, at: cell.place, "is not kept", advice: "leave it out")
    }
    let isKey = table.keyColumns.contains(column.name)
    if isKey, verb == .set || verb == .add {
      document.note(
        .invalidValue, at: cell.place, "is in the key, which stays as it is",
        advice: "remove the row and put another one")
    }
    if verb == .add, column.type != .integer, column.type != .number {
      document.note(
        .invalidValue, at: cell.place, "is not a number to which one is added",
        advice: "set it instead")
    }
    check(
      (cell.cell.value, cell.value), for: column, event, allowsNull: verb == .removeAll, &document)
    if verb == .add, cell.cell.value == .literal(.null) {
      document.note(
        .invalidValue, at: cell.value, "is not a number to add", advice: "write a number")
    }
  }

  /// Notes columns that a step lacks: the values of a whole row, the columns of an index.
  static func check(
    _ columns: [String], of verb: StepKey, in table: DescribedTable, at place: Int,
    _ document: inout DocumentReader
  ) {
    if verb == .put || verb == .merge {
      if case .wholeRow = table.key {
        return document.note(
          .invalidValue, at: place, "has no key of columns, so that no event can name its rows",
          advice: "name the columns of its key")
      }
      let missing = table.columns.filter {
        // A default is no key of a row that is known.
        let isKey = verb == .merge && table.keyColumns.contains($0.name)
        return $0.isKept && ($0.absentValue == nil || isKey) && !columns.contains($0.name)
      }
      guard !missing.isEmpty else { return }
      document.note(
        .missingKey, at: place, showsValue: false,
        "the row lacks \(missing.map(\.name).joined(separator: ", "))",
        advice: "a row has a value in each column that has no default and is never NULL")
    } else if verb == .removeAll {
      // Members of JSON have no order.
      let named = Set(columns)
      let isFound =
        table.indexes.contains { Set($0) == named }
        || !columns.isEmpty && Set(table.keyColumns.prefix(columns.count)) == named
      guard !isFound else { return }
      document.note(
        .invalidValue, at: place, showsValue: false,
        "\(table.name) has no index of \(columns.joined(separator: ", "))",
        advice: "add it to the indexes of the table")
    }
  }

  /// Notes names in the braces of a sentence that mean nothing.
  static func check(
    sentence: String, at place: Int, _ event: OwnEvent, row table: DescribedTable?,
    _ document: inout DocumentReader
  ) {
    let known =
      event.members.map(\.name) + (table?.columns.filter(\.isKept).map { "row." + $0.name } ?? [])
    for name in SentenceForm(sentence).names where !known.contains(name) {
      document.note(
        .invalidValue, at: place, "names {\(JSONExcerpt.printable(name))}, which is not known",
        advice: NearMiss.advice(for: name, among: known))
    }
  }
}

extension DescribedColumn {
  /// Whether a value of a type can be one of the column.
  func takes(_ other: DescribedType) -> Bool {
    type == other || type == .any || type == .number && other == .integer
      || type == .text && [.time, .id, .json].contains(other)
      || type == .integer && other == .flag
  }
}

/// A sentence with names in braces: `there is no product {sku}`.
struct SentenceForm {
  enum Part: Hashable {
    case text(String)
    case name(String)
  }

  let parts: [Part]

  init(_ sentence: String) {
    var parts: [Part] = []
    var rest = sentence[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      parts.append(.text(String(rest[..<open])))
      parts.append(.name(String(rest[rest.index(after: open)..<close])))
      rest = rest[rest.index(after: close)...]
    }
    parts.append(.text(String(rest)))
    self.parts = parts
  }

  var names: [String] {
    parts.compactMap { if case .name(let name) = $0 { name } else { nil } }
  }
}
