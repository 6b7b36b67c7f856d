/// The columns that a table of versions has beside those of its rows.
package enum VersionColumns {
  /// The event that made the row what it is.
  package static let from = "_from"
  /// The event that replaced or removed it, less `offset`; 0 while the row is there.
  package static let to = "_to"
  /// 1 if several events of the batch changed the row, so that a replay of it tells which event wrote a column.
  package static let mixed = "_mixed"
  /// The number of a version, in a table with row ids.
  package static let number = "_vid"

  fileprivate static let all = [from, to, mixed, number]

  /// With ends that are negative, and 0 for none, one comparison tells whether a version had ended at a moment, and a row
  /// that is there takes no byte for its end.
  package static let offset: Int64 = 1 << 47

  package static func end(_ sequence: UInt64) -> Int64 {
    sequence == 0 ? 0 : Int64(clamping: sequence) - offset
  }

  /// The event that ended a version, of a number that `end` gave; 0 if none did.
  package static func event(_ end: Int64) -> UInt64 {
    end == 0 ? 0 : UInt64(clamping: end + offset)
  }

  /// The name of the index by the beginnings of versions.
  package static func began(_ table: String) -> String { "\(table)_began" }

  /// The name of the index by the ends of versions.
  package static func ended(_ table: String) -> String { "\(table)_ended" }
}

extension TableDescription {
  /// Whether its rows can have versions: no column has the name of one that a table of versions adds.
  package var canHaveVersions: Bool {
    columns.allSatisfy {
      !VersionColumns.all.contains($0.name.lowercased())
    }
  }

  /// The table that has the versions of this table's rows that the moments of a generation have.
  ///
  /// It is stored as this table is, so that a plan of SQL over one suits the other: with row ids if the key is a text, else in
  /// the order of its key. Each index has the two columns of versions after its own, and finds rows in the order of
  /// their keys. No constraint is repeated: the rows have passed them.
  ///
  /// - Parameter sequence: versions that begin after this event are in an index by their beginning; those that ended are in one
  ///   by their end.
  package func versions(_ name: String, indexedAfter sequence: UInt64) -> TableDescription {
    let isNumbered = storage == .rowIDs && !(key.count == 1 && columns[key[0]].type == .integer)
    let ends = [VersionColumns.from, VersionColumns.to]
    let keyNames = key.map { columns[$0].name }
    func index(_ suffix: String, on names: [String]) -> TableIndex {
      let rest = isNumbered ? [VersionColumns.number] : keyNames.filter { !names.contains($0) }
      return .index("\(name)_\(suffix)", on: (names + rest + ends).map { .ascending($0) })
    }
    var indexes: [TableIndex] = []
    if isNumbered {
      indexes.append(
        .index("\(name)_key", on: (keyNames + ends).map { .ascending($0) }))
    }
    let searched =
      self.indexes.compactMap { $0.name == nil ? nil : $0.columns } + uniques
    var known: [[Int]] = []
    for columns in searched where !key.starts(with: columns) && !known.contains(columns) {
      known.append(columns)
      indexes.append(index("\(known.count)", on: columns.map { self.columns[$0].name }))
    }
    indexes.append(
      .part(
        VersionColumns.began(name), on: VersionColumns.from, isAbove: true,
        Int64(clamping: sequence)))
    indexes.append(
      .part(VersionColumns.ended(name), on: VersionColumns.to, isAbove: false, 0))
    return TableDescription(
      name,
      columns: columns.map { column in
        ColumnDescription(
          column.name, column.type, nullable: column.isNullable, sql: column.declarationOfVersions)
      } + (ends + [VersionColumns.mixed]).map { ColumnDescription($0, .integer) },
      key: keyNames + [VersionColumns.from], storage: isNumbered ? .rowIDs : .withoutRowIDs,
      indexes: indexes, rowNumber: isNumbered ? VersionColumns.number : nil)
  }
}

extension ColumnDescription {
  /// The type and the collation, by which SQL compares values of the column.
  fileprivate var declarationOfVersions: String {
    let words = declaration(isKey: false).split { $0 == " " || $0 == "," || $0 == "(" }
    let place = words.firstIndex { $0.uppercased() == "COLLATE" }
    let collation = place.flatMap { $0 + 1 < words.count ? " COLLATE \(words[$0 + 1])" : nil } ?? ""
    return type.sql + (isNullable ? "" : " NOT NULL") + collation
  }
}
