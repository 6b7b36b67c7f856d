import CatalogTestSupport
import EventLog
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A disk in memory that remembers what was synced, and can lose the rest.
///
/// Syncing a file makes its bytes durable and not its name; syncing a folder makes its names durable
/// and no bytes. One process at a time uses it.
final class SimulatedDisk: FileCalls {
  /// What of the unsynced bytes a loss of power leaves.
  enum Loss: CaseIterable {
    /// A file grows only with its bytes, as on file systems that order both: its end is cut off.
    case cut
    /// A file grows before its bytes are there: whole sectors of them may be zero.
    case zeroed
    /// Any sector may be as before or as after, those too that were partly filled before.
    case mixed
  }

  private struct Inode {
    var bytes: [UInt8] = []
    var durable: [UInt8] = []

    mutating func write(_ new: Slice<UnsafeRawBufferPointer>, at offset: Int) {
      if bytes.count < offset { bytes += Array(repeating: 0, count: offset - bytes.count) }
      bytes.replaceSubrange(offset..<min(bytes.count, offset + new.count), with: new)
    }
  }

  private enum NameChange {
    case set(String, Int)
    case remove(String)
    case move(from: String, to: String, Int)
  }

  private struct State {
    var inodes: [Int: Inode] = [:]
    var names: [String: Int] = [:]
    var durableNames: [String: Int] = [:]
    /// Changes of names that no sync of the folder followed.
    var changes: [NameChange] = []
    var folders: Set<String> = []
    var durableFolders: Set<String> = []
    var descriptors: [Int32: Int] = [:]
    var nextNumber: Int32 = 3
    var isLocked = false
    /// Calls that change something and still succeed; nil for all.
    var callsLeft: Int?
    /// Bytes that the write which is interrupted gets through, in percent.
    var partial = 0

    /// The file that is open as this descriptor.
    subscript(descriptor: Int32) -> Inode {
      get { descriptors[descriptor].flatMap { inodes[$0] } ?? Inode() }
      set { if let inode = descriptors[descriptor] { inodes[inode] = newValue } }
    }
  }

  private static let sector = 512
  private let state = Mutex(State())

  init() {}

  /// Lets so many changes through, then interrupts: every later call fails.
  func interrupt(afterChanges count: Int, partial: Int) {
    state.withLock {
      $0.callsLeft = count
      $0.partial = partial
    }
  }

  var isInterrupted: Bool { state.withLock { $0.callsLeft == 0 } }

  /// The process dies; what it wrote is still in memory.
  func killProcess() {
    state.withLock {
      $0.descriptors = [:]
      $0.isLocked = false
      $0.callsLeft = nil
    }
  }

  /// The power goes: of what was not synced, chance decides.
  func losePower(_ loss: Loss, _ generator: inout SeededGenerator) {
    killProcess()
    var dice = generator
    state.withLock { state in
      for (number, inode) in state.inodes {
        let left = Self.left(of: inode, loss, &dice)
        state.inodes[number] = Inode(bytes: left, durable: left)
      }
      let ordered = dice.below(state.changes.count + 1)
      let isOrdered = dice.below(2) == 0
      for (index, change) in state.changes.enumerated() {
        guard isOrdered ? index < ordered : dice.below(2) == 0 else { continue }
        Self.apply(change, to: &state.durableNames)
      }
      state.changes = []
      state.folders = state.durableFolders.union(state.folders.filter { _ in dice.below(2) == 0 })
      state.durableFolders = state.folders
      let folders = state.folders
      state.durableNames = state.durableNames.filter { folders.contains(Self.folder(of: $0.key)) }
      state.names = state.durableNames
    }
    generator = dice
  }

  private static func left(
    of inode: Inode, _ loss: Loss, _ dice: inout SeededGenerator
  ) -> [UInt8] {
    let (old, new) = (inode.durable, inode.bytes)
    guard old != new else { return new }
    if dice.below(4) == 0 { return old }
    guard new.count > old.count else { return dice.below(2) == 0 ? old : new }
    switch loss {
    case .cut:
      return Array(new[..<(old.count + dice.below(new.count - old.count + 1))])
    case .zeroed:
      var left = new
      var start = (old.count + sector - 1) / sector * sector
      while start + sector <= new.count {
        if dice.below(3) == 0 { for index in start..<start + sector { left[index] = 0 } }
        start += sector
      }
      return left
    case .mixed:
      var left = old + Array(repeating: 0, count: new.count - old.count)
      for start in stride(from: 0, to: new.count, by: sector) where dice.below(2) == 0 {
        let range = start..<min(start + sector, new.count)
        left.replaceSubrange(range, with: new[range])
      }
      return left
    }
  }

