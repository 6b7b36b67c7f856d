import LibC

/// A folder that is held open: what is done in it cannot be led elsewhere by a link that somebody plants
/// on the way.
///
/// No call follows a symbolic link at its last component. Errors are `DownloadFailure`.
package final class FolderHandle: Sendable {
  /// For errors alone.
  package let path: String
  /// Those of the folder that this one was opened from.
  let calls: any FolderCalls
  private let descriptor: Int32

  package enum Entry: Hashable, Sendable {
    case file(bytes: Int64)
    case folder
    case link
    case other
  }

  /// Opens a folder; links on the way to it are followed, for where the catalog lies is the user's choice.
  ///
  /// - Parameter calls: with which it, and every folder and file below it, is touched.
  package convenience init(
    _ path: String, calls: any FolderCalls = RealFolderCalls()
  ) throws(DownloadFailure) {
    let descriptor: Int32
    do {
      descriptor = try calls.openRoot(path)
    } catch {
      throw Self.failure("open", path, error)
    }
    self.init(path: path, calls: calls, descriptor: descriptor)
  }

  private init(path: String, calls: any FolderCalls, descriptor: Int32) {
    self.path = path
    self.calls = calls
    self.descriptor = descriptor
  }

  deinit { calls.close(descriptor) }

  /// A folder in this one, made where it is missing.
  package func makeFolder(_ name: String) throws(DownloadFailure) -> FolderHandle {
    do {
      try calls.makeFolder(name, in: descriptor)
    } catch {
      if error.errno != EEXIST { throw failure("create", name, error) }
    }
    guard let folder = try existingFolder(name) else {
      throw failure("open", name, CallFailure(ENOENT))
    }
    return folder
  }

  /// A folder in this one; nil if there is none of that name.
  ///
  /// - Throws: if the name is a link or a file.
  package func existingFolder(_ name: String) throws(DownloadFailure) -> FolderHandle? {
    let opened: Int32
    do {
      opened = try calls.openFolder(name, in: descriptor)
    } catch {
      if error.errno == ENOENT { return nil }
      if try entry(name) == .link { throw link(name) }
      throw failure("open", name, error)
    }
    return FolderHandle(path: "\(path)/\(name)", calls: calls, descriptor: opened)
  }

  /// Whether files can be moved between the two: not from one volume to another.
  package func isOnVolume(of other: FolderHandle) throws(DownloadFailure) -> Bool {
    try status().device == other.status().device
  }

  private func status() throws(DownloadFailure) -> EntryStatus {
    do { return try calls.status(descriptor) } catch { throw failure("stat", nil, error) }
  }

  /// Whether files can be made in this folder.
  package var isWritable: Bool { calls.isWritable(descriptor) }

  /// What has this name; nil if nothing has.
  package func entry(_ name: String) throws(DownloadFailure) -> Entry? {
    let status: EntryStatus
    do {
      status = try calls.status(of: name, in: descriptor)
    } catch {
      if error.errno == ENOENT { return nil }
      throw failure("stat", name, error)
    }
    return switch status.kind {
    case .file: .file(bytes: status.size)
    case .folder: .folder
    case .link: .link
    case .other: .other
    }
  }

  /// Names in this folder, sorted.
  package func names() throws(DownloadFailure) -> [String] {
    do { return try calls.names(in: descriptor).sorted() } catch {
      throw failure("list", nil, error)
    }
  }

  /// Opens a regular file that has no other name.
  ///
  /// - Returns: nil if it is missing and is not to be made.
  package func openFile(_ name: String, isMade: Bool) throws(DownloadFailure) -> OpenFile? {
    guard let file = try open(name, isMade ? .readWrite : .read) else {
      guard isMade, let made = try open(name, .create) else { return nil }
      return made
    }
    return file
  }

  /// Nil where the name is free and nothing is to be made.
  private func open(
    _ name: String, _ opening: FileOpening
  ) throws(DownloadFailure) -> OpenFile? {
    let opened: Int32
    do {
      opened = try calls.openFile(name, in: descriptor, opening)
    } catch {
      if error.errno == ENOENT, opening != .create { return nil }
      if error.errno == ELOOP { throw link(name) }
      throw failure("open", name, error)
    }
    let file = OpenFile(opened, name, in: self)
    let status = try file.status()
    guard status.kind == .file, status.links == 1 else {
      throw DownloadFailure(
        .file,
        "\(path)/\(name) is not a regular file with one name (it is a folder, a pipe or a hard link); remove it",
        isResumable: false)
    }
    return file
  }

  /// The bytes of a small file; nil if there is none. What is beyond the limit is left out.
  package func read(_ name: String, limit: Int) throws(DownloadFailure) -> [UInt8]? {
    guard let file = try openFile(name, isMade: false) else { return nil }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: limit, alignment: 1)
    defer { buffer.deallocate() }
    var done = 0
    while done < limit {
      let count = try file.read(
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]), at: Int64(done))
      if count == 0 { break }
      done += count
    }
    return Array(buffer[..<done])
  }

  /// Puts a small file in the place of what has the name, whole or not at all.
  ///
  /// - Parameter isSynced: whether its bytes are durable before it gets the name. Else a loss of power may
  ///   leave an empty file under it, or noise: right where nothing is lost with it. The name itself is
  ///   durable when the folder is synced, and not before; until then it may lead to the older file.
  package func write(
    _ bytes: [UInt8], to name: String, isSynced: Bool
  ) throws(DownloadFailure) {
    let temporary = name + ".new"
    try removeFile(temporary)
    guard let file = try openFile(temporary, isMade: true) else { return }
    var done = 0
    while done < bytes.count {
      // Typed throws do not come through the closure of an array's bytes.
      let result = bytes.withUnsafeBytes { buffer in
        Result { () throws(DownloadFailure) in
          try file.write(UnsafeRawBufferPointer(rebasing: buffer[done...]), at: Int64(done))
        }
      }
      done += try result.get()
    }
    if isSynced { try file.sync() }
    try move(temporary, to: self, as: name)
  }

  /// Opens the file of a lock, made where it is missing; nil if it was removed meanwhile.
  func openLock(_ name: String) throws(DownloadFailure) -> OpenFile? {
    do {
      return OpenFile(try calls.openFile(name, in: descriptor, .createOrOpen), name, in: self)
    } catch {
      if error.errno == ENOENT { return nil }
      throw failure("open", name, error)
    }
  }

  /// Whether a name leads to an open file.
  func isEntry(_ name: String, _ file: OpenFile) throws(DownloadFailure) -> Bool {
    let status = try file.status()
    do {
      return try calls.status(of: name, in: descriptor).isSame(as: status)
    } catch {
      if error.errno == ENOENT { return false }
      throw failure("stat", name, error)
    }
  }

  /// Moves a file into a folder, over what has the name there.
  package func move(
    _ name: String, to folder: FolderHandle, as newName: String
  ) throws(DownloadFailure) {
    do {
      try calls.move(name, in: descriptor, to: folder.descriptor, as: newName)
    } catch {
      throw failure("move", name, error)
    }
  }

  /// Removes a file, or a link and not what it leads to.
  ///
  /// - Returns: false if nothing has the name.
  @discardableResult
  package func removeFile(_ name: String) throws(DownloadFailure) -> Bool {
    do {
      try calls.removeFile(name, in: descriptor)
      return true
    } catch {
      if error.errno == ENOENT { return false }
      throw failure("remove", name, error)
    }
  }

  /// Removes a folder where it is empty.
  ///
  /// - Returns: whether it is gone.
  @discardableResult
  package func removeFolder(_ name: String) throws(DownloadFailure) -> Bool {
    do {
      try calls.removeFolder(name, in: descriptor)
      return true
    } catch {
      switch error.errno {
      case ENOENT: return true
      case ENOTEMPTY, EEXIST, ENOTDIR: return false
      default: throw failure("remove", name, error)
      }
    }
  }

  /// Makes names in this folder durable.
  package func sync() throws(DownloadFailure) {
    do { try calls.sync(descriptor) } catch { throw failure("sync", nil, error) }
  }

  /// What is free on the volume, in bytes, for a user who is not root.
  package func freeBytes() throws(DownloadFailure) -> Int64 {
    do { return try calls.freeBytes(descriptor) } catch { throw failure("stat", nil, error) }
  }
}

// MARK: Errors

extension FolderHandle {
  private func link(_ name: String) -> DownloadFailure {
    DownloadFailure(
      .file, "\(path)/\(name) is a symbolic link, which downloads do not follow; remove it",
      isResumable: false)
  }

  func failure(_ verb: String, _ name: String?, _ cause: CallFailure) -> DownloadFailure {
    Self.failure(verb, name.map { "\(path)/\($0)" } ?? path, cause)
  }

  private static func failure(
    _ verb: String, _ path: String, _ cause: CallFailure
  ) -> DownloadFailure {
    let text = "cannot \(verb) \(path): \(String(cString: strerror(cause.errno)))"
    switch cause.errno {
    case ENOSPC, EDQUOT, EFBIG: return DownloadFailure(.noSpace, text, isResumable: true)
    default: return DownloadFailure(.file, text, isResumable: false)
    }
  }
}
