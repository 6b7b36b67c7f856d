import ArgumentParser
package import CatalogEngine
package import EventLog

/// The log in PostgreSQL that a new folder begins or joins.
package struct SharedLogArguments: ParsableArguments, Sendable {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The address of a log that several machines share.",
      discussion: "postgresql://user@host/database#name", valueName: "url"))
  var log: String?

  @Flag(help: "Append also to a server that may lose what it acknowledges, in this folder.")
  var acceptLoss = false

  package init() {}

  package func validate() throws {
    if acceptLoss, log == nil {
      throw ValidationError("--accept-loss is about the server of --log; name it, too")
    }
  }

  /// Nil if the log is in the folder.
  ///
  /// - Throws: an error of an address that is none.
  package var address: SharedLogAddress? {
    get throws { try log.map { try SharedLogAddress($0) } }
  }

  /// Makes sure that the log exists, or that there is no other one beside it: a name that no log has yet may be a mistyped one.
  ///
  /// - Parameter option: that begins a log all the same, for people.
  /// - Throws: `ValidationError` with the names of the other logs.
  package func requireName(_ option: String) throws {
    guard let address = try address, try address.store().logID() == nil else { return }
    guard let others = try address.neighbours() else { return }
    throw ValidationError(
      "there is no log at \(address) yet; to join one, name it after #: \(others); to begin a new one, say \(option)"
    )
  }

  /// Lets a folder have the log, if one is named, while its catalog begins. If that fails, the folder is as it was before.
  ///
  /// - Parameter logID: the id of a log that begins in the folder.
  package func joining<Result>(
    _ directory: CatalogDirectory, logID: LogID, _ begin: () throws -> Result
  ) throws -> Result {
    guard let address = try address else {
      return try UnfinishedCatalog(directory, logID: logID).create(begin)
    }
    return try directory.joining(address, acceptsLoss: acceptLoss, begin)
  }
}
