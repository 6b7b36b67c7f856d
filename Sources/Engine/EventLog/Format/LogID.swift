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
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for (place, byte) in bytes.enumerated() {
      if Self.dashes.contains(place) { text.append(UInt8(ascii: "-")) }
      text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads that form; anything else is nil.
  package init?(_ text: String) {
    let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard groups.map(\.count) == [8, 4, 4, 4, 12] else { return nil }
    let digits = Array(groups.joined())
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
      guard let high = ChainHash.value(digits[place]), let low = ChainHash.value(digits[place + 1])
      else { return nil }
      bytes.append(high << 4 | low)
    }
    self.init(bytes: bytes)
  }

  /// The bytes that stand behind a dash.
  private static let dashes: Set = [4, 6, 8, 10]
}
