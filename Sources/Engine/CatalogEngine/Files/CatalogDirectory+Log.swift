import CatalogStore
package import EventLog
import Foundation
import Support

// The log of a catalog is in its folder, or at the address in a file of one line.
extension CatalogDirectory {
  static let addressName = "log.url"

  /// Names the log of a catalog that shares it with other machines.
  package var addressFile: String { path + "/" + Self.addressName }

  /// The address of a log that several machines share; nil if the log is in the folder.
  ///
  /// - Throws: `CatalogError` with `directory` if the file cannot be read or has another line, or if there is a log in the folder, too;
  ///   `EventLogError` if the address is none that this program knows.
  package func logAddress() throws -> SharedLogAddress? {
    guard let bytes = FileManager.default.contents(atPath: addressFile) else {
      guard !FileManager.default.fileExists(atPath: addressFile) else {
        throw CatalogError(
          .directory,
          "\(addressFile) names the catalog's log and cannot be read; let this user read it")
      }
      return nil
    }
    guard !Self.hasSegments(events) else {
      throw CatalogError(
        .directory,
        "\(path) has a log of its own in \(Self.eventsName), and \(Self.addressName) names another one; move away the one that is "
          + "not the catalog's")
    }
    let lines = Self.lines(bytes)
    guard lines.dropFirst().allSatisfy({ $0 == Self.lossLine }) else {
      throw CatalogError(
        .directory,
        "\(addressFile) has a line after the address that is not \(Self.lossLine); correct the line, or remove it"
      )
    }
    do {
      return try SharedLogAddress(lines.first ?? "")
    } catch let error as EventLogError {
      throw EventLogError(error.code, "\(addressFile): \(error.message)", file: addressFile)
    }
  }

  /// Whether events are appended also to a server that may lose what it acknowledges: the second line of the file says so.
  package var acceptsLoss: Bool {
    guard let bytes = FileManager.default.contents(atPath: addressFile) else { return false }
    return Self.lines(bytes).dropFirst().contains(Self.lossLine)
  }

  private static let lossLine = "accept-loss"

  private static func lines(_ bytes: Data) -> [String] {
    String(decoding: bytes.prefix(4_096), as: UTF8.self).split(whereSeparator: \.isNewline)
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// The log, wherever it is.
  ///
  /// - Parameter places: what readers and writers of one log in this program share, if it stays open.
  package func store(places: VerifiedOffsets? = nil) throws -> any LogStore {
    if let address = try logAddress() { return try address.store() }
    return EventLogReader(directory: events, places: places)
  }

  /// The bytes of a log in a folder; 0 if it is elsewhere.
  package var logBytes: Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: events)) ?? []
    return names.reduce(0) { $0 + DatabaseFile.byteCount("\(events)/\($1)") }
  }

  /// Keeps other programs of this machine from changing the catalog, if its log does not.
  func lock(
    holder: String, wait: Duration?, willWait: () -> Void
  ) throws -> WriterLock? {
    guard try logAddress() != nil else { return nil }
    return try WriterLock(directory: path, holder: holder, wait: wait, willWait: willWait)
  }

  /// Names the log of a new catalog, which other machines may share: the catalog is opened, and created, with that log then.
  ///
  /// ```swift
  /// let directory = CatalogDirectory("sounds")
  /// try directory.shareLog(at: "postgresql://db.example/catalogs#sounds")
  /// let catalog = try await EventCatalog.open(directory, kind)
  /// try await catalog.create(by: "app")
  /// ```
  ///
  /// - Parameters:
  ///   - address: libpq's, and the name of the log after `#`, or one of a store that `SharedLogs` knows; it has no password.
  ///   - acceptsLoss: whether events are appended also to a server that may lose what it acknowledges.
  /// - Throws: `EventLogError` with `unavailable` if the text is no such address; `CatalogError` with `directory` if the
  ///   catalog has another log already.
  public func shareLog(at address: String, acceptsLoss: Bool = false) throws {
    try share(SharedLogAddress(address), acceptsLoss: acceptsLoss)
  }

  /// Names the log of a new catalog, which other machines may share.
  ///
  /// - Parameter acceptsLoss: whether events are appended also to a server that may lose what it acknowledges; a catalog
  ///   that had the log before is opened so from now on.
  /// - Throws: `CatalogError` with `directory` if the catalog has another log already.
  func share(_ address: SharedLogAddress, acceptsLoss: Bool) throws {
    try make()
    guard !Self.hasSegments(events) else {
      throw CatalogError(
        .directory, "\(path) has a log of its own; copy it to \(address), and name another folder")
    }
    if let known = try logAddress() {
      guard known == address else {
        throw CatalogError(.directory, "\(path) already has the log \(known); name another folder")
      }
      guard acceptsLoss, !self.acceptsLoss else { return }
    }
    try name(address, acceptsLoss)
  }

  private func name(_ address: SharedLogAddress, _ acceptsLoss: Bool) throws {
    try Data("\(address)\n\(acceptsLoss ? Self.lossLine + "\n" : "")".utf8)
      .write(to: URL(fileURLWithPath: addressFile), options: .atomic)
  }
}
