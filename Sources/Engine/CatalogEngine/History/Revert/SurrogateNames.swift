import Projections

/// Names rows that are numbered by what they are, since a number may be another row's later.
///
/// A plan has the name of a row in each column that has its number. The events have numbers again.
struct SurrogateNames {
  private struct Use {
    let column: Int
    let surrogate: Int
    let isParent: Bool
  }

  private let surrogates: [ReversalRules.Surrogate]
  /// The use of a number, by the place of the table.
  private let uses: [Int: Use]
  /// The name that has a number now, of each surrogate.
  private var names: [[Value: Value]]
  /// The last number of a name, and the values that the name is made of.
  private var numbers: [[Value: Value]]
  private var identities: [[Value: [Value]]]
  private var lives: NumberLives

  init(_ rules: ReversalRules) {
    surrogates = rules.surrogates
    lives = NumberLives(rules.reusedNumbers)
    var uses: [Int: Use] = [:]
    for (number, surrogate) in surrogates.enumerated() {
      let table = surrogate.number.table
      uses[table.ordinal] = Use(
        column: surrogate.number.places[0], surrogate: number, isParent: true)
      for use in surrogate.uses {
        uses[use.table.ordinal] = Use(
          column: use.places[0], surrogate: number, isParent: false)
      }
    }
    self.uses = uses
    names = surrogates.map { _ in [:] }
    numbers = names
    identities = surrogates.map { _ in [:] }
  }

  private func identity(of row: [Value], _ surrogate: Int) -> [Value] {
    surrogates[surrogate].identity.places.map { row[$0] }
  }

  private func name(of row: [Value], _ surrogate: Int) -> Value {
    let values = identity(of: row, surrogate)
    return values.count == 1
      ? values[0] : .text(values.map { "\($0)" }.joined(separator: " "))
  }

  /// Notes which number a row has.
  private mutating func note(_ row: [Value], _ number: Value, _ surrogate: Int) -> Value {
    let name = name(of: row, surrogate)
    numbers[surrogate][name] = number
    identities[surrogate][name] = identity(of: row, surrogate)
    return name
  }

  // MARK: While the log is folded

  /// The changes of named rows that a change of a numbered row is: two if its number is another row's.
  ///
  /// - Parameter sequence: the event.
  mutating func named(
    _ change: RowChange, in rows: MemoryRowStore, at sequence: UInt64
  ) throws -> [RowChange] {
    try lives.note(change, in: rows, at: sequence)
    let change = lives.labelled(change)
    guard let use = uses[change.table.ordinal] else { return [change] }
    func named(_ row: [Value]?, _ name: Value) -> [Value]? {
      guard var row else { return nil }
      row[use.column] = name
      return row
    }
    func renamed(_ name: Value, _ before: [Value]?, _ after: [Value]?) -> RowChange {
      var key = change.key
      if let place = change.table.key.firstIndex(of: use.column) { key[place] = name }
      return RowChange(
        change.table, key: key, before: named(before, name), after: named(after, name))
    }
    if use.isParent {
      let old = change.before.map { note($0, $0[use.column], use.surrogate) }
      let new = change.after.map { note($0, $0[use.column], use.surrogate) }
      // The rows of a row that is removed may be removed after it.
      if let row = change.after ?? change.before {
        names[use.surrogate][row[use.column]] = new ?? old
      }
      if old == new || old == nil || new == nil {
        return (old ?? new).map { [renamed($0, change.before, change.after)] } ?? []
      }
      return [
        old.map { renamed($0, change.before, nil) }, new.map { renamed($0, nil, change.after) },
      ].compactMap(\.self)
    }
    guard let number = (change.after ?? change.before)?[use.column],
      let name = try currentName(number, use.surrogate, rows)
    else { return [change] }
    return [renamed(name, change.before, change.after)]
  }

  private mutating func currentName(
    _ number: Value, _ surrogate: Int, _ rows: some RowStore
  ) throws -> Value? {
    if let name = names[surrogate][number] { return name }
    let table = surrogates[surrogate].number.table
    guard let row = try rows.row(in: table, key: [number]) else { return nil }
    let name = note(lives.labelled(row, of: table), number, surrogate)
    names[surrogate][number] = name
    return name
  }

  // MARK: Afterwards

  /// A row with the name of each numbered row that it has, as the rows are now.
  func named(_ row: [Value], of table: TableDescription, in rows: FoldedRows) throws -> [Value] {
    var row = lives.labelled(row, of: table)
    guard let use = uses[table.ordinal] else { return row }
    if use.isParent {
      row[use.column] = name(of: row, use.surrogate)
    } else if let parent = try rows.row(
      in: surrogates[use.surrogate].number.table, key: [row[use.column]])
    {
      row[use.column] = name(
        of: lives.labelled(parent, of: surrogates[use.surrogate].number.table), use.surrogate)
    }
    return row
  }

  /// The key of a row as it is now, by its key with names; nil if no row has such a name.
  func presentKey(
    _ key: [Value], of table: TableDescription, in rows: FoldedRows
  ) throws -> [Value]? {
    guard var key = lives.present(key, at: table.key, of: table) else { return nil }
    guard let use = uses[table.ordinal], let place = table.key.firstIndex(of: use.column) else {
      return key
    }
    // A number without a row has no name.
    if case .integer = key[place] { return key }
    guard let number = try presentNumber(key[place], use.surrogate, in: rows) else { return nil }
    key[place] = number
    return key
  }

