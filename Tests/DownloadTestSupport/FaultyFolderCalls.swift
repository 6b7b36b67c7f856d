package import Downloads
import Synchronization

/// Other folder calls, some of which are made to fail.
package final class FaultyFolderCalls: FolderCalls {
  /// What can fail.
  package enum Call: String, CaseIterable, Sendable {
    case openRoot, openFolder, openFile, makeFolder, statusOfName, status, names, freeBytes
    case read, write, truncate, sync, move, removeFile, removeFolder, lock

    /// Whether it takes room, so that a full volume can refuse it.
    package var takesRoom: Bool {
      switch self {
      case .openFile, .makeFolder, .write, .sync, .move: true
      default: false
      }
    }
  }

  package struct Fault: Sendable {
    package var call: Call
    /// Which call of its kind fails, counted from 1 since the faults were set.
    package var number: Int
    package var errno: Int32
    /// Whether all later ones fail as well.
    package var isForEver: Bool

    package init(_ call: Call, number: Int, errno: Int32, isForEver: Bool) {
      self.call = call
      self.number = number
      self.errno = errno
      self.isForEver = isForEver
    }
  }

  private struct State {
    var fault: Fault?
    var counts: [Call: Int] = [:]
    var writeLimit = Int.max
  }

  private let base: any FolderCalls
  private let state = Mutex(State())
  package let systemRun: String?

  /// - Parameter systemRun: the run of the system that these calls tell of.
  package init(_ base: any FolderCalls = RealFolderCalls(), systemRun: String? = "this run") {
    self.base = base
    self.systemRun = systemRun
  }

  /// Sets the fault, or lifts it, and counts calls anew.
  package func set(_ fault: Fault?) {
    state.withLock {
      $0.fault = fault
      $0.counts = [:]
    }
  }

  /// Writes no more than so many bytes a call.
  package func limitWrites(to count: Int) {
    state.withLock { $0.writeLimit = count }
  }

  /// How often a call was made since the fault was set.
  package func count(_ call: Call) -> Int {
    state.withLock { $0.counts[call] ?? 0 }
  }

  private func enter(_ call: Call) throws(CallFailure) {
    let errno = state.withLock { state -> Int32? in
      let number = (state.counts[call] ?? 0) + 1
      state.counts[call] = number
      guard let fault = state.fault, fault.call == call,
        fault.number == number || fault.isForEver && number > fault.number
      else { return nil }
      return fault.errno
    }
    if let errno { throw CallFailure(errno) }
  }

  package func openRoot(_ path: String) throws(CallFailure) -> Int32 {
    try enter(.openRoot)
    return try base.openRoot(path)
  }

  package func openFolder(_ name: String, in folder: Int32) throws(CallFailure) -> Int32 {
    try enter(.openFolder)
    return try base.openFolder(name, in: folder)
  }

  package func openFile(
    _ name: String, in folder: Int32, _ opening: FileOpening
  ) throws(CallFailure) -> Int32 {
    try enter(.openFile)
    return try base.openFile(name, in: folder, opening)
  }

  package func close(_ descriptor: Int32) { base.close(descriptor) }

  package func makeFolder(_ name: String, in folder: Int32) throws(CallFailure) {
    try enter(.makeFolder)
    try base.makeFolder(name, in: folder)
  }

  package func status(of name: String, in folder: Int32) throws(CallFailure) -> EntryStatus {
    try enter(.statusOfName)
    return try base.status(of: name, in: folder)
  }

  package func status(_ descriptor: Int32) throws(CallFailure) -> EntryStatus {
    try enter(.status)
    return try base.status(descriptor)
  }

  package func names(in folder: Int32) throws(CallFailure) -> [String] {
    try enter(.names)
    return try base.names(in: folder)
  }

  package func isWritable(_ folder: Int32) -> Bool { base.isWritable(folder) }

  package func freeBytes(_ folder: Int32) throws(CallFailure) -> Int64 {
    try enter(.freeBytes)
    return try base.freeBytes(folder)
  }

  package func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(CallFailure) -> Int {
    try enter(.read)
    return try base.read(descriptor, into: buffer, at: offset)
  }

  package func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(CallFailure) -> Int {
    try enter(.write)
    let count = state.withLock { min($0.writeLimit, bytes.count) }
    return try base.write(
      descriptor, UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset)
  }

  package func truncate(_ descriptor: Int32, to size: Int64) throws(CallFailure) {
    try enter(.truncate)
    try base.truncate(descriptor, to: size)
  }

  package func sync(_ descriptor: Int32) throws(CallFailure) {
    try enter(.sync)
    try base.sync(descriptor)
  }

  package func move(
    _ name: String, in folder: Int32, to target: Int32, as newName: String
  ) throws(CallFailure) {
    try enter(.move)
    try base.move(name, in: folder, to: target, as: newName)
  }

  package func removeFile(_ name: String, in folder: Int32) throws(CallFailure) {
    try enter(.removeFile)
    try base.removeFile(name, in: folder)
  }

  package func removeFolder(_ name: String, in folder: Int32) throws(CallFailure) {
    try enter(.removeFolder)
    try base.removeFolder(name, in: folder)
  }

  package func lock(_ descriptor: Int32) throws(CallFailure) -> Bool {
    try enter(.lock)
    return try base.lock(descriptor)
  }

  package func unlock(_ descriptor: Int32) { base.unlock(descriptor) }
}
