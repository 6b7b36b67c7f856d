/// A small seeded generator, so that a failure can be repeated from its seed.
package struct Dice: RandomNumberGenerator {
  private var numbers: SplitMix

  package init(seed: UInt64) {
    numbers = SplitMix(seed: seed)
  }

  package mutating func next() -> UInt64 { numbers.next() }

  package mutating func below(_ bound: Int) -> Int {
    Int.random(in: 0..<bound, using: &self)
  }

  package mutating func chance(_ percent: Int) -> Bool {
    below(100) < percent
  }

  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }

  /// Text from many corners of Unicode, never empty, without U+0000.
  package mutating func text() -> String {
    let corners: [ClosedRange<UInt32>] = [
      0x20...0x7E, 0x61...0x7A, 0x01...0x1F, 0x7F...0x2FF, 0x300...0x36F, 0x3A9...0x5FF,
      0x2000...0x206F, 0x3040...0x30FF, 0xAC00...0xD7A3, 0xE000...0xE010, 0xFB00...0xFFFF,
      0x1F300...0x1F6FF, 0x10FFF0...0x10FFFF,
    ]
    var text = String.UnicodeScalarView()
    for _ in 0...below(24) {
      let corner = corners[chance(60) ? below(2) : below(corners.count)]
      if let scalar = Unicode.Scalar(UInt32.random(in: corner, using: &self)) {
        text.append(scalar)
      }
    }
    return text.isEmpty ? "x" : String(text)
  }

  /// A JSON string with some characters escaped that need not be.
  package mutating func jsonString(_ text: String) -> String {
    var json = "\""
    for scalar in text.unicodeScalars {
      if scalar.value < 0x20 || scalar == "\"" || scalar == "\\" || chance(10) {
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16, uppercase: chance(50))
          json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      } else if scalar == "/", chance(50) {
        json += "\\/"
      } else {
        json.unicodeScalars.append(scalar)
      }
    }
    return json + "\""
  }
}
