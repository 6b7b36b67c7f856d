package import Downloads
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A volume in memory that remembers what was synced, and can lose the rest.
///
/// Syncing a file makes its bytes durable and not its name; syncing a folder makes its names durable and
/// no bytes. A move from one folder to another is durable when the one that it leads to is synced, and
/// until then done or not, as a whole.
package final class SimulatedVolume: FolderCalls {
  /// What is about to happen, and what the volume holds before it does.
  package struct Moment: Sendable {
    package let call: String
    package let image: VolumeImage
  }

  fileprivate struct State {
    var image = VolumeImage()
    var descriptors: [Int32: Int] = [:]
    /// By inode: the descriptor that has the lock.
    var locks: [Int: Int32] = [:]
    var nextNumber: Int32 = 100
    /// Counted down with each sync of a file; that which makes it 0 fails.
    var syncsLeft = 0
    var observer: (@Sendable (Moment) -> Void)?
  }

  private let state = Mutex(State())
  package let systemRun: String?

  /// - Parameter contents: what is there, all of it durable; nil for nothing.
  package init(_ contents: VolumeContents? = nil, systemRun: String? = "this run") {
    self.systemRun = systemRun
    if let contents { state.withLock { $0.image = VolumeImage(contents) } }
  }

  /// Tells of each call that changes something, just before it does.
  package func observe(_ observer: (@Sendable (Moment) -> Void)?) {
    state.withLock { $0.observer = observer }
  }

  /// Lets one sync of a file fail: the first from now on is number 1.
  package func failFileSync(_ number: Int) {
    state.withLock { $0.syncsLeft = number }
  }

  package var image: VolumeImage { state.withLock { $0.image } }

  // MARK: Parts

  private func look<Result>(
    _ body: (inout State) throws(CallFailure) -> Result
  ) throws(CallFailure) -> Result {
    try state.withLock { (state) throws(CallFailure) -> Result in try body(&state) }
  }

  private func change<Result>(
    _ call: String, _ body: (inout State) throws(CallFailure) -> Result
  ) throws(CallFailure) -> Result {
    let (observer, image) = state.withLock { ($0.observer, $0.image) }
    observer?(Moment(call: call, image: image))
    return try look(body)
  }

  package func openRoot(_ path: String) throws(CallFailure) -> Int32 {
    try look { state in state.open(VolumeImage.root) }
  }

  package func openFolder(_ name: String, in folder: Int32) throws(CallFailure) -> Int32 {
    try look { state throws(CallFailure) in
      let inode = try state.inode(name, folder)
      guard state.image.inodes[inode]?.isFolder == true else { throw CallFailure(ENOTDIR) }
      return state.open(inode)
    }
  }

  package func openFile(
    _ name: String, in folder: Int32, _ opening: FileOpening
  ) throws(CallFailure) -> Int32 {
    let existing = try? look { state throws(CallFailure) in try state.inode(name, folder) }
    switch (opening, existing) {
    case (.create, _?): throw CallFailure(EEXIST)
    case (.read, nil), (.readWrite, nil): throw CallFailure(ENOENT)
    case (_, let inode?): return try look { state in state.open(inode) }
    case (_, nil):
      return try change("create \(name)") { state throws(CallFailure) in
        state.open(try state.make(name, folder, isFolder: false))
      }
    }
  }

  package func close(_ descriptor: Int32) {
    unlock(descriptor)
    state.withLock { $0.descriptors[descriptor] = nil }
  }

  package func makeFolder(_ name: String, in folder: Int32) throws(CallFailure) {
    if (try? look { state throws(CallFailure) in try state.inode(name, folder) }) != nil {
      throw CallFailure(EEXIST)
    }
    try change("make folder \(name)") { state throws(CallFailure) in
      _ = try state.make(name, folder, isFolder: true)
    }
  }

  package func status(of name: String, in folder: Int32) throws(CallFailure) -> EntryStatus {
    try look { state throws(CallFailure) in state.status(try state.inode(name, folder)) }
  }

  package func status(_ descriptor: Int32) throws(CallFailure) -> EntryStatus {
    try look { state throws(CallFailure) in state.status(try state.number(descriptor)) }
  }

  package func names(in folder: Int32) throws(CallFailure) -> [String] {
    try look { state throws(CallFailure) in
      (state.image.inodes[try state.number(folder)]?.names.keys).map { Array($0) } ?? []
    }
  }

  package func isWritable(_ folder: Int32) -> Bool { true }

  package func freeBytes(_ folder: Int32) throws(CallFailure) -> Int64 { 1 << 40 }

  package func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(CallFailure) -> Int {
    let bytes = try look { state throws(CallFailure) in
      state.image.inodes[try state.number(descriptor)]?.bytes ?? []
    }
    guard offset < bytes.count else { return 0 }
    let part = bytes[Int(offset)...].prefix(buffer.count)
    buffer.copyBytes(from: part)
    return part.count
  }

  package func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(CallFailure) -> Int {
    return try change("write") { state throws(CallFailure) in
      state.image.inodes[try state.number(descriptor)]?.write(bytes, at: Int(offset))
      return bytes.count
    }
  }

  package func truncate(_ descriptor: Int32, to size: Int64) throws(CallFailure) {
    try change("truncate") { state throws(CallFailure) in
      state.image.inodes[try state.number(descriptor)]?.truncate(to: Int(size))
    }
  }

  package func sync(_ descriptor: Int32) throws(CallFailure) {
    try change("sync") { state throws(CallFailure) in
      let number = try state.number(descriptor)
      guard state.image.inodes[number]?.isFolder == false else {
        for change in state.image.changes where change.folder == number {
          change.apply(to: &state.image.inodes, \.durableNames)
        }
        state.image.changes.removeAll { $0.folder == number }
        return
      }
      state.syncsLeft -= 1
      if state.syncsLeft == 0 {
        state.image.inodes[number]?.failSync()
        throw CallFailure(EIO)
      }
      state.image.inodes[number]?.sync()
    }
  }

  package func move(
    _ name: String, in folder: Int32, to target: Int32, as newName: String
  ) throws(CallFailure) {
    try change("move \(name) to \(newName)") { state throws(CallFailure) in
      let inode = try state.inode(name, folder)
      state.rename(
        .move(
          folder: try state.number(folder), name, target: try state.number(target), newName, inode))
    }
  }

  package func removeFile(_ name: String, in folder: Int32) throws(CallFailure) {
    let inode = try look { state throws(CallFailure) in try state.inode(name, folder) }
    try change("remove \(name)") { state throws(CallFailure) in
      guard state.image.inodes[inode]?.isFolder == false else { throw CallFailure(EISDIR) }
      state.rename(.remove(folder: try state.number(folder), name, inode))
    }
  }

  package func removeFolder(_ name: String, in folder: Int32) throws(CallFailure) {
    let inode = try look { state throws(CallFailure) in
      let inode = try state.inode(name, folder)
      guard state.image.inodes[inode]?.names.isEmpty == true else { throw CallFailure(ENOTEMPTY) }
      return inode
    }
    try change("remove folder \(name)") { state throws(CallFailure) in
      state.rename(.remove(folder: try state.number(folder), name, inode))
    }
  }

  package func lock(_ descriptor: Int32) throws(CallFailure) -> Bool {
    try look { state throws(CallFailure) in
      let number = try state.number(descriptor)
      guard state.locks[number] == nil else { return false }
      state.locks[number] = descriptor
      return true
    }
  }

  package func unlock(_ descriptor: Int32) {
    state.withLock { state in
      guard let number = state.descriptors[descriptor], state.locks[number] == descriptor
      else { return }
      state.locks[number] = nil
    }
  }
}

