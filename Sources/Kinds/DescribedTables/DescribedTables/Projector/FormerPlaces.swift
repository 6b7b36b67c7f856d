package import CatalogEngine

/// The tables and columns of earlier descriptions, and what later ones did with them.
struct FormerPlaces {
  private let moments: [(sequence: UInt64, moment: DescribedMoment)]

  /// - Parameter moments: the descriptions of the log with their events, oldest first.
  init(_ moments: [(sequence: UInt64, moment: DescribedMoment)]) {
    self.moments = moments
  }

  /// The table that had a name last; nil if no table had it. Upper and lower case are alike, as in SQL.
  func table(_ name: String) -> FormerName? {
    for index in moments.indices.reversed() {
      for table in moments[index].moment.description.tables where table.name.isSame(as: name) {
        return fate(of: table.name, nil, after: index)
      }
    }
    return nil
  }

  /// The column that had a name last in some tables; nil if none of them had it.
  ///
  /// - Parameter isMeant: whether a table is among them, by the name that it has now.
  func column(_ name: String, ofTables isMeant: (String) -> Bool) -> FormerName? {
    for index in moments.indices.reversed() {
      for table in moments[index].moment.description.tables {
        guard let column = table.columns.first(where: { $0.isKept && $0.name.isSame(as: name) })
        else { continue }
        let owner = fate(of: table.name, nil, after: index)
        if owner.end == nil, isMeant(owner.table) {
          return fate(of: table.name, column.name, after: index)
        }
      }
    }
    return nil
  }

  /// Follows a name of one description to the newest one, or to the description that dropped it.
  private func fate(of table: String, _ column: String?, after index: Int) -> FormerName {
    var (table, column) = (table, column)
    for (sequence, moment) in moments[(index + 1)...] {
      let former = (table, column)
      var isDropped = false
      for case .renameTable(former.0, let new) in moment.moves { table = new }
      for move in moment.moves {
        switch move {
        case .dropTable(former.0): isDropped = true
        case .renameColumn(table, let old, let new) where old == former.1: column = new
        case .dropColumn(table, let old) where old == former.1: isDropped = true
        default: break
        }
      }
      // A column can also stay in the description as one that is not kept.
      if let column, moment.description.table(table)?.column(column)?.isKept != true {
        isDropped = true
      }
      if isDropped {
        return FormerName(table: former.0, column: former.1, droppedBy: sequence)
      }
    }
    return FormerName(table: table, column: column, droppedBy: nil)
  }
}

extension DescribedKind {
  package func formerTable(_ name: String) -> FormerName? {
    FormerPlaces(program.moments).table(name)
  }

  package func formerColumn(
    _ name: String, ofTables isMeant: (String) -> Bool
  ) -> FormerName? {
    FormerPlaces(program.moments).column(name, ofTables: isMeant)
  }
}

/// Things of an adopted database that have no rows of their own, as its description keeps their names.
extension DescribedKind {
  package func leftOutTable(_ name: String) -> String? {
    ["view", "virtual table"].first { what in
      leftOut.contains { $0.isSame(as: "\(what) \(name)") }
    }
  }

  package func leftOutColumn(
    _ name: String, ofTables isMeant: (String) -> Bool
  ) -> String? {
    let what = "generated column"
    let isLeftOut = leftOut.contains { entry in
      guard entry.hasPrefix("\(what) ") else { return false }
      let parts = entry.dropFirst(what.count + 1).split(separator: ".", maxSplits: 1)
      return parts.count == 2 && String(parts[1]).isSame(as: name) && isMeant(String(parts[0]))
    }
    return isLeftOut ? what : nil
  }

  private var leftOut: [String] { description.documents.flatMap(\.leftOut) }
}

extension String {
  fileprivate func isSame(as other: String) -> Bool { lowercased() == other.lowercased() }
}
