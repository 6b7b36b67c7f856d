import CatalogStore
import EventLog
import Foundation
import Support

/// The files and folders that catalogs use for themselves. A command creates nothing else there: a strange file in the
/// folder of a log is damage, and a strange `-wal` beside a database is read as a part of it.
package struct CatalogPlaces: Sendable {
  /// The folder of a catalog's log, and the one that `doctor` asks a person to remove, wherever links lead. Folders that
  /// do not exist are left out.
  private let folders: [String]
  /// The catalog's database, wherever a link leads; nil if it does not exist.
  private let database: String?

  /// The places of a catalog.
  package init(of catalog: CatalogDirectory) {
    folders = [Self.resolved(catalog.events)].compactMap(\.self)
    database = Self.resolved(catalog.database)
  }

  /// The places of a folder of events alone.
  package init(ofEvents events: String) {
    folders = [Self.resolved(events)].compactMap(\.self)
    database = nil
  }

  /// Checks that a new file or folder is not made in a place that this catalog, or any other, keeps for its own files.
  ///
  /// - Throws: `CatalogError` with `directory`.
  package func requireApart(_ path: String) throws {
    guard let place = Self.place(of: path) else { return }
    if let database, Self.isCompanion(place, of: database) { throw Self.taken(path, by: database) }
    var inner = place
    // The folder of a log is known by its segments; higher up, where folders may be large, by its first one.
    var isLog =
      CatalogDirectory.hasSegments(place) || CatalogDirectory.hasSegments(Self.parent(place))
    while inner != "/" {
      let folder = Self.parent(inner)
      isLog = isLog || CatalogDirectory.hasFirstSegment(inner)
      if isLog { throw Self.isInLog(path) }
      if folders.contains(inner) { throw Self.taken(path, by: inner) }
      if Self.isOwn(Self.name(inner)), Self.isCatalog(folder) {
        throw Self.taken(path, by: inner)
      }
      inner = folder
    }
  }

  // MARK: Names

  private static let databaseName = "catalog.sqlite"
  private static let historyName = "history.sqlite"

  /// Whether a catalog gives this name to something in its folder. File systems may take capitals for small letters.
  private static func isOwn(_ name: String) -> Bool {
    let name = name.lowercased()
    return name == CatalogDirectory.eventsName
      || isName(name, of: databaseName) || isName(name, of: historyName)
      || name.hasPrefix(CatalogDirectory.rebuildPrefix)
  }

  private static func isCompanion(_ path: String, of database: String) -> Bool {
    parent(path) == parent(database)
      && isName(name(path).lowercased(), of: name(database).lowercased())
  }

  /// Whether a name is that of a database or of a file that belongs to it: `catalog.sqlite-wal`.
  private static func isName(_ name: String, of database: String) -> Bool {
    name == database || name.hasPrefix(database + "-") || name.hasPrefix(database + ".unusable-")
  }

  private static func isCatalog(_ folder: String) -> Bool {
    CatalogDirectory.hasSegments(folder + "/events")
      || DatabaseFile.isTaken("\(folder)/\(databaseName)")
  }

  // MARK: Paths

  /// The place that a path leads to, which may not exist yet: the nearest folder that exists, with its links followed, and the rest.
  ///
  /// - Returns: nil if not even the current folder can be found.
  private static func place(of path: String) -> String? {
    var existing = path
    var rest: [Substring] = []
    while true {
      if let found = resolved(existing) {
        return rest.reversed().reduce(found == "/" ? "" : found) { "\($0)/\($1)" }
      }
      let trimmed = existing.last == "/" ? String(existing.dropLast()) : existing
      guard let slash = trimmed.lastIndex(of: "/") else {
        guard existing != "." else { return nil }
        rest.append(trimmed[...])
        existing = "."
        continue
      }
      rest.append(trimmed[trimmed.index(after: slash)...])
      existing = slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
    }
  }

  static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func parent(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  private static func name(_ path: String) -> String {
    String(path.split(separator: "/").last ?? "")
  }

  // MARK: Errors

  private static func taken(_ path: String, by place: String) -> CatalogError {
    CatalogError(
      .directory,
      "\(path) is refused: a catalog uses \(place) and what belongs to it; name a place outside")
  }

  private static func isInLog(_ path: String) -> CatalogError {
    CatalogError(
      .directory,
      "\(path) is refused: it is in the folder of an event log, which contains nothing else; name a place outside"
    )
  }
}
