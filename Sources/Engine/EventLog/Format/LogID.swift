import Support

/// The identity of a log: 16 random bytes, chosen when it is made.
package struct LogID: Hashable, Sendable, CustomStringConvertible {
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

  /// As a UUID in lower case, which is how it is written everywhere but in the log itself.
  package var description: String {
    let bytes = bytes
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Hex.string(bytes[$0]) }
      .joined(separator: "-")
  }

  /// Reads that form; anything else is nil.
  package init?(_ text: String) {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12], let bytes = Hex.bytes(groups.joined())
    else { return nil }
    self.init(bytes: bytes)
  }
}
