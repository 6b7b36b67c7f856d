package import EventLog
import Synchronization

/// The real file calls, some of which are made to fail.
package final class FaultyFileCalls: FileCalls {
  /// What can fail.
  package enum Call: String, CaseIterable, Sendable {
    case open, read, write, sync, syncData, truncate, status, rename, link, unlink
    case makeDirectory, names, syncDirectory, lock
  }

  package struct Fault: Sendable {
    package var call: Call
    /// Which call of its kind fails, counted from 1 since the faults were set.
    package var number: Int
    package var errno: Int32
    /// Whether all later ones fail as well.
    package var isForEver: Bool
    /// For writes: so many bytes are written before the failure.
    package var partial: Int
    /// Whether the call does its work and says afterwards that it failed.
    package var isDone: Bool

    package init(
      _ call: Call, number: Int = 1, errno: Int32, isForEver: Bool = false, partial: Int = 0,
      isDone: Bool = false
    ) {
      self.call = call
      self.number = number
      self.errno = errno
      self.isForEver = isForEver
      self.partial = partial
      self.isDone = isDone
    }
  }

  private struct State {
    var faults: [Fault] = []
    var counts: [Call: Int] = [:]
    var writeLimit = Int.max
  }

  private let real = RealFileCalls()
  private let state = Mutex(State())

  package init() {}

  /// Sets the faults and counts calls anew.
  package func set(_ faults: Fault...) {
    state.withLock {
      $0.faults = faults
      $0.counts = [:]
    }
  }

  /// Writes no more than so many bytes a call.
  package func limitWrites(to count: Int) {
    state.withLock { $0.writeLimit = count }
  }

  /// How often a call was made since the faults were set.
  package func count(_ call: Call) -> Int {
    state.withLock { $0.counts[call] ?? 0 }
  }

  private func fault(_ call: Call) -> Fault? {
    state.withLock { state in
      let number = (state.counts[call] ?? 0) + 1
      state.counts[call] = number
      return state.faults.first {
        $0.call == call && ($0.number == number || $0.isForEver && number > $0.number)
      }
    }
  }

  private func run<Result>(_ call: Call, _ path: String?, _ body: () throws -> Result) throws
    -> Result
  {
    guard let fault = fault(call) else { return try body() }
    if fault.isDone { _ = try body() }
    throw FileFailure(call.rawValue, path, fault.errno)
  }

  package func open(_ path: String, _ mode: FileMode) throws -> Int32 {
    try run(.open, path) { try real.open(path, mode) }
  }

  package func close(_ descriptor: Int32) {
    real.close(descriptor)
  }

  package func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws -> Int {
    try run(.read, nil) { try real.read(descriptor, into: buffer, at: offset) }
  }

  package func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64
  ) throws -> Int {
    guard let fault = fault(.write) else {
      let count = state.withLock { min($0.writeLimit, bytes.count) }
      return try real.write(
        descriptor, UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset)
    }
    let count = fault.isDone ? bytes.count : min(fault.partial, bytes.count)
    if count > 0 {
      _ = try real.write(
        descriptor, UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset)
    }
    throw FileFailure("write", nil, fault.errno)
  }

  package func sync(_ descriptor: Int32) throws {
    try run(.sync, nil) { try real.sync(descriptor) }
  }

  package func syncData(_ descriptor: Int32) throws {
    try run(.syncData, nil) { try real.syncData(descriptor) }
  }

  package func truncate(_ descriptor: Int32, to size: UInt64) throws {
    try run(.truncate, nil) { try real.truncate(descriptor, to: size) }
  }

  package func status(_ descriptor: Int32) throws -> FileStatus {
    try run(.status, nil) { try real.status(descriptor) }
  }

  package func rename(_ from: String, to: String) throws {
    try run(.rename, to) { try real.rename(from, to: to) }
  }

  package func link(_ from: String, to: String) throws {
    try run(.link, to) { try real.link(from, to: to) }
  }

  package func unlink(_ path: String) throws {
    try run(.unlink, path) { try real.unlink(path) }
  }

  package func makeDirectory(_ path: String) throws {
    try run(.makeDirectory, path) { try real.makeDirectory(path) }
  }

  package func names(in directory: String) throws -> [String]? {
    try run(.names, directory) { try real.names(in: directory) }
  }

  package func syncDirectory(_ path: String) throws {
    try run(.syncDirectory, path) { try real.syncDirectory(path) }
  }

  package func lock(_ descriptor: Int32) throws -> Bool {
    try run(.lock, nil) { try real.lock(descriptor) }
  }

  package func unlock(_ descriptor: Int32) {
    real.unlock(descriptor)
  }
}
