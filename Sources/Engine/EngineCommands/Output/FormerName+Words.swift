import ArgumentParser
import CatalogEngine
import CatalogModel
import EventLog
import Foundation
import Projections
import Support

extension CatalogLog {
  /// Says what became of a table that the catalog has no more; nil if no description of the log had it.
  package func words(onFormerTable name: String) throws -> String? {
    guard let former = (kind as? any SelfDescribingKind)?.formerTable(name) else { return nil }
    return try words(on: former, named: name)
  }

  /// Says what became of a column that a table has no more; nil if no description of the log had it there.
  package func words(
    onFormerColumn name: String, of table: TableDescription
  ) throws -> String? {
    let described = kind as? any SelfDescribingKind
    guard let former = described?.formerColumn(name, ofTables: { $0 == table.name })
    else { return nil }
    return try words(on: former, named: "\(table.name).\(name)")
  }

  private func words(on former: FormerName, named name: String) throws -> String? {
    guard let end = former.end else {
      return former.place.lowercased() == name.lowercased()
        ? nil : "\(name) is \(former.place) now"
    }
    let time = try TimedBatch.containing(end, in: reader).map { " (\($0.time))" } ?? ""
    let sql = ShellWord.quoted("SELECT * FROM \(SQLName.quoted(former.table))")
    let place =
      former.place.lowercased() == name.lowercased()
      ? former.place : "\(name) was called \(former.place) and"
    return
      "\(place) was dropped by event \(end)\(time); `\(ProgramName.current) query --at \(end - 1) --as-described \(sql)` "
      + "shows its last rows"
  }

  /// Runs a statement, and says of an unknown name in it what became of it.
  func explaining<Result>(_ sql: String, _ run: () throws -> Result) throws -> Result {
    do {
      return try run()
    } catch let error as CatalogError where error.code == .sqlRefused {
      guard let words = try words(onNameUnknownIn: error.message, of: sql) else { throw error }
      throw CatalogError(.sqlRefused, "\(error.message); \(words)")
    }
  }

  /// - Parameter message: SQLite's, which ends with the name that it does not know.
  private func words(onNameUnknownIn message: String, of sql: String) throws -> String? {
    func name(after words: String) -> String? {
      message.range(of: words).map { String(message[$0.upperBound...]) }
    }
    let tables = kind.schema.tables
    let described = kind as? any SelfDescribingKind
    if let table = name(after: "no such table: ")?.withoutQualifier {
      return try words(onFormerTable: table)
        ?? described?.leftOutTable(table).map { Self.words(onLeftOut: table, $0) }
        ?? Self.near(table, among: tables.map(\.name))
    }
    guard let column = name(after: "no such column: ")?.withoutQualifier else { return nil }
    let statement = sql.lowercased()
    func isNamed(_ table: String) -> Bool { statement.contains(table.lowercased()) }
    guard let former = described?.formerColumn(column, ofTables: isNamed) else {
      if let what = described?.leftOutColumn(column, ofTables: isNamed) {
        return Self.words(onLeftOut: column, what)
      }
      let columns = tables.filter { isNamed($0.name) }.flatMap(\.columns).map(\.name)
      return Self.near(column, among: columns)
    }
    return try words(on: former, named: "\(former.table).\(column)")
  }

  /// Says of a thing of an adopted database why it is not there: it has no rows of its own.
  private static func words(onLeftOut name: String, _ what: String) -> String {
    "\(name) is a \(what) of the adopted database, which the catalog leaves out"
  }

  private static func near(_ name: String, among known: [String]) -> String? {
    NearMiss.find(name, among: known).map { "did you mean \($0)?" }
  }
}

extension String {
  /// A name of SQL without the names before it.
  fileprivate var withoutQualifier: String {
    split(separator: ".").last.map(String.init) ?? self
  }
}

extension Schema {
  /// - Parameter log: knows the names that tables had; nil if there is none.
  /// - Throws: `ValidationError` if there is no table of the name.
  package func table(named name: String, of log: CatalogLog?) throws -> TableDescription {
    guard let table = tables.first(where: { $0.name == name }) else {
      // The program's own tables may be meant, and are not what people look for.
      let near = NearMiss.find(name, among: tables.map(\.name)).map { "did you mean \"\($0)\"?" }
      let advice =
        try log?.words(onFormerTable: name) ?? near
        ?? NearMiss.advice(for: name, among: tables.filter { !$0.isOwn }.map(\.name))
      throw ValidationError("there is no table \"\(name)\"; \(advice)")
    }
    return table
  }

  /// - Parameter log: knows the names that tables had; nil if there is none.
  /// - Returns: nil if no name is given.
  package func tables(
    named names: [String], of log: CatalogLog?
  ) throws -> [TableDescription]? {
    guard !names.isEmpty else { return nil }
    let chosen = Set(try names.map { try table(named: $0, of: log).ordinal })
    return tables.filter { chosen.contains($0.ordinal) }
  }
}
