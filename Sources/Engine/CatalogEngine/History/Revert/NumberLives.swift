import CatalogModel
import Projections

/// Tells rows apart that have one number after the other, and finds a row again that has another number.
///
/// A plan has one number for each life, whatever number the row has at a moment: the first one that it had since the operations
/// began, or one below all others if another life had that one first. A row that is added with the name of a removed one is that
/// row again, and so is one whose number was kept for it. The events have the numbers that hold when they are appended.
struct NumberLives {
  /// A column with numbers of a table.
  private struct Use {
    let column: Int
    let prefix: [(column: Int, value: Value)]
    /// The place of the table in the rules.
    let rows: Int
  }

  private struct Lives {
    /// The life that has a number, or had it last, if it is not the number itself.
    var labels: [Int64: Int64] = [:]
    /// The number that a life has, or had last.
    var numbers: [Int64: Int64] = [:]
    /// The last life that was removed with each name.
    var ended: [Value: Int64] = [:]
    /// The last event that removed a row with a number, and its name then.
    var removals: [Int64: (sequence: UInt64, name: Value)] = [:]
  }

  /// More than a plan can give.
  private static let spare: Int64 = 1 << 32

  private let rules: ReversalRules.ReusedNumbers?
  /// The place of a table in the rules.
  private let places: [Int: Int]
  private let uses: [Int: [Use]]
  private let texts: [Int: ReversalRules.ReusedNumbers.Text]
  private var lives: [Lives]
  private var given: Int64 = 0
  /// Whether each life has its own number: then nothing is to be renumbered.
  private var isPlain = true

  init(_ rules: ReversalRules.ReusedNumbers?) {
    self.rules = rules
    let rows = rules?.rows ?? []
    places = Dictionary(
      rows.enumerated().map { ($0.element.number.table.ordinal, $0.offset) },
      uniquingKeysWith: { first, _ in first })
    lives = rows.map { _ in Lives() }
    var uses: [Int: [Use]] = [:]
    for (place, rows) in rows.enumerated() {
      for columns in [rows.number] + (rules?.uses ?? []) {
        let isOwn = columns.table === rows.number.table
        let prefix = isOwn ? [] : zip(columns.places, rows.number.prefix).map { ($0, $1) }
        uses[columns.table.ordinal, default: []].append(
          Use(column: columns.places[columns.places.count - 1], prefix: prefix, rows: place))
      }
    }
    self.uses = uses
    texts = Dictionary(
      (rules?.texts ?? []).map { ($0.table.ordinal, $0) }, uniquingKeysWith: { first, _ in first })
  }

  // MARK: While the log is folded

  /// Notes a row that begins or ends.
  ///
  /// - Parameter sequence: the event.
  mutating func note(_ change: RowChange, in rows: MemoryRowStore, at sequence: UInt64) throws {
    guard let rules, let place = places[change.table.ordinal],
      case let own = rules.rows[place],
      let row = change.after ?? change.before,
      case .integer(let number) = row[own.number.places[0]]
    else { return }
    let name = row[own.name]
    if change.after == nil {
      let label = lives[place].labels[number] ?? number
      lives[place].ended[name] = label
      lives[place].numbers[label] = number
      lives[place].removals[number] = (sequence, name)
    } else if change.before == nil {
      let label = try begin(number, name, place, rules, rows, sequence)
      lives[place].labels[number] = label == number ? nil : label
      lives[place].numbers[label] = number
      if label != number { isPlain = false }
    }
  }

  private mutating func begin(
    _ number: Int64, _ name: Value, _ place: Int, _ rules: ReversalRules.ReusedNumbers,
    _ rows: MemoryRowStore, _ sequence: UInt64
  ) throws -> Int64 {
    // Rows that exchange unique values are removed before they are put: in one event a number stays the same row's.
    if let removal = lives[place].removals[number], removal.sequence == sequence {
      let label = label(number, place)
      if lives[place].ended[removal.name] == label { lives[place].ended[removal.name] = nil }
      return label
    }
    let keeper = IndexReference(table: rules.keeper.table, ordinal: rules.keeperIndex)
    func isKept(_ number: Int64) throws -> Bool {
      let key = rules.rows[place].number.prefix + [.integer(number)]
      return try !rows.rows(by: keeper, equal: key).isEmpty
    }
    // A merged value keeps its number, whatever its name was last.
    if try isKept(number) {
      let label = label(number, place)
      if lives[place].ended[name] == label { lives[place].ended[name] = nil }
      return label
    }
    if let label = lives[place].ended[name] {
      let last = lives[place].numbers[label] ?? label
      if try !(last != number && self.label(last, place) == label && isKept(last)) {
        lives[place].ended[name] = nil
        return label
      }
    }
    guard lives[place].numbers[number] != nil else { return number }
    given += 1
    return Int64.min + given
  }

