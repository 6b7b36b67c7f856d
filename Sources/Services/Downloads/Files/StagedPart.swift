import CatalogModel
import Foundation
import Support

/// The part of an asset that is there already, hashed as it grows.
///
/// Beside `<name>.part` lies `<name>.part.json`, which says how far the part was made durable, and the
/// server's strong tag for it. After a crash of the system the smaller of the file and that note is
/// trusted, no more; after a crash of the process all of the file is.
actor StagedPart {
  private struct Note: Codable {
    /// How far the part is durable.
    var offset: Int64
    var tag: String?
    /// The run of the system in which the part was written.
    var boot: String?

    func trusted(of size: Int64, in folder: FolderHandle) -> Int64 {
      boot != nil && boot == folder.calls.systemRun ? size : min(size, offset)
    }
  }

  private let folder: FolderHandle
  private let name: String
  private let policy: DownloadPolicy
  private let queue: FileQueue
  private var file: OpenFile?
  private var hash = SHA256()
  private var durable: Int64 = 0
  private var lastCheckpoint = ContinuousClock.now
  /// Whether there is a note of this run.
  private var isNoted = false
  /// How many bytes of the asset are there.
  private(set) var offset: Int64 = 0
  /// The server's tag for what is there.
  private(set) var tag: StrongEntityTag?

  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// - Parameter name: of the file that the part is to become.
  init(_ name: String, in folder: FolderHandle, policy: DownloadPolicy) {
    self.folder = folder
    self.name = name
    self.policy = policy
    queue = FileQueue(label: "catalog.part")
  }

  /// How many bytes of the part can be trusted, without opening it.
  static func trustedBytes(of name: String, in folder: FolderHandle) -> Int64 {
    guard case .file(let size)? = try? folder.entry(partName(name)),
      let note = try? readNote(of: name, in: folder)
    else { return 0 }
    return note.trusted(of: size, in: folder)
  }

  static func partName(_ name: String) -> String { name + ".part" }
  private static func noteName(_ name: String) -> String { name + ".part.json" }

  /// Opens the part, made where it is missing; cuts off what cannot be trusted and hashes the rest.
  ///
  /// - Parameter limit: the length of the whole asset. A longer part is of another one.
  func open(limit: Int64) throws {
    guard let file = try folder.openFile(Self.partName(name), isMade: true) else { return }
    self.file = file
    let note = try Self.readNote(of: name, in: folder)
    offset = note?.trusted(of: try file.status().size, in: folder) ?? 0
    if offset > limit || offset == 0 {
      try startOver()
      return
    }
    tag = StrongEntityTag(note?.tag)
    try cut(to: offset)
    offset = try FileDigest.read(file, upTo: offset, into: &hash)
    durable = min(offset, note?.offset ?? 0)
  }

  /// Takes the tag of the response whose body comes next.
  func begin(tag: StrongEntityTag?) throws {
    guard tag != self.tag || !isNoted else { return }
    self.tag = tag
    try writeNote()
  }

  func append(_ bytes: ArraySlice<UInt8>) throws {
    guard let file else { return }
    try bytes.withUnsafeBytes { bytes in
      var rest = bytes
      while !rest.isEmpty {
        let count = try file.write(rest, at: offset)
        hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: rest[..<count]))
        offset += Int64(count)
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
    }
    if offset - durable >= policy.checkpoints.bytes
      || ContinuousClock.now - lastCheckpoint >= policy.checkpoints.time
    {
      try checkpoint()
    }
  }

  /// Makes what is there durable, then notes how far that is.
  func checkpoint() throws {
    guard offset > durable else { return }
    try sync()
    let isFirst = durable == 0
    durable = offset
    lastCheckpoint = .now
    try writeNote()
    // The names of part and note: without them the first checkpoint would be for nothing. Later notes take
    // the place of this one, and a loss of power leaves one or the other.
    if isFirst { try folder.sync() }
  }

  private func sync() throws {
    do {
      try file?.sync()
    } catch {
      forgetWhatIsNotDurable()
      throw error
    }
  }

  /// What could not be synced may be gone behind a later sync that succeeds: its bytes are to be written
  /// anew. Nothing may be appended afterwards.
  private func forgetWhatIsNotDurable() {
    offset = durable
    do {
      try cut(to: durable)
    } catch {
      // Without a note nothing of the part is trusted. Where that cannot be had either, the error of the
      // sync, which is thrown in any case, is all that is left to do.
      _ = try? folder.removeFile(Self.noteName(name))
    }
  }

  /// Throws away what is not durable. Nothing may be appended afterwards.
  func cutToDurable() throws {
    try cut(to: durable)
  }

  /// Throws away what is there.
  func startOver() throws {
    // The note goes for good before a byte is written anew: a loss of power must not bring it back beside
    // bytes that it does not speak of. If there is no hash, nothing else would tell.
    let isNoted = try folder.removeFile(Self.noteName(name))
    if try isNoted || (file?.status().size ?? 0) > 0 { try folder.sync() }
    try cut(to: 0)
    offset = 0
    durable = 0
    hash = SHA256()
    tag = nil
    self.isNoted = false
  }

  /// SHA-256 of what is there: 64 lower-case hex digits.
  var digest: String { Hex.string(hash.finalize()) }

  /// Makes the part durable and gives it its name as a whole file.
  func finish() throws {
    try sync()
    try folder.move(Self.partName(name), to: folder, as: name)
    try folder.removeFile(Self.noteName(name))
    file = nil
  }

  private func cut(to size: Int64) throws {
    try file?.truncate(to: size)
  }

  // MARK: The note

  private func writeNote() throws {
    let note = Note(offset: durable, tag: tag?.text, boot: folder.calls.systemRun)
    // A note that says that nothing is durable has nothing to lose.
    try folder.write(
      Array(try JSONEncoder().encode(note)), to: Self.noteName(name), isSynced: durable > 0)
    isNoted = true
  }

  /// Nil if there is none, or what is there is no note: a crash may have left anything.
  private static func readNote(of name: String, in folder: FolderHandle) throws -> Note? {
    guard let bytes = try folder.read(noteName(name), limit: 4_096) else { return nil }
    let note = try? JSONDecoder().decode(Note.self, from: Data(bytes))
    return note.flatMap { $0.offset >= 0 ? $0 : nil }
  }
}
