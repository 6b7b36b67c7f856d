package import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog
import Projections

/// A new description of a catalog's tables, compared with the one that the log has.
package struct DescriptionChange: Sendable {
  /// Without the former names, which `moves` has.
  package let description: KindDescription
  package let moves: [Move]
  /// Things that the new description adds, or changes without a move.
  let others: [Other]
  /// Columns that get a condition which rows can break.
  let conditions: [Condition]

  /// A change that moves no value.
  struct Other: Hashable, Sendable {
    let text: String
    /// Whether it is something that the description before did not have.
    let isNew: Bool
  }

  /// A condition of a column that a description adds: that it is unique, or of a type that does not have all values of the one before.
  struct Condition: Sendable {
    /// The names that the log's description has.
    let table: String
    let column: String
    let type: DescribedType
    let isUnique: Bool
  }

  /// - Parameter dropped: tables (`tags`) and columns (`products.color`) that may be dropped.
  /// - Throws: `DescriptionRefusal` with all reasons for which the description cannot be taken.
  package init(
    from old: KindDescription, to new: KindDescription, dropping dropped: Set<String>
  ) throws(DescriptionRefusal) {
    var comparison = DescriptionComparison(old, new, dropped)
    comparison.compare()
    guard comparison.reasons.isEmpty else {
      throw DescriptionRefusal(reasons: comparison.reasons, obstacles: comparison.obstacles)
    }
    var description = new
    description.version = max(new.version, old.version + 1)
    for table in description.tables.indices {
      description.tables[table].was = nil
      for column in description.tables[table].columns.indices {
        description.tables[table].columns[column].was = nil
      }
    }
    self.description = description
    moves = comparison.moves
    others = comparison.others
    conditions = comparison.conditions
  }

  /// Things that the description adds or changes without a move: `table tags`, `rule cheap: removed`.
  package var additions: [String] { others.map(\.text) }

  /// The differences, a line each.
  package var sentences: [String] {
    moves.map(\.sentence) + others.map { $0.isNew ? "new: \($0.text)" : $0.text }
  }

  /// The payload of the event that a log keeps of it.
  var moment: DescribedMoment { DescribedMoment(description, moves: moves) }

  /// Whether the description is the one that the log has.
  package func isUnchanged(from old: KindDescription) -> Bool {
    var same = description
    same.version = old.version
    return moves.isEmpty
      && same.canonical.description.utf8.elementsEqual(old.canonical.description.utf8)
  }
}

/// The reasons for which a description cannot be taken.
package struct DescriptionRefusal: Error, CustomStringConvertible, Sendable {
  package let reasons: [String]
  /// The rows that a reason is about, by its place.
  let obstacles: [Int: RowObstacle]

  init(reasons: [String], obstacles: [Int: RowObstacle] = [:]) {
    self.reasons = reasons
    self.obstacles = obstacles
  }

  package var description: String { reasons.joined(separator: "\n") }
}

/// Finds what is different in two descriptions.
private struct DescriptionComparison {
  private let old: KindDescription
  private let new: KindDescription
  private let dropped: Set<String>
  private(set) var moves: [Move] = []
  private(set) var others: [DescriptionChange.Other] = []
  private(set) var reasons: [String] = []
  private(set) var obstacles: [Int: RowObstacle] = [:]
  private(set) var conditions: [DescriptionChange.Condition] = []

  init(_ old: KindDescription, _ new: KindDescription, _ dropped: Set<String>) {
    (self.old, self.new, self.dropped) = (old, new, dropped)
  }

  mutating func compare() {
    if old.kind != new.kind {
      reasons.append("the kind is \"\(old.kind)\", and its name stays")
    }
    var known: Set<String> = []
    for table in new.tables {
      guard let former = former(of: table) else {
        add("table \(table.name)" + (table.key == .wholeRow ? ", key the whole row" : ""))
        continue
      }
      if !known.insert(former.name).inserted {
        reasons.append("\(former.name) has become two tables; \"was\" names a table once")
        continue
      }
      if former.name != table.name { moves.append(.renameTable(former.name, to: table.name)) }
      compare(former, table)
    }
    for name in dropped.sorted() where !isDroppable(name) {
      reasons.append(
        "\(name), which is to be dropped, is not a table or a column that the new description lacks"
      )
    }
    for table in old.tables where !known.contains(table.name) {
      guard dropped.contains(table.name) else {
        reasons.append(
          "the table \(table.name) is not in the new description; --drop \(table.name) drops it, and \"was\" renames it"
        )
        continue
      }
      moves.append(.dropTable(table.name))
    }
    compare("event", old.events.map { ($0.name, $0) }, new.events.map { ($0.name, $0) })
    compare("document", old.documents.map(settings), new.documents.map(settings))
    for document in new.documents {
      if let former = old.document(document.name), hasOtherPlaces(former, document) {
        change("document \(document.name): its columns come from other places")
      }
      compareLeftOut(old.document(document.name)?.leftOut ?? [], document.leftOut)
    }
    compare("rule", old.rules.map { ($0.name, $0) }, new.rules.map { ($0.name, $0) })
  }

