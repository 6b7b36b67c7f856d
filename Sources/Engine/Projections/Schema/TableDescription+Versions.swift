/// The columns that a table of versions has beside those of its rows. Their names begin with one underscore, or with so many that no
/// column of the rows has one of them.
package struct VersionColumns: Sendable {
  /// The event that made the row what it is.
  package let from: String
  /// The event that replaced or removed it, less `offset`; 0 while the row is there.
  package let to: String
  /// 1 if several events of the batch changed the row, so that a replay of it tells which event wrote a column.
  package let mixed: String
  /// The number of a version, in a table with row ids.
  let number: String
  /// The time, operation and source of the batch of `from`, in views.
  package let (at, operation, source): (String, String, String)

  /// The columns of a view of all versions, beside those of the rows.
  package var shown: [String] { [from, to, at, operation, source] }

  init(besides columns: [ColumnDescription]) {
    let taken = Set(columns.map { $0.name.lowercased() })
    let names = ["from", "to", "mixed", "vid", "at", "operation", "source"]
    var mark = "_"
    while names.contains(where: { taken.contains(mark + $0) }) { mark += "_" }
    (from, to, mixed, number) = (mark + "from", mark + "to", mark + "mixed", mark + "vid")
    (at, operation, source) = (mark + "at", mark + "operation", mark + "source")
  }

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
    let ends = [versionColumns.from, versionColumns.to]
    let keyNames = key.map { columns[$0].name }
    func index(_ suffix: String, on names: [String]) -> TableIndex {
      let rest = isNumbered ? [versionColumns.number] : keyNames.filter { !names.contains($0) }
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
        VersionColumns.began(name), on: versionColumns.from, isAbove: true,
        Int64(clamping: sequence)))
    indexes.append(
      .part(VersionColumns.ended(name), on: versionColumns.to, isAbove: false, 0))
    return TableDescription(
      name,
      columns: columns.map { column in
        ColumnDescription(
          column.name, column.type, nullable: column.isNullable, sql: column.declarationOfVersions)
      } + (ends + [versionColumns.mixed]).map { ColumnDescription($0, .integer) },
      key: keyNames + [versionColumns.from], storage: isNumbered ? .rowIDs : .withoutRowIDs,
      indexes: indexes, rowNumber: isNumbered ? versionColumns.number : nil)
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
