// What the seam of the event log costs: the same system calls made directly and through
// `any FileCalls`, as `Sources/Engine/EventLog/Files` does. Tools/bench-seam compiles and runs it.
//
// Prints nanoseconds as JSON: a call that does nothing, pread of 4 KiB from the page cache, and an
// append (pwrite of 300 bytes and fdatasync), each direct and through the seam.

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

struct Failure: Error {
  let errno: Int32
}

protocol FileCalls: Sendable {
  func nothing(_ number: Int) throws -> Int
  func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64)
    throws -> Int
  func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws -> Int
  func syncData(_ descriptor: Int32) throws
}

struct RealFileCalls: FileCalls {
  @inline(never) func nothing(_ number: Int) throws -> Int { number & 1 }

  func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64)
    throws -> Int
  {
    try retrying { pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
  }

  func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws -> Int
  {
    try retrying { pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset)) }
  }

  func syncData(_ descriptor: Int32) throws {
    _ = try retrying { Int(fsync(descriptor)) }
  }

  private func retrying(_ body: () -> Int) throws -> Int {
    while true {
      let result = body()
      if result >= 0 { return result }
      if errno != EINTR { throw Failure(errno: errno) }
    }
  }
}

/// A second conformance, chosen at run time, so that the compiler cannot know which one is called.
struct OtherFileCalls: FileCalls {
  @inline(never) func nothing(_ number: Int) throws -> Int { number & 3 }
  func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64)
    throws -> Int
  { 0 }
  func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws -> Int
  { 0 }
  func syncData(_ descriptor: Int32) throws {}
}

@inline(never) func seam() -> any FileCalls {
  CommandLine.arguments.count > 99 ? OtherFileCalls() : RealFileCalls()
}

/// The shortest of many short rounds each, in turns: what else the machine does falls on both.
func nanoseconds(
  _ count: Int, _ direct: () throws -> Void, _ seam: () throws -> Void
) rethrows -> [Double] {
  var best = [Double.infinity, Double.infinity]
  for round in 0..<80 {
    let start = ContinuousClock.now
    if round.isMultiple(of: 2) { try direct() } else { try seam() }
    let took = (ContinuousClock.now - start).components
    let time = Double(took.seconds) * 1e9 + Double(took.attoseconds) / 1e9
    best[round % 2] = min(best[round % 2], time / Double(count))
  }
  return best
}

let path = CommandLine.arguments[1]
let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
guard descriptor >= 0 else {
  perror(path)
  exit(1)
}
unlink(path)
var page = [UInt8](repeating: 1, count: 4096)
_ = pwrite(descriptor, page, page.count, 0)
let appends = 50

@MainActor func measure(_ real: RealFileCalls, _ any: any FileCalls) throws -> String {
  var sum = 0
  let nothing = try nanoseconds(1_000_000) {
    for number in 0..<1_000_000 { sum &+= try real.nothing(number) }
  } _: {
    for number in 0..<1_000_000 { sum &+= try any.nothing(number) }
  }
  let read = try page.withUnsafeMutableBytes { buffer in
    try nanoseconds(5_000) {
      for _ in 0..<5_000 { sum &+= pread(descriptor, buffer.baseAddress, buffer.count, 0) }
    } _: {
      for _ in 0..<5_000 { sum &+= try any.read(descriptor, into: buffer, at: 0) }
    }
  }
  let append = try page.withUnsafeBytes { buffer in
    let batch = UnsafeRawBufferPointer(rebasing: buffer[..<300])
    return try nanoseconds(appends) {
      for number in 0..<appends {
        sum &+= pwrite(descriptor, batch.baseAddress, batch.count, off_t(number * 300))
        sum &+= Int(fsync(descriptor))
      }
    } _: {
      for number in 0..<appends {
        sum &+= try any.write(descriptor, batch, at: UInt64(number * 300))
        try any.syncData(descriptor)
      }
    }
  }
  return """
    {"nothing": \(nothing), "read": \(read), "append": \(append), "ignored": \(sum & 1)}
    """
}

print(try measure(RealFileCalls(), seam()))