  /// Whether something has a name, `tags` or `products.color`, that can be dropped. A table or column that the new description has
  /// would stay.
  private func isDroppable(_ name: String) -> Bool {
    let kept = new.tables.map { ($0, $0.was ?? $0.name) }
    if let table = old.table(name) { return !kept.contains { $0.1 == table.name } }
    return old.tables.contains { table in
      let now = kept.first { $0.1 == table.name }?.0
      return [table.name, now?.name].compactMap(\.self).contains { owner in
        guard name.hasPrefix(owner + "."),
          table.column(String(name.dropFirst(owner.utf8.count + 1)))?.isKept == true
        else { return false }
        let column = String(name.dropFirst(owner.utf8.count + 1))
        return now?.columns.contains { $0.isKept && ($0.was ?? $0.name) == column } != true
      }
    }
  }

  /// Notes what came to a database, and what went, that has no rows of its own.
  private mutating func compareLeftOut(_ old: [String], _ new: [String]) {
    for name in new where !old.contains(name) { change("left out: the \(name)") }
    for name in old where !new.contains(name) { change("no longer in the database: the \(name)") }
  }

  private mutating func add(_ text: String) { others.append(.init(text: text, isNew: true)) }

  private mutating func change(_ text: String) { others.append(.init(text: text, isNew: false)) }

  /// How a document is read, without the tables and columns that it fills: these are said by themselves. So are names that a
  /// move changes, also in the list of what is passed over.
  private func settings(
    _ document: DescribedDocument
  ) -> (name: String, part: DescribedDocument) {
    var settings = document
    (settings.rows, settings.leftOut) = ([], [])
    if !moves.isEmpty { settings.ignored = [] }
    return (document.name, settings)
  }

  /// Whether a table or a column that both descriptions have comes from another place of the document.
  private func hasOtherPlaces(_ old: DescribedDocument, _ new: DescribedDocument) -> Bool {
    new.rows.contains { rows in
      guard let former = old.rows.first(where: { $0.table == rows.table }),
        let columns = self.new.table(rows.table)?.columns,
        let formerColumns = self.old.table(rows.table)?.columns
      else { return false }
      func source(_ column: String, _ rows: DescribedDocument.Rows) -> DescribedDocument.Source {
        rows.columns.first { $0.column == column } ?? DescribedDocument.Source(column, from: column)
      }
      return rows.at != former.at
        || columns.contains { column in
          formerColumns.contains { $0.name == column.name }
            && source(column.name, rows) != source(column.name, former)
        }
    }
  }

  /// Notes which events, rules or documents are new, are others now, or are gone.
  private mutating func compare<Part: Equatable>(
    _ what: String, _ old: [(name: String, part: Part)], _ new: [(name: String, part: Part)]
  ) {
    for (name, part) in new {
      guard let former = old.first(where: { $0.name == name }) else {
        add("\(what) \(name)")
        continue
      }
      if former.part != part { change("\(what) \(name): another one") }
    }
    for (name, _) in old where !new.contains(where: { $0.name == name }) {
      change("\(what) \(name): removed")
    }
  }

  private mutating func former(of table: DescribedTable) -> DescribedTable? {
    if let was = table.was, was != table.name {
      if let former = old.table(was) { return former }
      // A description that was taken once may be taken again.
      if old.table(table.name) == nil {
        reasons.append("\(table.name) was \(was), which is not a table")
      }
    }
    return old.table(table.name)
  }

