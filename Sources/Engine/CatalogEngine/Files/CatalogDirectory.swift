import CatalogStore
package import EventLog
public import Foundation
import Support

/// Where everything of a catalog lies: one folder, which plays the part of Application Support.
public struct CatalogDirectory: Hashable, Sendable {
  public let path: String

  public init(_ path: String) {
    self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// The folder that a file URL names, such as one of `FileManager.default.urls(for:in:)`.
  ///
  /// - Throws: `CatalogError` with `directory` if it is not a file URL.
  public init(_ url: URL) throws {
    do {
      self.init(try url.filePath())
    } catch {
      throw CatalogError(
        .directory, "\(error.file) is not a file URL; name a folder of this machine")
    }
  }

  /// The event log: the truth.
  package var events: String { path + "/" + Self.eventsName }
  static let eventsName = "events"
  /// The projection: disposable.
  package var database: String { path + "/catalog.sqlite" }
  /// Every version of every row: disposable.
  package var history: String { path + "/history.sqlite" }

  /// A projection that is being built; gone when it is done.
  package var scratch: String { path + "/\(Self.rebuildPrefix)\(getpid())" }
  static let rebuildPrefix = ".catalog.sqlite.rebuild-"

  /// The names in the folder; none if it cannot be listed, which is an error of the call that reads its log.
  var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
  }

  /// The number of a process that rebuilds the database now; nil if none does.
  package var rebuildingProcess: Int32? {
    names.compactMap { name -> Int32? in
      guard name.hasPrefix(Self.rebuildPrefix) else { return nil }
      let number = name.dropFirst(Self.rebuildPrefix.count).prefix { $0.isNumber }
      guard let process = Int32(number), kill(process, 0) == 0 || errno == EPERM else { return nil }
      return process
    }.min()
  }

