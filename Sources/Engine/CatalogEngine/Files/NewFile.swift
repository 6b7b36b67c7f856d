import EventLog
import LibC
import Support

/// A file that a command makes: whole, or not at all, and never over one that is there.
package struct NewFile {
  package let path: String
  /// In the same folder, so that it can be given the name that was asked for.
  private let scratch: String

  /// Finds out before the work whether the file can be made.
  ///
  /// - Parameter places: of the catalog that it is made from, which has its own files.
  /// - Throws: `CatalogError` with `directory`.
  package init(_ path: String, apartFrom places: CatalogPlaces) throws {
    self.path = path
    try places.requireApart(path)
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let folder = path.dropLast(name.count)
    scratch = "\(folder)\(UnfinishedFiles.name(of: name))"
    guard !isTaken else { throw taken }
    UnfinishedFiles.sweep(folder.isEmpty ? "." : String(folder))
    // Of a process that had this one's number, and is dead.
    unlink(scratch)
    close(try openScratch())
    unlink(scratch)
  }

  /// Lets `body` write to an open file, syncs it and gives it its name. If this throws, nothing is left.
  ///
  /// - Parameter body: returns the number of the error that stopped it; nil if nothing did.
  package func write(_ body: (Int32) -> Int32?) throws {
    try make(writing: body) { _ in }
  }

  /// Lets a closure write to an open file, syncs it, lets another one read it by the name that it has until then, and gives it
  /// its name. If this throws, nothing is left.
  ///
  /// - Parameter write: returns the number of the error that stopped it; nil if nothing did.
  package func make<Result>(
    writing write: (Int32) throws -> Int32?, checking check: (String) throws -> Result
  ) throws -> Result {
    let descriptor = try openScratch()
    defer { unlink(scratch) }
    do {
      defer { close(descriptor) }
      if let number = try write(descriptor) { throw failure("write", number) }
      do {
        try RealFileCalls().sync(descriptor)
      } catch let error as FileFailure {
        throw failure("write", error.errno)
      }
    }
    let result = try check(scratch)
    try giveName()
    return result
  }

  /// Lets `body` write and sync a new file of the name that it is handed, and gives it its own name.
  package func make<Result>(_ body: (String) throws -> Result) throws -> Result {
    defer { unlink(scratch) }
    let result = try body(scratch)
    try giveName()
    return result
  }

  private func giveName() throws {
    // A second name for the same file: unlike a rename it fails where the name is taken by now.
    if link(scratch, path) == 0 { return }
    if errno == EEXIST { throw taken }
    // Some file systems have no second names.
    guard !isTaken else { throw taken }
    guard rename(scratch, path) == 0 else { throw failure("name") }
  }

  private func openScratch() throws -> Int32 {
    let descriptor = open(scratch, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw failure("create") }
    return descriptor
  }

  /// A link that leads nowhere takes the name, too.
  private var isTaken: Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  private var taken: CatalogError {
    CatalogError(.directory, "\(path) already exists; name a new file")
  }

  private func failure(_ verb: String, _ number: Int32 = errno) -> CatalogError {
    let reason = SystemError.words(
      for: number, otherwise: "name a file in a folder that can be written")
    return CatalogError(.directory, "cannot \(verb) \(path): \(reason)")
  }
}
