/// SplitMix64 (Steele, Lea, Flood 2014): small, and the same on every machine.
package struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  package mutating func below(_ bound: Int) -> Int {
    Int(next() % UInt64(bound))
  }

  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }

  /// Text that breaks what compares or quotes carelessly.
  package mutating func text() -> String {
    pick([
      "Forest", "Deep Forest", "Forest at Night", "Hero’s Journey", "O'Brien \"the\" \\ Tab\there",
      "Überwald", "林", "Straße",
      "e\u{301}".precomposed, "🐉", "Robert'); DROP TABLE library_item;--", "a", "A", "ﬁ", "\u{1}",
    ]) + (below(2) == 0 ? "" : " \(below(50))")
  }
}

extension String {
  /// The two scalars of this generator that are not NFC as written.
  fileprivate var precomposed: String { self == "é" ? "\u{E9}" : self }
}
