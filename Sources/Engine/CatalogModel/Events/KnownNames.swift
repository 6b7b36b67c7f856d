/// Names of values that were read before: a log holds a few hundred of them millions of times, and to find
/// one is less work than to check its UTF-8 and to make a text of it again.
///
/// A table in which each name has one place; what came last is kept. So it has a size and no end of growth.
package struct KnownNames {
  /// The bytes of a short name, filled up with zeros, which no name holds.
  struct Key: Equatable {
    private var first: UInt64 = 0
    private var second: UInt64 = 0
    private var third: UInt64 = 0

    /// Nil for none and for longer ones.
    init?(_ name: UnsafeBufferPointer<UInt8>) {
      guard 1...MemoryLayout<Key>.size ~= name.count else { return nil }
      withUnsafeMutableBytes(of: &self) { $0.copyMemory(from: UnsafeRawBufferPointer(name)) }
    }

    fileprivate static let none = Key()

    private init() {}

    fileprivate var place: Int {
      let mixed =
        (first ^ second &* 0x9E37_79B9_7F4A_7C15 ^ third &* 0xC2B2_AE3D_27D4_EB4F)
        &* 0xFF51_AFD7_ED55_8CCD
      return Int(truncatingIfNeeded: mixed >> UInt64(64 - KnownNames.bits))
    }
  }

  private static let bits = 12
  private var keys: [Key] = []
  private var names: [String] = []

  subscript(key: Key) -> String? {
    guard !keys.isEmpty else { return nil }
    let place = key.place
    return keys[place] == key ? names[place] : nil
  }

  mutating func add(_ name: String, for key: Key) {
    if keys.isEmpty {
      keys = Array(repeating: .none, count: 1 << Self.bits)
      names = Array(repeating: "", count: 1 << Self.bits)
    }
    keys[key.place] = key
    names[key.place] = name
  }
}
