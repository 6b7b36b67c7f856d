import CatalogModel
import Projections

/// The time of one description: what its names are called now, and what the events of that time do.
struct Era: Sendable {
  /// A table of that time.
  struct Table: Sendable {
    /// The table now.
    let compiled: CompiledTable
    /// How rows of that time become rows of the table.
    let form: RowForm
    /// The places that the columns of that time have now, by their names.
    let places: [String: Int]
    /// The columns of that time, also those that exist no more.
    let columns: Set<String>
  }

  /// The event that brought the description.
  let first: UInt64
  /// The tables that exist still, by the names that they had.
  let tables: [String: Table]
  /// Tables that exist no more.
  let dropped: Set<String>
  let events: [String: OwnEventProgram]

  /// - Parameter tables: those of the newest description.
  static func all(
    _ moments: [(sequence: UInt64, moment: DescribedMoment)], _ tables: [CompiledTable]
  ) -> [Era] {
    var eras: [Era] = []
    var later = Moves()
    // Columns of the newest tables that a description of the time after this one added, with the value of older rows.
    var added: [String: [Value?]] = Dictionary(
      uniqueKeysWithValues: tables.map { ($0.table.name, $0.columns.map { _ in nil }) })
    for (place, (sequence, moment)) in moments.enumerated().reversed() {
      var era: [String: Table] = [:]
      for described in moment.description.tables {
        guard let name = later.table(described.name),
          let compiled = tables.first(where: { $0.table.name == name })
        else { continue }
        era[described.name] = table(described, compiled, later, &added[name, default: []])
      }
      eras.append(
        Era(
          first: sequence, tables: era,
          dropped: Set(moment.description.tables.map(\.name)).subtracting(era.keys),
          events: Dictionary(
            moment.description.events.map {
              ($0.name, OwnEventProgram($0, moment.description, era))
            }, uniquingKeysWith: { first, _ in first })))
      if place > 0 { later = later.preceded(by: moment.moves) }
    }
    return eras.reversed()
  }

  private static func table(
    _ described: DescribedTable, _ compiled: CompiledTable, _ later: Moves,
    _ added: inout [Value?]
  ) -> Table {
    var places: [String: Int] = [:]
    var absent: [Value?] = compiled.columns.map { _ in nil }
    for column in described.columns where column.isKept {
      guard let name = later.column(column.name, of: described.name),
        let place = compiled.table.index(of: name)
      else { continue }
      places[column.name] = place
      if let value = column.absentValue {
        absent[place] = compiled.columns[place].map { $0.type.widened(value) } ?? value
      }
    }
    if case .wholeRow = described.key { places[CompiledTable.hiddenKey] = 0 }
    let known = Set(places.values)
    // A column that a later description added has the value that it gave to the rows that existed.
    for place in absent.indices where !known.contains(place) {
      absent[place] = added[place] ?? compiled.absent[place]
    }
    added = absent.enumerated().map { place, value in
      known.contains(place) ? .some(value ?? .null) : added[place] ?? compiled.absent[place]
    }
    let values = absent.map { $0 ?? .null }
    let names = places
    // Not the descriptions of columns, whose references would be counted for each value of each row.
    let types = compiled.columns.map { $0?.type }
    let held = compiled.table.columns.map(\.type)
    // A value is what the column's type was then, before it is what it is now.
    var before: [ColumnType?] = held.map { _ in nil }
    for column in described.columns {
      guard let place = names[column.name], held[place] == .any else { continue }
      before[place] = column.type.columnType
    }
    let former = before
    return Table(
      compiled: compiled,
      form: RowForm(
        compiled.table, place: { names[$0] },
        value: { value, place in
          if types[place] == .number, case .integer = value {
            return DescribedType.number.widened(value)
          }
          let then = former[place].map { value.held(by: $0) } ?? value
          let now = then.held(by: held[place])
          return types[place]?.widened(now) ?? now
        },
        absent: { values[$0] }, problem: { compiled.problem($0) }),
      places: places, columns: Set(described.columns.map(\.name)).union(places.keys))
  }

  /// A column that the table of rows did not have then: the event that described it is lost.
  func unknownColumn(in put: RestoredRows) -> String? {
    guard let table = tables[put.table] else { return nil }
    return put.columns.first { !table.columns.contains($0) }
  }
}

/// The names of one description in the newest one.
struct Moves: Sendable {
  /// New names of tables; nil if the table was dropped.
  private var tables: [String: String?] = [:]
  /// New names of columns, by the table's name in the older description.
  private var columns: [String: [String: String?]] = [:]

  init() {}

  /// The name of a table now; nil if it was dropped.
  func table(_ name: String) -> String? {
    if let moved = tables[name] { return moved }
    return name
  }

  /// The name of a column now; nil if it was dropped.
  func column(_ name: String, of table: String) -> String? {
    if let moved = columns[table]?[name] { return moved }
    return name
  }

  /// The moves from the description before some moves to the newest one.
  func preceded(by moves: [Move]) -> Moves {
    var names: [String: String?] = [:]
    var older: [String: String] = [:]
    for move in moves {
      switch move {
      case .renameTable(let name, let new):
        names[name] = .some(new)
        older[new] = name
      case .dropTable(let name): names[name] = .some(nil)
      default: break
      }
    }
    var all = Moves()
    // Tables that the moves do not name keep what happens to them later.
    for (name, later) in tables where names[name] == nil { all.tables[name] = later }
    for (name, new) in names {
      all.tables[name] = .some(new.flatMap { table($0) })
    }
    var perTable: [String: [String: String?]] = [:]
    for move in moves {
      switch move {
      case .renameColumn(let table, let name, let new):
        perTable[table, default: [:]][name] = .some(column(new, of: table))
      case .dropColumn(let table, let name):
        perTable[table, default: [:]][name] = .some(nil)
      default: break
      }
    }
    let known = Set(columns.keys).union(perTable.keys)
    for table in known {
      // A table that took the name of another one has no older rows.
      if older[table] == nil, names[table] != nil { continue }
      var moved = perTable[table] ?? [:]
      for (name, later) in columns[table] ?? [:] where moved[name] == nil { moved[name] = later }
      all.columns[older[table] ?? table] = moved
    }
    return all
  }
}

extension DescribedType {
  /// A value of a type that was narrower, as this type has it. A value of another sort stays as it is, and so does a whole
  /// number that a `Double` would round: a column for numbers refuses it.
  func widened(_ value: Value) -> Value {
    switch (self, value) {
    case (.text, .integer(let integer)): .text(String(integer))
    case (.text, .real(let real)): .text(real.shownAsText)
    case (.text, .id(let id)): .text(id.description)
    case (.text, .time(let time)): .text(time.description)
    case (.number, .integer(let integer)): Double(exactly: integer).map { .real($0) } ?? value
    default: value
    }
  }
}

extension Double {
  /// The shortest text of the number; a whole one has no fraction.
  fileprivate var shownAsText: String {
    if let integer = Int64(exactly: self), magnitude < 1e15 { return String(integer) }
    return description
  }
}
