import CatalogModel
import Projections
import Support

/// An event of a kind's own, made ready to be carried out on the tables that exist now.
struct OwnEventProgram: Sendable {
  let event: OwnEvent
  /// The description that the event was appended under.
  private let description: KindDescription
  private let tables: [String: Era.Table]

  init(_ event: OwnEvent, _ description: KindDescription, _ tables: [String: Era.Table]) {
    self.event = event
    self.description = description
    self.tables = tables
  }

  /// The values of an event's members.
  ///
  /// - Throws: `ProjectionError` with `contradiction` for a member that the event must have and has not, one that it has too
  ///   many, and a value of another type.
  func values(of members: [JSONValue.Member]) throws -> [String: Value] {
    var values: [String: Value] = [:]
    for member in members {
      guard let form = event.member(member.key), values[member.key] == nil else {
        let known = event.members.map(\.name)
        throw ProjectionError(
          contradiction: "\(event.name) has no member \(member.key.debugDescription); "
            + NearMiss.advice(for: member.key, among: known))
      }
      if member.value == .null, form.isOptional {
        values[member.key] = .null
        continue
      }
      do throws(ValueProblem) {
        values[member.key] = try form.type.logged(member.value)
      } catch {
        throw ProjectionError(
          contradiction: "\(member.key) of \(event.name) \(error.message)"
            + (error.advice.map { "; \($0)" } ?? ""))
      }
    }
    for member in event.members where values[member.name] == nil {
      guard member.isOptional else {
        throw ProjectionError(
          contradiction: "\(event.name) lacks \(member.name), which is \(member.type.noun)")
      }
      values[member.name] = .null
    }
    return values
  }

  /// Checks the conditions and carries out the steps on rows.
  ///
  /// - Throws: `ProjectionError` with `contradiction`. The caller writes nothing then.
  func apply(_ record: Recorded<OwnRecord>, to rows: StepRows<some RowStore>) throws {
    let context = Context(record, try values(of: record.event.members))
    for need in event.needs { try require(need, context, rows) }
    for step in event.steps { try carryOut(step, context, rows) }
  }

  // MARK: Conditions

  private func require(
    _ need: OwnEvent.Need, _ context: Context, _ rows: StepRows<some RowStore>
  ) throws {
    // A condition on a table that exists no more was met when the event was appended.
    guard let table = tables[need.table], let key = try key(need.key, of: table, context) else {
      return
    }
    let row = try rows.row(in: table.compiled.table, key: key)
    let isMet = try row.map { row in
      try need.tests.allSatisfy { test in
        guard let place = table.places[test.column] else { return true }
        return try passes(row[place], test.test, place, table, context)
      }
    }
    guard isMet ?? false != need.exists else { return }
    throw ProjectionError(.contradiction, ErrorMessage(sentence(need, row, table, context)))
  }

  private func passes(
    _ value: Value, _ test: OwnEvent.Test, _ place: Int, _ table: Era.Table, _ context: Context
  ) throws -> Bool {
    func operand(_ operand: OwnEvent.Operand) -> Value {
      context.value(operand, of: table.compiled.columns[place], table.form, place)
    }
    switch test {
    case .among(let operands): return operands.contains { operand($0) == value }
    case .not(let other): return operand(other) != value
    case .atLeast(let bound): return value.order(operand(bound)).map { $0 >= 0 } ?? false
    case .atMost(let bound): return value.order(operand(bound)).map { $0 <= 0 } ?? false
    }
  }

  private func sentence(
    _ need: OwnEvent.Need, _ row: [Value]?, _ table: Era.Table, _ context: Context
  ) -> String {
    SentenceForm(need.otherwise).parts.map { part in
      switch part {
      case .text(let text): return text
      case .name(let name) where name.hasPrefix("row."):
        let place = table.places[String(name.dropFirst(4))]
        return place.flatMap { row?[$0] }.map(\.shownToPeople) ?? ""
      case .name(let name): return context.members[name].map(\.shownToPeople) ?? ""
      }
    }.joined()
  }

  // MARK: Steps

  private func carryOut(
    _ step: OwnEvent.Step, _ context: Context, _ rows: StepRows<some RowStore>
  ) throws {
    guard let table = tables[step.table] else { return }
    let description = table.compiled.table
    switch step {
    case .put(_, let cells):
      var row = description.columns.indices.map(table.form.absent)
      set(cells, in: &row, table, context)
      try rows.put(checked(row, table), in: description)
    case .merge(_, let cells):
      var row = description.columns.indices.map(table.form.absent)
      set(cells, in: &row, table, context)
      // A row that no table can have has no key either.
      let key = try checked(row, table)
      if let known = try rows.row(in: description, key: description.key(of: key)) {
        row = known
        set(cells, in: &row, table, context)
      }
      try rows.put(checked(row, table), in: description)
    case .set(_, let operands, let cells):
      var row = try self.row(operands, table, context, rows)
      set(cells, in: &row, table, context)
      try rows.put(checked(row, table), in: description)
    case .add(_, let operands, let cells):
      var row = try self.row(operands, table, context, rows)
      for cell in cells {
        guard let place = table.places[cell.column] else { continue }
        let term = context.value(
          cell.value, of: table.compiled.columns[place], table.form, place)
        guard let sum = row[place].adding(term) else {
          throw ProjectionError(
            contradiction: "\(event.name) cannot add \(term.shownToPeople) to "
              + "\(description.name).\(description.columns[place].name), which is "
              + row[place].shownToPeople)
        }
        row[place] = sum
      }
      try rows.put(checked(row, table), in: description)
    case .remove(_, let operands):
      guard let key = try key(operands, of: table, context) else { return }
      try rows.remove(key: key, from: table.compiled)
    case .removeAll(_, let cells):
      try removeAll(cells, table, context, rows)
    }
  }