extension SimulatedVolume.State {
  fileprivate func number(_ descriptor: Int32) throws(CallFailure) -> Int {
    guard let number = descriptors[descriptor] else { throw CallFailure(EBADF) }
    return number
  }

  fileprivate func inode(_ name: String, _ folder: Int32) throws(CallFailure) -> Int {
    guard let inode = image.inodes[try number(folder)]?.names[name] else {
      throw CallFailure(ENOENT)
    }
    return inode
  }

  fileprivate mutating func open(_ inode: Int) -> Int32 {
    nextNumber += 1
    descriptors[nextNumber] = inode
    return nextNumber
  }

  fileprivate mutating func make(
    _ name: String, _ folder: Int32, isFolder: Bool
  ) throws(CallFailure) -> Int {
    nextNumber += 1
    let inode = Int(nextNumber)
    image.inodes[inode] = VolumeImage.Inode(isFolder: isFolder)
    rename(.set(folder: try number(folder), name, inode))
    return inode
  }

  fileprivate mutating func rename(_ change: VolumeImage.NameChange) {
    change.apply(to: &image.inodes, \.names)
    image.changes.append(change)
  }

  fileprivate func status(_ inode: Int) -> EntryStatus {
    let node = image.inodes[inode]
    return EntryStatus(
      kind: node?.isFolder == true ? .folder : .file, size: Int64(node?.bytes.count ?? 0), links: 1,
      device: 1, inode: UInt64(inode))
  }
}
