import CatalogEngine
import CatalogModel
import ConcertArchive
import EngineCommands

extension CatalogOptions {
  /// Opens an archive that must be there, and closes it afterwards.
  ///
  /// - Parameter isVerified: whether what somebody may have changed by hand is verified first: for a command that asks a
  ///   server for what rows say.
  func withArchive(
    isVerified: Bool = false, _ body: @escaping @Sendable (ConcertArchive) async throws -> Void
  ) async throws {
    try await naming {
      try await withCatalog(of: ConcertArchiveKind()) { catalog in
        if isVerified { try await catalog.verifyIfTouched() }
        try await body(ConcertArchive(catalog))
      }
    }
  }

  /// The same for a command that only reads: what it shows is what the log says (`readCatalog(of:_:)`).
  func readArchive(
    _ body: @escaping @Sendable (ConcertArchive) async throws -> Void
  ) async throws {
    try await naming {
      try await readCatalog(of: ConcertArchiveKind()) { try await body(ConcertArchive($0)) }
    }
  }

  /// Says how to find a show where none has the id that was named.
  private func naming(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let unknown as UnknownShow {
      throw Refusal(
        "there is no show \(JSONExcerpt.printable(unknown.id)); "
          + "`\(ProgramName.current) shows search` finds shows")
    }
  }
}

/// Why a command did not do what it was asked to, in its own words.
struct Refusal: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
