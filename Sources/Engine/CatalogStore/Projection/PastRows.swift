package import GRDB

/// The rows of a catalog as it was, in a database that has them by the names of the catalog's tables.
package protocol PastRows: Sendable {
  /// Reads the rows; blocks.
  func readTables<Result>(_ body: (Database) throws -> Result) throws -> Result
}