  private static func apply(_ change: NameChange, to names: inout [String: Int]) {
    switch change {
    case .set(let name, let inode): names[name] = inode
    case .remove(let name): names[name] = nil
    case .move(let from, let to, let inode):
      names[from] = nil
      names[to] = inode
    }
  }

  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }

  /// A call that changes something.
  private func change<Result>(
    _ call: String, _ body: (inout State) throws(FileFailure) -> Result
  ) throws(FileFailure) -> Result {
    try state.withLock { (state) throws(FileFailure) -> Result in
      if let left = state.callsLeft {
        guard left > 0 else { throw FileFailure(call, nil, EIO) }
        state.callsLeft = left - 1
        if left == 1 {
          // The last one may be done or not; its caller never learns which.
          if state.partial > 50 { _ = try body(&state) }
          throw FileFailure(call, nil, EIO)
        }
      }
      return try body(&state)
    }
  }

  /// A call that only looks.
  private func look<Result>(
    _ call: String, _ body: (inout State) throws(FileFailure) -> Result
  ) throws(FileFailure) -> Result {
    try state.withLock { (state) throws(FileFailure) -> Result in
      guard state.callsLeft != 0 else { throw FileFailure(call, nil, EIO) }
      return try body(&state)
    }
  }

  private func rename(
    _ change: NameChange, in state: inout State
  ) {
    Self.apply(change, to: &state.names)
    state.changes.append(change)
  }

  func open(_ path: String, _ mode: FileMode) throws -> Int32 {
    func descriptor(_ inode: Int, _ state: inout State) -> Int32 {
      state.nextNumber += 1
      state.descriptors[state.nextNumber] = inode
      return state.nextNumber
    }
    if mode == .directory {
      guard try look("open", { $0.folders.contains(path) }) else {
        throw FileFailure("open", path, ENOENT)
      }
      return try look("open") { state in descriptor(0, &state) }
    }
    let isThere = try look("open") { $0.names[path] != nil }
    switch (mode, isThere) {
    case (.create, true): throw FileFailure("open", path, EEXIST)
    case (.read, false), (.readWrite, false): throw FileFailure("open", path, ENOENT)
    case (_, true):
      return try look("open") { state in descriptor(state.names[path] ?? 0, &state) }
    case (_, false):
      return try change("open") { state in
        state.nextNumber += 1
        let inode = Int(state.nextNumber)
        state.inodes[inode] = Inode()
        rename(.set(path, inode), in: &state)
        return descriptor(inode, &state)
      }
    }
  }

  func close(_ descriptor: Int32) {
    state.withLock { $0.descriptors[descriptor] = nil }
  }

  func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws -> Int {
    let bytes = try look("read") { state in state[descriptor].bytes }
    guard offset < bytes.count else { return 0 }
    let part = bytes[Int(offset)...].prefix(buffer.count)
    buffer.copyBytes(from: part)
    return part.count
  }

  func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws -> Int
  {
    let partial = state.withLock { $0.callsLeft == 1 ? $0.partial : 100 }
    let part = bytes.prefix(bytes.count * partial / 100)
    do {
      return try change("write") { state in
        state[descriptor].write(bytes[...], at: Int(offset))
        return bytes.count
      }
    } catch {
      if partial < 100 {
        state.withLock { $0[descriptor].write(part, at: Int(offset)) }
      }
      throw error
    }
  }

  func sync(_ descriptor: Int32) throws {
    try change("sync") { state in state[descriptor].durable = state[descriptor].bytes }
  }

  func syncData(_ descriptor: Int32) throws {
    try sync(descriptor)
  }

  func truncate(_ descriptor: Int32, to size: UInt64) throws {
    try change("truncate") { state in
      state[descriptor].bytes.removeSubrange(Int(size)...)
    }
  }

  func status(_ descriptor: Int32) throws -> FileStatus {
    try look("status") { state in
      let inode = state.descriptors[descriptor] ?? 0
      return FileStatus(
        size: UInt64(state[descriptor].bytes.count), isRegular: true, device: 1,
        inode: UInt64(inode), links: UInt64(state.names.values.count { $0 == inode }))
    }
  }

  func rename(_ from: String, to: String) throws {
    try change("rename") { (state) throws(FileFailure) in
      guard let inode = state.names[from] else { throw FileFailure("rename", from, ENOENT) }
      rename(.move(from: from, to: to, inode), in: &state)
    }
  }

  func link(_ from: String, to: String) throws {
    try change("link") { (state) throws(FileFailure) in
      guard let inode = state.names[from] else { throw FileFailure("link", from, ENOENT) }
      guard state.names[to] == nil else { throw FileFailure("link", to, EEXIST) }
      rename(.set(to, inode), in: &state)
    }
  }

  func unlink(_ path: String) throws {
    try change("unlink") { (state) throws(FileFailure) in
      guard state.names[path] != nil else { throw FileFailure("unlink", path, ENOENT) }
      rename(.remove(path), in: &state)
    }
  }

  func makeDirectory(_ path: String) throws {
    guard try look("mkdir", { !$0.folders.contains(path) }) else { return }
    try change("mkdir") { state in _ = state.folders.insert(path) }
  }

  func names(in directory: String) throws -> [String]? {
    try look("names") { state in
      guard state.folders.contains(directory) else { return nil }
      return state.names.keys.filter { Self.folder(of: $0) == directory }
        .map { String($0.dropFirst(directory.count + 1)) }
    }
  }

  func syncDirectory(_ path: String) throws {
    try change("syncDirectory") { state in
      if state.folders.contains(path) {
        for change in state.changes { Self.apply(change, to: &state.durableNames) }
        state.changes = []
      } else {
        // The parent of the one folder there is.
        state.durableFolders = state.folders
      }
    }
  }

  func lock(_ descriptor: Int32) throws -> Bool {
    try look("lock") { state in
      defer { state.isLocked = true }
      return !state.isLocked
    }
  }

  func unlock(_ descriptor: Int32) {
    state.withLock { if $0.descriptors[descriptor] != nil { $0.isLocked = false } }
  }
}