  private func removeAll(
    _ cells: [OwnEvent.Cell], _ table: Era.Table, _ context: Context,
    _ rows: StepRows<some RowStore>
  ) throws {
    var wanted: [(place: Int, value: Value)] = []
    for cell in cells {
      guard let place = table.places[cell.column] else { return }
      wanted.append(
        (
          place,
          context.value(cell.value, of: table.compiled.columns[place], table.form, place)
        ))
    }
    for row in try rows.rows(in: table.compiled.table, where: wanted) {
      try rows.remove(key: table.compiled.table.key(of: row), from: table.compiled)
    }
  }

  private func set(
    _ cells: [OwnEvent.Cell], in row: inout [Value], _ table: Era.Table, _ context: Context
  ) {
    for cell in cells {
      guard let place = table.places[cell.column] else { continue }
      row[place] = context.value(
        cell.value, of: table.compiled.columns[place], table.form, place)
    }
  }

  /// The row with a key, which must exist.
  private func row(
    _ operands: [OwnEvent.Operand], _ table: Era.Table, _ context: Context,
    _ rows: StepRows<some RowStore>
  ) throws -> [Value] {
    guard let key = try key(operands, of: table, context) else {
      throw ProjectionError(
        contradiction: "\(event.name) names no row of \(table.compiled.table.name)")
    }
    guard let row = try rows.row(in: table.compiled.table, key: key) else {
      let shown = key.map(\.shownToPeople).joined(separator: ", ")
      throw ProjectionError(
        contradiction: "there is no row \(shown) in \(table.compiled.table.name)")
    }
    return row
  }

  /// The values of a key in the order that the table has now; nil if it lacks a column.
  private func key(
    _ operands: [OwnEvent.Operand], of table: Era.Table, _ context: Context
  ) throws -> [Value]? {
    let described = description.tables.first { tables[$0.name]?.compiled === table.compiled }
    guard let names = described?.keyColumns, names.count == operands.count else { return nil }
    var values: [Int: Value] = [:]
    for (name, operand) in zip(names, operands) {
      guard let place = table.places[name] else { return nil }
      values[place] = context.value(
        operand, of: table.compiled.columns[place], table.form, place)
    }
    let key = table.compiled.table.key.map { values[$0] ?? .null }
    do {
      try table.compiled.table.require(key: key)
    } catch let error as ProjectionError {
      throw ProjectionError(.contradiction, error.explanation)
    }
    return key
  }

  private func checked(_ row: [Value], _ table: Era.Table) throws -> [Value] {
    do {
      try table.compiled.table.require(row)
    } catch let error as ProjectionError {
      throw ProjectionError(.contradiction, error.explanation)
    }
    if let problem = table.compiled.problem(row) {
      throw ProjectionError(contradiction: "\(problem)")
    }
    return row
  }
}

extension OwnEventProgram {
  /// The values that operands can name.
  fileprivate struct Context {
    let members: [String: Value]
    private let time: Timestamp
    private let author: String
    private let sequence: UInt64

    init(_ record: Recorded<OwnRecord>, _ members: [String: Value]) {
      self.members = members
      time = record.at
      author = record.by
      sequence = record.sequence
    }

    /// The value of an operand, as a column has it.
    func value(
      _ operand: OwnEvent.Operand, of column: DescribedColumn?, _ form: RowForm, _ place: Int
    ) -> Value {
      let value: Value =
        switch operand {
        case .member(let name): members[name] ?? .null
        case .time: .text(time.description)
        case .author: .text(author)
        case .sequence: .integer(Int64(clamping: sequence))
        case .literal(.null): .null
        case .literal(let json): (try? column?.type.value(of: json)) ?? .null
        }
      return form.value(value, place)
    }
  }
}

extension DescribedType {
  /// The value of a member as a log has it: also a text that is not in normal form C.
  func logged(_ json: JSONValue) throws(ValueProblem) -> Value {
    guard self == .text, case .object(let members) = json, members.count == 1,
      case .string(let base64)? = json["base64"], let bytes = Base64.bytes(base64),
      let text = String(validating: bytes, as: UTF8.self)
    else { return try value(of: json) }
    return try value(of: .string(text))
  }
}

extension Value {
  /// As a sentence has it.
  var shownToPeople: String {
    switch self {
    case .null: "NULL"
    case .integer(let integer): String(integer)
    case .real(let real): String(real)
    case .text(let text): JSONExcerpt.printable(text)
    case .id(let id): id.description
    case .time(let time): time.description
    case .blob(let bytes): "\(bytes.count) bytes"
    }
  }

  /// Less than 0, 0 or more than 0; nil if one is NULL or both are of different sorts.
  fileprivate func order(_ other: Value) -> Int? {
    func sign(_ isLess: Bool, _ isEqual: Bool) -> Int { isEqual ? 0 : isLess ? -1 : 1 }
    switch (self, other) {
    case (.integer(let left), .integer(let right)): return sign(left < right, left == right)
    case (.real(let left), .real(let right)): return sign(left < right, left == right)
    case (.text(let left), .text(let right)):
      return sign(
        left.utf8.lexicographicallyPrecedes(right.utf8), left.utf8.elementsEqual(right.utf8))
    default: return nil
    }
  }

  /// The sum; nil if it is not a number of the same sort, or beyond its bounds.
  fileprivate func adding(_ other: Value) -> Value? {
    switch (self, other) {
    case (.integer(let left), .integer(let right)):
      let (sum, overflowed) = left.addingReportingOverflow(right)
      return overflowed ? nil : .integer(sum)
    case (.real(let left), .real(let right)):
      let sum = left + right
      return sum.isFinite ? .real(sum + 0) : nil
    default: return nil
    }
  }
}
