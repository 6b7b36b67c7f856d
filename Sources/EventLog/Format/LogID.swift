/// The identity of a log: 16 random bytes, chosen when it is made.
package struct LogID: Hashable, Sendable {
  /// The bytes as they are in memory, without an allocation.
  private var words = Words()

  private struct Words: Hashable {
    var first: UInt64 = 0
    var second: UInt64 = 0
  }

  package init(bytes: [UInt8]) {
    precondition(bytes.count == 16, "a log id has 16 bytes")
    self.init(bytes, at: 0)
  }

  /// The 16 bytes at an offset.
  init(_ bytes: [UInt8], at offset: Int) {
    withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes[offset..<offset + 16]) }
  }

  package var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }
}
