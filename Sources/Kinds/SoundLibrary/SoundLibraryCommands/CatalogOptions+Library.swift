import Catalog
import EngineCommands

extension CatalogOptions {
  /// Opens a sound library that must be there, shows its progress and closes it afterwards.
  ///
  /// - Parameter usesIndex: false for a question that SQL answers sooner than an index is made.
  func withCatalog(
    usesIndex: Bool = true, _ body: (SoundCatalog) async throws -> Void
  ) async throws {
    let progress = ProgressPrinter(Console.current)
    var options = SoundCatalog.Options(opening(progress))
    options.readers = .one
    if !usesIndex { options.indexThreshold = .max }
    let catalog = try await SoundCatalog.openExisting(directory, options: options)
    defer { catalog.close() }
    progress.finish()
    try await body(catalog)
  }

  /// Opens the catalog for a command that works on packs, which handles Ctrl-C itself.
  ///
  /// - Throws: `CatalogError` with `readOnly` if nothing can be written, before anything else is done.
  func workOnPacks(_ body: (SoundCatalog) async throws -> Void) async throws {
    try directory.requireWritable()
    try await withCatalog(usesIndex: true, body)
  }

  /// Opens the catalog for a command that changes it. On Ctrl-C the process ends and says how much of the change is in the log.
  func changeCatalog(
    _ waiting: WaitOptions, music: MusicService? = nil,
    _ body: (SoundCatalog) async throws -> Void
  ) async throws {
    try await changing(waiting) { opening, progress in
      var options = SoundCatalog.Options(opening)
      options.readers = .one
      options.music = music
      let catalog = try await SoundCatalog.openExisting(directory, options: options)
      defer { catalog.close() }
      progress.finish()
      try await body(catalog)
    }
  }

  /// The same for a command that only reads: what it shows is what the log says (`readCatalog(of:_:)`).
  func readCatalog(
    usesIndex: Bool = true, _ body: (SoundCatalog) async throws -> Void
  ) async throws {
    try await withCatalog(usesIndex: usesIndex) { catalog in
      try await catalog.verifyIfTouched()
      try await body(catalog)
    }
  }
}
