/// Events that follow from a seed and their sequence alone, so that whoever reads them can tell whether
/// they are right. `Tools/soak` makes the same ones.
struct AppendedLines {
  let seed: UInt64

  /// SplitMix64's mixing function.
  private func mixed(_ value: UInt64) -> UInt64 {
    var value = value &* 0x9E37_79B9_7F4A_7C15 &+ seed
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// The event with a sequence: 40 to some 800 bytes.
  func line(_ sequence: UInt64) -> [UInt8] {
    let value = mixed(sequence)
    let digits = String(value, radix: 16)
    let text = String(repeating: digits, count: 1 + Int(value % 50))
    return Array("{\"seq\":\(sequence),\"text\":\"\(text)\"}".utf8)
  }

  /// How many events the batch has that begins with a sequence: mostly few, now and then thousands.
  func batchLength(_ first: UInt64) -> UInt64 {
    let value = mixed(~first)
    return value % 41 == 0 ? 3_000 : 1 + value % 8
  }
}