  private mutating func compare(_ old: DescribedTable, _ new: DescribedTable) {
    var names: [String: String] = [:]
    var known: Set<String> = []
    let oldColumns = old.columns.filter(\.isKept)
    for column in new.columns where column.isKept {
      var former = oldColumns.first { $0.name == column.name }
      if let was = column.was, was != column.name,
        let renamed = oldColumns.first(where: { $0.name == was })
      {
        former = renamed
      } else if let was = column.was, former == nil {
        reasons.append("\(new.name).\(column.name) was \(was), which is not a column")
        continue
      }
      guard let former else {
        add(column, to: new, old)
        continue
      }
      guard known.insert(former.name).inserted else {
        reasons.append("\(new.name).\(former.name) has become two columns")
        continue
      }
      names[former.name] = column.name
      if former.name != column.name {
        moves.append(.renameColumn(table: new.name, former.name, to: column.name))
      }
      compare(former, column, in: new, old)
    }
    for column in oldColumns where !known.contains(column.name) {
      let name = "\(new.name).\(column.name)"
      guard dropped.contains(name) || dropped.contains("\(old.name).\(column.name)") else {
        reasons.append(
          "\(name) is not in the new description; --drop \(name) drops it, and \"was\" renames it")
        continue
      }
      moves.append(.dropColumn(table: new.name, column.name))
    }
    let key = old.keyColumns.map { names[$0] ?? $0 }
    let isSameKey =
      switch (old.key, new.key) {
      case (.wholeRow, .wholeRow): true
      case (.columns, .columns(let wanted)): key == wanted
      default: false
      }
    if !isSameKey {
      if case .columns(let wanted) = new.key {
        let columns = wanted.map { name in names.first { $0.value == name }?.key ?? name }
        obstacles[reasons.count] = .sameKey(table: old.name, columns: columns)
      }
      reasons.append(
        "\(new.name) has another key; a key stays: describe a second table, and import into it")
    }
    for index in new.indexes
    where !old.indexes.contains(
      index.map { name in
        names.first { $0.value == name }?.key ?? name
      })
    {
      add("index of \(new.name): \(index.joined(separator: ", "))")
    }
    for index in old.indexes where !new.indexes.contains(index.map { names[$0] ?? $0 }) {
      change("index of \(new.name): \(index.joined(separator: ", ")): removed")
    }
    if new.search != old.search.map({ names[$0] ?? $0 }) {
      let columns = new.search.joined(separator: ", ")
      change("search in \(new.name): \(columns.isEmpty ? "removed" : columns)")
    }
  }

  private mutating func add(
    _ column: DescribedColumn, to table: DescribedTable, _ old: DescribedTable
  ) {
    guard column.absentValue != nil else {
      reasons.append(
        "\(table.name).\(column.name) is new, and rows that exist have no value for it; add a \"default\", or ? to its type"
      )
      return
    }
    add("column \(table.name).\(column.name)")
  }

  private mutating func compare(
    _ old: DescribedColumn, _ new: DescribedColumn, in table: DescribedTable,
    _ former: DescribedTable
  ) {
    let name = "\(table.name).\(new.name)"
    let isNewlyUnique = new.isUnique && !old.isUnique
    if isNewlyUnique || old.type != new.type {
      conditions.append(
        DescriptionChange.Condition(
          table: former.name, column: old.name, type: new.type, isUnique: isNewlyUnique))
    }
    if old.type != new.type {
      if new.type.widens(old.type) {
        change("\(name) is \(new.type.noun) instead of \(old.type.noun)")
      } else {
        obstacles[reasons.count] = .misfit(table: former.name, column: old.name, new.type)
        reasons.append(
          "\(name) is \(old.type.noun) and cannot become \(new.type.noun); describe another column, and import into it"
        )
      }
    }
    if old.isOptional, !new.isOptional {
      obstacles[reasons.count] = .null(table: former.name, column: old.name)
      reasons.append(
        "\(name) may be NULL, and rows of the past are; a column that may be NULL stays so")
    }
    if new.isUnique, !old.isUnique { change("\(name) is unique") }
    if old.isUnique, !new.isUnique {
      // The database can have the rule still.
      change(
        new.type == .any && old.type != .any
          ? "\(name) is not checked to be unique any more" : "\(name) is no longer unique")
    }
    if let reference = new.reference, old.reference != reference {
      change(
        "\(name) refers to \(reference.table)\(old.reference == nil ? "" : ", otherwise than before")"
      )
    }
    if old.reference != nil, new.reference == nil {
      change("\(name) no longer refers to a table")
    }
    if new.isOptional, !old.isOptional { change("\(name) may be NULL") }
    if new.absentValue != old.absentValue, new.isOptional == old.isOptional {
      change(
        "\(name) has \(new.absentValue.map { "the default \($0.shownToPeople)" } ?? "no default")")
    }
    if new.isName != old.isName {
      change("\(name) is \(new.isName ? "the row's name" : "not the row's name any more")")
    }
    if new.attention != old.attention {
      change(
        new.attention == .alone
          ? "\(name) makes no change alone" : "\(name) makes a change alone, too")
    }
  }
}

