import CatalogEngine
import DescribedTables
import EngineCommands
import EventLog
import Projections

extension CatalogOptions {
  /// The kind of a catalog that describes itself.
  ///
  /// - Throws: `CatalogError` with `wrongKind` if the catalog is of a kind that the program has of its own, `noCatalog` if
  ///   there is none; `EventLogError` if the log cannot be read.
  func describedKind() throws -> DescribedKind {
    let log: any LogStore
    do {
      log = try reader()
    } catch let error as EventLogError where error.isSilence && !isStrict {
      // The database may know the kind.
      log = try directory.store()
    } catch let error as CatalogError where error.code == .noCatalog {
      throw CatalogError(
        .noCatalog,
        "there is no catalog in \(try directory.path); `\(ProgramName.current) adopt` makes one of a database, `\(ProgramName.current) init --table` one of a file"
      )
    }
    let known = KnownKinds.current
    // An empty log is of any kind, and the first one says so.
    let kind = try known.certainKind(of: log, besides: directory.database)
    return try (kind ?? known.kind(of: log, besides: directory.database)).described()
  }
}

extension HistoryOptions {
  /// The kind of a catalog, or of a folder of events, that describes itself.
  ///
  /// - Throws: `CatalogError` with `wrongKind` if it is of a kind that the program has of its own.
  func describedKind() throws -> DescribedKind {
    try live == nil ? log().kind.described() : options.describedKind()
  }
}

extension CatalogKind {
  /// The kind as one that its log describes.
  ///
  /// - Throws: `CatalogError` with `wrongKind` if it is one that the program has of its own.
  func described() throws -> DescribedKind {
    guard let described = self as? DescribedKind else {
      throw CatalogError(
        .wrongKind,
        "this is a catalog of kind \"\(name)\", whose tables are not described by its log; it has commands of its own"
      )
    }
    return described
  }
}

/// A request that a command refuses, with what to do about it.
struct Refusal: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
