/// Percent-encoding and paths of URIs (RFC 3986).
enum URIText {
  /// Bytes without percent-encoding; nil if a `%` is not followed by two hex digits.
  static func unescaped(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text.makeIterator()
    while let byte = rest.next() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.next().flatMap(value(ofDigit:)),
        let low = rest.next().flatMap(value(ofDigit:))
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// Bytes without percent-encoding; a `%` that begins none is itself.
  static func unescapedWherePossible(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var place = text.startIndex
    while place < text.endIndex {
      if text[place] == UInt8(ascii: "%"), place + 2 < text.endIndex,
        let high = value(ofDigit: text[place + 1]), let low = value(ofDigit: text[place + 2])
      {
        bytes.append(high << 4 | low)
        place += 3
      } else {
        bytes.append(text[place])
        place += 1
      }
    }
    return bytes
  }

  /// A path, each byte as it is where it may stand so, else percent-encoded.
  static func escaped(path: [UInt8]) -> String {
    var text: [UInt8] = []
    for byte in path { append(byte, to: &text, plain: isPlain(byte) || byte == UInt8(ascii: "/")) }
    return String(decoding: text, as: UTF8.self)
  }

  /// A part of a URI whose percent-encoding stays, with capital digits, but for letters, digits and `-._~`, which
  /// need none. What may not stand in a URI is encoded.
  static func escaped(_ part: some StringProtocol) -> String {
    let bytes = Array(part.utf8)
    var text: [UInt8] = []
    var place = 0
    while place < bytes.count {
      let byte = bytes[place]
      if byte == UInt8(ascii: "%"), place + 2 < bytes.count,
        let high = value(ofDigit: bytes[place + 1]), let low = value(ofDigit: bytes[place + 2])
      {
        let meant = high << 4 | low
        append(meant, to: &text, plain: isUnreserved(meant))
        place += 3
      } else {
        append(byte, to: &text, plain: isPlain(byte) || "/?#[]".utf8.contains(byte))
        place += 1
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// A path without `.` and `..`; several slashes are one.
  static func withoutDots(_ path: [UInt8]) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    let dot = UInt8(ascii: ".")
    let names = path.split(separator: slash)
    var kept: [ArraySlice<UInt8>] = []
    for name in names where !name.elementsEqual([dot]) {
      if name.elementsEqual([dot, dot]) { _ = kept.popLast() } else { kept.append(name) }
    }
    let isFolder =
      path.last == slash
      || names.last.map { $0.elementsEqual([dot]) || $0.elementsEqual([dot, dot]) } == true
    guard !kept.isEmpty else { return path.isEmpty ? [] : [slash] }
    return kept.flatMap { [slash] + $0 } + (isFolder ? [slash] : [])
  }

  private static func append(_ byte: UInt8, to text: inout [UInt8], plain: Bool) {
    guard !plain else { return text.append(byte) }
    let digits = Array("0123456789ABCDEF".utf8)
    text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~".utf8.contains(byte)
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    isUnreserved(byte) || "!$&'()*+,;=:@".utf8.contains(byte)
  }

  private static func value(ofDigit byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
  }
}
