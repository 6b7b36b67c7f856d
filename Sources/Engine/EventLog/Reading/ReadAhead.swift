/// Serves small reads that go forward from larger ones: a walk over headers costs few system calls.
final class ReadAhead {
  private let file: LogFile
  private var bytes: [UInt8] = []
  private var start: UInt64 = 0
  static let length = 1 << 16

  init(_ file: LogFile) {
    self.file = file
  }

  func forget() {
    bytes = []
  }

  /// Reads exactly so many bytes, or fewer at the end of the file.
  func read(_ count: Int, at offset: UInt64) throws -> [UInt8] {
    let end = start + UInt64(bytes.count)
    // What was read before may have been the file's end then: a writer continues after it.
    if offset < start || offset + UInt64(count) > end {
      bytes = try file.read(max(Self.length, count), at: offset)
      start = offset
    }
    let from = Int(offset - start)
    return Array(bytes[min(from, bytes.count)..<min(from + count, bytes.count)])
  }
}
