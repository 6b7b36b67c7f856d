import CatalogEngine
import CatalogModel
import EngineCommands
import Foundation
import Projections
import SoundLibrary

extension CatalogOptions {
  /// Opens a sound library that must be there, shows its progress and closes it afterwards.
  func withCatalog(_ body: (SoundLibrary) async throws -> Void) async throws {
    try await withCatalog(of: SoundLibraryKind()) { try await body(SoundLibrary($0)) }
  }

  /// Opens the catalog for a command that works on packs, which handles Ctrl-C itself.
  ///
  /// - Throws: `CatalogError` with `readOnly` if nothing can be written, before anything else is done.
  func workOnPacks(_ body: (SoundLibrary) async throws -> Void) async throws {
    try directory.requireWritable()
    try await withCatalog(body)
  }

  /// Opens the catalog for a command that changes it. On Ctrl-C the process ends and says how much of the change is in the log.
  func changeCatalog<Result>(
    _ waiting: WaitOptions, music: MusicService? = nil, clock: CatalogClock = .system,
    _ body: (SoundLibrary) async throws -> Result
  ) async throws -> Result {
    try await changeCatalog(of: SoundLibraryKind(), waiting, clock: clock) {
      try await body(SoundLibrary($0, music: music))
    }
  }

  /// Opens the catalog for a command that only reads: what it shows is what the log says (`readCatalog(of:_:)`).
  ///
  /// - Parameter usesIndex: false for a question that SQL answers sooner than an index is made.
  func readCatalog(
    usesIndex: Bool = true, _ body: (SoundLibrary) async throws -> Void
  ) async throws {
    try await readCatalog(of: SoundLibraryKind()) {
      try await body(SoundLibrary($0, usesIndex: usesIndex))
    }
  }

  /// Finds an item as a person names it, in the rows of an open catalog.
  ///
  /// - Throws: `ValidationError` if no item, or more than one, has this title or an id that begins so.
  func item(_ words: [String], in catalog: SoundLibrary) async throws -> UUID {
    try await id(words, "library_item", catalog)
  }

  /// Finds a pack in the same way.
  func pack(_ words: [String], in catalog: SoundLibrary) async throws -> UUID {
    try await id(words, "pack", catalog)
  }

  /// Finds packs in the same way: each word is one, or a title in quotes.
  ///
  /// - Throws: `CatalogError` with `notFound` for an id that no pack has.
  func packs(_ names: [String], in catalog: SoundLibrary) async throws -> [SelectedPack] {
    var ids: [UUID] = []
    for name in names { ids.append(try await pack([name], in: catalog)) }
    guard Set(ids).count == ids.count else { throw ValidationError("a pack is named twice") }
    return try await catalog.packSelection.packs(ids)
  }

  private func id(
    _ words: [String], _ table: String, _ catalog: SoundLibrary
  ) async throws -> UUID {
    UUID(try await id(of: words, Self.table(table), in: catalog.catalog))
  }

  /// A table of every sound library.
  static func table(_ name: String) -> TableDescription {
    guard let table = SoundLibrary.kind.schema.tables.first(where: { $0.name == name }) else {
      preconditionFailure("a sound library has a table \(name)")
    }
    return table
  }
}