  /// `$CATALOG_HOME`, else a folder of the program's name in Application Support on Darwin, in `$XDG_DATA_HOME`
  /// (`~/.local/share`) elsewhere.
  ///
  /// - Returns: nil if none of these is set: a catalog in whatever folder is the current one would be lost.
  package static func standard(
    for program: String, environment: (String) -> String?
  ) -> CatalogDirectory? {
    func folder(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    if let home = folder("CATALOG_HOME") { return CatalogDirectory(home) }
    #if canImport(Darwin)
      return folder("HOME").map {
        CatalogDirectory($0 + "/Library/Application Support/\(program)")
      }
    #else
      if let data = folder("XDG_DATA_HOME") { return CatalogDirectory(data + "/\(program)") }
      return folder("HOME").map { CatalogDirectory($0 + "/.local/share/\(program)") }
    #endif
  }

  /// The log of a catalog that must be there. Damage of the log is left to whoever reads it.
  ///
  /// - Returns: a log whose end is asked for once, if it is in a server.
  package func existingLog() throws -> any LogStore {
    try requireFolderOrNothing()
    let reader = try store().atEnd()
    do {
      if try reader.exists() { return reader }
    } catch let error as EventLogError where error.isDamage {
      return reader
    }
    throw CatalogError(
      .noCatalog,
      "there is no catalog in \(path); \(do: .begin), or name another folder\(do: .nameCatalog)"
    )
  }

  /// - Throws: where something else than a folder has this name, or where it is the folder of a log.
  package func requireFolderOrNothing() throws {
    try requireNoLogFolder()
    var info = stat()
    guard stat(path, &info) != 0 || info.st_mode & S_IFMT == S_IFDIR else {
      throw CatalogError(.directory, "\(path) is not a folder; name another\(do: .nameCatalog)")
    }
  }

  /// A catalog within the log of another one would be taken for damage of that log.
  ///
  /// - Throws: `CatalogError` with `directory` if this folder, or the one above it, has segments.
  private func requireNoLogFolder() throws {
    // Where there is a log already, none is made; folders above may be large.
    guard access(events, F_OK) != 0 else { return }
    // Above it as the system finds it, and as it is written: the folder may not be there yet.
    let written = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
    let isLog = Self.hasSegments(path)
    guard isLog || Self.hasSegments(path + "/..") || Self.hasSegments(written ?? ".") else {
      return
    }
    throw CatalogError(
      .directory,
      "\(path) is \(isLog ? "" : "inside ")the folder of an event log, not a catalog; name the folder "
        + "above it\(do: .nameCatalog)")
  }

  /// Whether a folder has segments of a log.
  static func hasSegments(_ folder: String) -> Bool {
    // A folder that is missing or cannot be listed has none that anybody could harm.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.contains { $0.hasSuffix(".jsonl.zst") && $0.prefix(20).allSatisfy(\.isNumber) }
  }

  /// Whether a path is a folder of segments, and not that of a catalog.
  package static func isFolderOfSegments(_ path: String) -> Bool { hasSegments(path) }

  /// Whether a folder has the first segment of a log: a look at one name, however large the folder is.
  static func hasFirstSegment(_ folder: String) -> Bool {
    access(folder + "/00000000000000000001.jsonl.zst", F_OK) == 0
  }

  /// Checks that a new file or folder is not made where this catalog, or any other, keeps its own files. Links are
  /// followed.
  ///
  /// - Throws: `CatalogError` with `directory` if `path` is such a place.
  public func requireApart(_ path: String) throws {
    try CatalogPlaces(of: self).requireApart(path)
  }

  /// Makes sure that a change can be written, before anything else is done for it.
  ///
  /// - Parameter isRebuilding: whether the database may be any file: one that cannot be written is set aside.
  /// - Throws: `CatalogError` with `readOnly` if the catalog is on read-only media, or in the folder of another user.
  package func requireWritable(isRebuilding: Bool = false) throws {
    let own = try logAddress() == nil ? [path, events] : [path]
    for place in isRebuilding ? own : own + [database] {
      if let problem = DatabaseFile.writingProblem(place) {
        throw CatalogError(.readOnly, problem)
      }
    }
  }

  /// Makes sure that a new catalog can be created here, and creates nothing.
  ///
  /// - Throws: `CatalogError` with `directory` if something else is there, with `readOnly` if nothing can be written.
  package func requireCreatable() throws {
    try requireFolderOrNothing()
    if !Self.hasSegments(events) { try requireApart(path) }
    var place = path
    while access(place, F_OK) != 0, let slash = place.lastIndex(of: "/"), slash > place.startIndex {
      place = String(place[..<slash])
    }
    if let problem = DatabaseFile.writingProblem(access(place, F_OK) == 0 ? place : ".") {
      throw CatalogError(.readOnly, problem)
    }
  }

  /// Makes the folder, and those above it, where they are missing.
  ///
  /// - Throws: `CatalogError` with `directory` if a new catalog would be in the folder of a log.
  package func make() throws {
    try requireNoLogFolder()
    if !Self.hasSegments(events) { try requireApart(path) }
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/", omittingEmptySubsequences: true) {
      made += "/" + part
      if access(made, F_OK) != 0, mkdir(made, 0o777) != 0, errno != EEXIST {
        throw CatalogError(
          .directory, "cannot create the folder \(made): \(SystemError.current)")
      }
    }
    var info = stat()
    guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFDIR else {
      throw CatalogError(.directory, "\(path) is not a folder; name another\(do: .nameCatalog)")
    }
  }

  /// Renames a database that cannot be used, whatever has its name, and what SQLite keeps beside it: a new
  /// database must not find the log of an old one.
  ///
  /// - Returns: its new name.
  func setAside(_ path: String) throws -> String {
    var number = 1
    let endings = ["", "-wal", "-shm", "-journal"]
    while endings.contains(where: { DatabaseFile.isTaken("\(path).unusable-\(number)\($0)") }) {
      number += 1
    }
    let kept = "\(path).unusable-\(number)"
    for ending in endings where DatabaseFile.isTaken(path + ending) {
      // A link is renamed, and not what it leads to.
      guard rename(path + ending, kept + ending) == 0 else {
        throw CatalogError(
          .directory,
          "cannot rename \(path + ending): \(SystemError.current); move it away by hand"
        )
      }
    }
    return kept
  }

  /// Removes what commands left that did not come to their end. Only under the log's lock: whoever rebuilds has it.
  func sweep() {
    UnfinishedFiles.sweep(path)
    for name in names where name.hasPrefix(Self.rebuildPrefix) { unlink(path + "/" + name) }
  }
}