  private func presentNumber(
    _ name: Value, _ surrogate: Int, in rows: FoldedRows
  ) throws -> Value? {
    let table = surrogates[surrogate].number.table
    guard let last = numbers[surrogate][name] else { return nil }
    if let row = try rows.row(in: table, key: [last]),
      self.name(of: lives.labelled(row, of: table), surrogate) == name
    {
      return last
    }
    // The number is another row's, or no longer one: the row has another number, if it exists.
    let columns = surrogates[surrogate].identity.places
    guard let identity = identities[surrogate][name],
      let present = lives.present(identity, at: columns, of: table)
    else { return nil }
    return try rows.rows(
      of: table, where: columns, are: present
    ).first?[surrogates[surrogate].number.places[0]]
  }

  /// Gives numbers to rows that have none now.
  struct Numbering {
    fileprivate var given: [[Value: Value]]
    fileprivate var names: [[Value: Value]]
    fileprivate var taken: [Set<Value>]
    fileprivate var lives: NumberLives.Numbering

    fileprivate mutating func give(_ number: Value, to name: Value, _ surrogate: Int) -> Value {
      given[surrogate][name] = number
      names[surrogate][number] = name
      return number
    }

    fileprivate var next: [Int64]
  }

  func numbering(in rows: FoldedRows) throws -> Numbering {
    Numbering(
      given: surrogates.map { _ in [:] }, names: surrogates.map { _ in [:] },
      taken: surrogates.map { _ in [] }, lives: try lives.numbering(in: rows),
      next: try surrogates.map { try rows.greatestKey(in: $0.number.table) ?? 0 })
  }

  /// A row, or a key, with numbers for names.
  func numbered(
    _ values: [Value], at columns: [Int], of table: TableDescription, _ numbering: inout Numbering,
    in rows: FoldedRows
  ) throws -> [Value] {
    var values = lives.numbered(values, at: columns, of: table, &numbering.lives)
    guard let use = uses[table.ordinal], let place = columns.firstIndex(of: use.column) else {
      return values
    }
    let name = values[place]
    if case .integer = name { return values }
    if let number = numbering.given[use.surrogate][name] {
      values[place] = number
    } else {
      let number =
        try presentNumber(name, use.surrogate, in: rows)
        ?? newNumber(name, use.surrogate, &numbering, in: rows)
      values[place] = numbering.give(number, to: name, use.surrogate)
    }
    return values
  }

  /// The number that the row had, if it is free; else one after all others.
  private func newNumber(
    _ name: Value, _ surrogate: Int, _ numbering: inout Numbering, in rows: FoldedRows
  ) throws -> Value {
    if let last = numbers[surrogate][name], !numbering.taken[surrogate].contains(last),
      try rows.row(in: surrogates[surrogate].number.table, key: [last]) == nil
    {
      numbering.taken[surrogate].insert(last)
      return last
    }
    while true {
      numbering.next[surrogate] += 1
      let number = Value.integer(numbering.next[surrogate])
      if numbering.taken[surrogate].insert(number).inserted { return number }
    }
  }

  /// A key with names, as a trial found it with numbers.
  func named(
    key: [Value], of table: TableDescription, _ numbering: Numbering, in rows: FoldedRows
  ) throws -> [Value] {
    var key = lives.labelled(key, at: table.key, of: table, numbering.lives)
    guard let use = uses[table.ordinal], let place = table.key.firstIndex(of: use.column) else {
      return key
    }
    if let name = numbering.names[use.surrogate][key[place]] {
      key[place] = name
    } else if let row = try rows.row(
      in: surrogates[use.surrogate].number.table, key: [key[place]])
    {
      key[place] = name(
        of: lives.labelled(row, of: surrogates[use.surrogate].number.table), use.surrogate)
    }
    return key
  }

  /// Values of a trial with lives for the numbers that people know by names.
  func labelled(
    _ values: [Value], at columns: [Int], of table: TableDescription, _ numbering: Numbering
  ) -> [Value] {
    lives.labelled(values, at: columns, of: table, numbering.lives)
  }

  /// A row with the names of numbered rows, and the other numbers that rows have now, or had last.
  func seen(_ row: [Value], of table: TableDescription) -> [Value] {
    lives.shown(row, at: Array(table.columns.indices), of: table)
  }

  /// Values as people may see them: with the numbers that rows have now, or had last.
  func shown(
    _ values: [Value], at columns: [Int], of table: TableDescription, in rows: FoldedRows
  ) throws -> [Value] {
    lives.shown(
      try unnamed(values, at: columns, of: table, in: rows), at: columns, of: table)
  }

  /// Values with the number that a row has now, or had last, for its name.
  func unnamed(
    _ values: [Value], at columns: [Int], of table: TableDescription, in rows: FoldedRows
  ) throws -> [Value] {
    guard let use = uses[table.ordinal], let place = columns.firstIndex(of: use.column) else {
      return values
    }
    let name = values[place]
    if case .integer = name { return values }
    var values = values
    values[place] =
      try presentNumber(name, use.surrogate, in: rows) ?? numbers[use.surrogate][name] ?? name
    return values
  }
}