  // MARK: Numbers

  private func label(_ number: Int64, _ place: Int) -> Int64 {
    lives[place].labels[number] ?? number
  }

  /// The number of a life now, or its last one if it ended.
  private func number(_ label: Int64, _ place: Int) -> Int64 {
    lives[place].numbers[label] ?? label
  }

  /// Whether the number of a life is not another one's now.
  private func hasNumber(_ label: Int64, _ place: Int) -> Bool {
    self.label(number(label, place), place) == label
  }

  /// Values of some columns with other numbers.
  private func renumbered(
    _ values: [Value], at columns: [Int], of table: TableDescription,
    _ number: (Int64, Int) -> Int64
  ) -> [Value] {
    guard !isPlain else { return values }
    var result = values
    for use in uses[table.ordinal] ?? [] {
      // A search can name a column twice.
      for place in columns.indices where columns[place] == use.column {
        guard case .integer(let own) = values[place],
          use.prefix.allSatisfy({ prefix in
            columns.firstIndex(of: prefix.column).map { values[$0] == prefix.value } ?? false
          })
        else { continue }
        result[place] = .integer(number(own, use.rows))
      }
    }
    if let text = texts[table.ordinal], let place = columns.firstIndex(of: text.column) {
      result[place] = text.renumbered(values[place]) { table, own in
        guard let place = places[table.ordinal] else { return own }
        return number(own, place)
      }
    }
    return result
  }

  /// A row with lives for numbers.
  func labelled(_ row: [Value], of table: TableDescription) -> [Value] {
    guard !isPlain else { return row }
    return renumbered(row, at: Array(table.columns.indices), of: table, label)
  }

  func labelled(_ change: RowChange) -> RowChange {
    guard !isPlain else { return change }
    let table = change.table
    return RowChange(
      table, key: renumbered(change.key, at: table.key, of: table, label),
      before: change.before.map { labelled($0, of: table) },
      after: change.after.map { labelled($0, of: table) })
  }

  /// Values of some columns with lives for the numbers that they have in a trial.
  func labelled(
    _ values: [Value], at columns: [Int], of table: TableDescription, _ numbering: Numbering
  ) -> [Value] {
    renumbered(values, at: columns, of: table) { number, place in
      numbering.labels[place][number] ?? label(number, place)
    }
  }

  /// Values with the numbers that lives have now, or had last.
  func shown(_ values: [Value], at columns: [Int], of table: TableDescription) -> [Value] {
    renumbered(values, at: columns, of: table, number)
  }

  /// Values with present numbers; nil if another row has one of them now.
  func present(_ values: [Value], at columns: [Int], of table: TableDescription) -> [Value]? {
    var isPresent = true
    let result = renumbered(values, at: columns, of: table) { label, place in
      isPresent = isPresent && hasNumber(label, place)
      return number(label, place)
    }
    return isPresent ? result : nil
  }

  /// The numbers that rows get which come back.
  struct Numbering {
    fileprivate var numbers: [[Int64: Int64]]
    fileprivate var labels: [[Int64: Int64]]
    fileprivate var next: Int64
  }

  func numbering(in rows: FoldedRows) throws -> Numbering {
    let empty: [[Int64: Int64]] = lives.map { _ in [:] }
    guard let rules, !isPlain else { return Numbering(numbers: empty, labels: empty, next: 0) }
    // No two tables have a number, so that one of another table can be told from one of this. A row that comes back may have
    // its own number again, and a merged one keeps its own.
    let column = rules.keeper.places[rules.keeper.places.count - 1]
    let kept = try rows.rows(in: rules.keeper.table).compactMap { row -> Int64? in
      if case .integer(let number) = row[column] { number } else { nil }
    }
    let present = try rules.rows.compactMap { try rows.greatestKey(in: $0.number.table) }
    let last = lives.flatMap(\.numbers.values)
    // A log may hold a number that nothing can follow.
    let known = (kept + present + last).filter { $0 < NumberRules.greatest - Self.spare }
    return Numbering(numbers: empty, labels: empty, next: known.max() ?? 0)
  }

  /// Values with numbers for lives: a life that has ended gets a new number if another row has its own.
  func numbered(
    _ values: [Value], at columns: [Int], of table: TableDescription, _ numbering: inout Numbering
  ) -> [Value] {
    renumbered(values, at: columns, of: table) { label, place in
      if hasNumber(label, place) { return number(label, place) }
      if let number = numbering.numbers[place][label] { return number }
      numbering.next += 1
      numbering.numbers[place][label] = numbering.next
      numbering.labels[place][numbering.next] = label
      return numbering.next
    }
  }
}
