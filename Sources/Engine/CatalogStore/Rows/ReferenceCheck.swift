import CatalogModel
import GRDB
import Projections

/// Finds the rows that a change leaves with a reference to a row which does not exist.
///
/// Only what the change touched is looked up, so that a small change of a large catalog stays quick, and a reference
/// that an earlier release left dangling does not block later changes.
final class ReferenceCheck {
  private let references: [TableReference]
  /// Values that changed rows of the child refer to, for each reference.
  private var named: [Set<[Value]>]
  /// Values that rows of the parent had and have no more, for each reference.
  private var removed: [Set<[Value]>]

  /// Values of a parent that are looked up one by one; for more, the child is read once.
  private static let fewValues = 16

  init(_ schema: Schema) {
    references = schema.references
    named = references.map { _ in [] }
    removed = references.map { _ in [] }
  }

  /// Notes a change of a row, before or after SQLite has it.
  func note(from old: [Value]?, to row: [Value]?, in table: TableDescription) {
    for (place, reference) in references.enumerated() {
      if reference.child === table, let row, let values = key(reference.columns, of: row),
        old.flatMap({ key(reference.columns, of: $0) }) != values
      {
        named[place].insert(values)
      }
      if reference.parent === table, let old, let values = key(reference.parentColumns, of: old),
        row.flatMap({ key(reference.parentColumns, of: $0) }) != values
      {
        removed[place].insert(values)
      }
    }
  }

  /// The values of columns; nil if one of them is NULL.
  private func key(_ columns: [Int], of row: [Value]) -> [Value]? {
    let values = columns.map { row[$0] }
    return values.contains(.null) ? nil : values
  }

  /// - Throws: `ProjectionError` with `contradiction` for a row that refers to a row which does not exist.
  func require(_ database: Database) throws {
    for (place, reference) in references.enumerated() {
      let values = named[place].union(removed[place])
      guard !values.isEmpty else { continue }
      if values.count > Self.fewValues {
        try requireAll(reference, values, database)
      } else {
        let found = try values.compactMap {
          try DanglingReference.first(reference, to: $0, in: database)
        }
        if let first = found.min(by: { $0.description < $1.description }) {
          throw Self.error(first)
        }
      }
    }
  }

  /// Reads all rows of the child that refer to no row, and looks for those that the change touched.
  private func requireAll(
    _ reference: TableReference, _ values: Set<[Value]>, _ database: Database
  ) throws {
    let stored = Set(values.map { $0.map { StoredValue($0) } })
    try DanglingReference.forEach(of: reference, in: database) { found in
      if stored.contains(found.values) { throw Self.error(found) }
      return true
    }
  }

  static func error(_ reference: DanglingReference) -> ProjectionError {
    ProjectionError(contradiction: reference.description)
  }
}