extension DescribedType {
  /// Whether each value of another type is one of this type, too.
  fileprivate func widens(_ other: DescribedType) -> Bool {
    switch (self, other) {
    case (.text, .integer), (.text, .number), (.text, .flag), (.text, .time), (.text, .id),
      (.text, .json), (.integer, .flag), (.number, .integer):
      true
    case (.any, let other): other != .any
    default: false
    }
  }
}

extension TableCatalog {
  /// The kind of a catalog whose next event is a new description. Nothing is changed.
  ///
  /// - Throws: `DescriptionRefusal` if events of the log contradict the rows that the description gives, or if something new has a
  ///   name that an earlier description dropped.
  package static func kind(
    after change: DescriptionChange, in directory: CatalogDirectory, _ kind: DescribedKind
  ) throws -> DescribedKind {
    let log = try directory.existingLog()
    guard let head = try log.head() else {
      throw CatalogError(.noCatalog, "this catalog is empty")
    }
    let new = DescribedKind(kind.program.moments + [(head.sequence + 1, change.moment)])
    let dropped = DroppedNames(new.program.moments.map(\.moment))
    let reasons = dropped.newlyUsed(in: new.description, after: kind.description)
    guard reasons.isEmpty else { throw DescriptionRefusal(reasons: reasons) }
    try new.requireCarriedOut()
    try requireSameEvents(log, kind, new, change)
    return new
  }

  /// Appends a new description to the log of a catalog. The database is rebuilt for it first.
  ///
  /// - Parameter isTrial: whether to append nothing.
  /// - Throws: `DescriptionRefusal` if events of the log contradict the rows that the description gives.
  package static func describe(
    _ change: DescriptionChange, in directory: CatalogDirectory, _ kind: DescribedKind,
    options: OpeningOptions, isTrial: Bool = false
  ) throws -> ChangeReport? {
    let newKind = try self.kind(after: change, in: directory, kind)
    if isTrial { return nil }
    let catalog = EventCatalog(
      newKind, try OpenedCatalog.openExisting(directory, newKind, options: options))
    defer { catalog.close() }
    return try catalog.changeNow(by: "cli") { _ in [.described(change.moment)] }
  }

  /// Replays the log as the new description has it: an event that did something must not contradict the rows now.
  private static func requireSameEvents(
    _ log: any LogStore, _ old: DescribedKind, _ new: DescribedKind, _ change: DescriptionChange
  ) throws {
    let before = try ProjectionRebuild(CatalogLog(log, old)).fold()
    // Rows name what is wrong better than the first event that contradicts them.
    let obstacles = change.conditions.compactMap { $0.obstacle(in: before.rows, old.program) }
    guard obstacles.isEmpty else { throw DescriptionRefusal(reasons: obstacles) }
    let after = try ProjectionRebuild(CatalogLog(log, new)).fold()
    let known = Set(before.conflicts.map(\.sequence))
    let found = after.conflicts.filter { !known.contains($0.sequence) }
    guard found.isEmpty else {
      // Later events may contradict only the rows that the first one did not make.
      let later = found.count - 1
      throw DescriptionRefusal(reasons: [
        "event \(found[0].sequence) would change nothing: \(found[0].message)"
          + (later == 0
            ? ""
            : "; neither would \(later == 1 ? "1 later event" : "\(later) later events"), which may follow from it")
      ])
    }
    for reference in new.schema.references {
      let parents = Set(
        after.rows.rows(in: reference.parent).map { row in
          reference.parentColumns.map { row[$0] }
        })
      let lost = after.rows.rows(in: reference.child).filter { row in
        let values = reference.columns.map { row[$0] }
        return !values.contains(.null) && !parents.contains(values)
      }
      guard
        let first = lost.min(by: {
          reference.child.key(of: $0).isBefore(reference.child.key(of: $1))
        })
      else { continue }
      let value = reference.columns.map { first[$0].shownToPeople }.joined(separator: ", ")
      let count = lost.count == 1 ? "1 row" : "\(lost.count) rows"
      throw DescriptionRefusal(reasons: [
        "\(count) of \(reference.child.name) would refer to rows of \(reference.parent.name) that do not exist: \(reference.child.name(of: first)) to \(value)"
      ])
    }
  }
}
