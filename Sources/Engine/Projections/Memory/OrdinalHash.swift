/// An open-addressing hash table from the hash of some bytes to 31-bit ordinals; the bytes
/// themselves stay where they are, and the caller compares them.
package struct OrdinalHash: ~Copyable {
  private static let empty: UInt64 = 0
  private static let gone: UInt64 = 0xFFFF_FFFF

  /// Upper half: hash; lower half: ordinal + 1. As many as a power of two.
  private var entries = Self.emptyEntries(16)
  private var used = 0

  package init() {}

  deinit {
    entries.deallocate()
  }

  /// The ordinal with this hash that `matches` accepts.
  @inline(__always)
  package func find(_ hash: UInt32, matches: (UInt32) -> Bool) -> UInt32? {
    slot(of: hash, matches: matches).map { UInt32(truncatingIfNeeded: entries[$0]) - 1 }
  }

  /// Adds an ordinal. The caller has made sure that it is not there.
  package mutating func insert(_ hash: UInt32, _ ordinal: UInt32) {
    if (used + 1) * 4 > entries.count * 3 { grow() }
    insertUnchecked(UInt64(hash) << 32 | UInt64(ordinal + 1))
    used += 1
  }

  /// Makes the entry of `old` stand for `new`.
  mutating func replace(_ hash: UInt32, _ old: UInt32, with new: UInt32) {
    guard let slot = slot(of: hash, matches: { $0 == old }) else { return }
    entries[slot] = UInt64(hash) << 32 | UInt64(new + 1)
  }

  mutating func remove(_ hash: UInt32, _ ordinal: UInt32) {
    guard let slot = slot(of: hash, matches: { $0 == ordinal }) else { return }
    entries[slot] = Self.gone
  }

  @inline(__always)
  private func slot(of hash: UInt32, matches: (UInt32) -> Bool) -> Int? {
    let mask = entries.count - 1
    var slot = Int(hash) & mask
    while true {
      let entry = entries[slot]
      if entry == Self.empty { return nil }
      if entry != Self.gone, UInt32(truncatingIfNeeded: entry >> 32) == hash,
        matches(UInt32(truncatingIfNeeded: entry) - 1)
      {
        return slot
      }
      slot = (slot + 1) & mask
    }
  }

  private func insertUnchecked(_ entry: UInt64) {
    let mask = entries.count - 1
    var slot = Int(entry >> 32) & mask
    while entries[slot] != Self.empty { slot = (slot + 1) & mask }
    entries[slot] = entry
  }

  /// Doubles, or only drops what was removed where that is most of it.
  private mutating func grow() {
    let old = entries
    let live = old.count { $0 != Self.empty && $0 != Self.gone }
    entries = Self.emptyEntries(live * 2 > old.count ? old.count * 2 : old.count)
    for entry in old where entry != Self.empty && entry != Self.gone { insertUnchecked(entry) }
    used = live
    old.deallocate()
  }

  private static func emptyEntries(_ count: Int) -> UnsafeMutableBufferPointer<UInt64> {
    let entries = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: count)
    entries.initialize(repeating: empty)
    return entries
  }
}
