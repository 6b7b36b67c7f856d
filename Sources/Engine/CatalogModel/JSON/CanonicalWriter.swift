/// Appends canonical JSON to bytes. Knows how values are spelt, not what they mean.
package struct CanonicalWriter {
  package var bytes: [UInt8]

  package init(bytes: [UInt8] = []) {
    self.bytes = bytes
  }

  /// Appends text as it stands: keys and punctuation.
  @inline(__always)
  package mutating func raw(_ text: StaticString) {
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  package mutating func string(_ text: String) {
    var text = text
    raw("\"")
    text.withUTF8 { utf8 in
      var start = 0
      var end = 0
      while end < utf8.count {
        end = JSONScan.plainEnd(in: utf8, from: end)
        guard end < utf8.count else { break }
        if utf8[end] < 0x80 {
          bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<end]))
          escape(utf8[end])
          start = end + 1
        }
        end += 1
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<utf8.count]))
    }
    raw("\"")
  }

  /// Writes a text without a character that is escaped.
  mutating func plainString(_ utf8: UnsafeBufferPointer<UInt8>) {
    raw("\"")
    bytes.append(contentsOf: utf8)
    raw("\"")
  }

  package mutating func string(_ text: String?) {
    if let text { string(text) } else { raw("null") }
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): raw("\\\"")
    case UInt8(ascii: "\\"): raw("\\\\")
    case 0x08: raw("\\b")
    case 0x09: raw("\\t")
    case 0x0A: raw("\\n")
    case 0x0C: raw("\\f")
    case 0x0D: raw("\\r")
    default:
      precondition(byte != 0, "text rules keep U+0000 out of events")
      raw("\\u00")
      bytes.append(UInt8(ascii: "0") + byte >> 4)
      bytes.append(
        byte & 15 < 10 ? UInt8(ascii: "0") + byte & 15 : UInt8(ascii: "a") - 10 + byte & 15)
    }
  }

  package mutating func integer(_ value: Int64) {
    if value < 0 { raw("-") }
    integer(value.magnitude)
  }

  package mutating func integer(_ value: Int64?) {
    if let value { integer(value) } else { raw("null") }
  }

  package mutating func integer(_ value: UInt64) {
    // 2^64 has 20 digits.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var start = 20
      var rest = value
      repeat {
        start -= 1
        digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      bytes.append(contentsOf: digits[start...])
    }
  }

  /// The shortest text that reads back the same; there is one zero, `0.0`.
  package mutating func double(_ value: Double?) {
    guard let value else { return raw("null") }
    precondition(value.isFinite, "document rules keep infinities out of events")
    var text = (value == 0 ? 0 : value).description
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }

  package mutating func bool(_ value: Bool) {
    if value { raw("true") } else { raw("false") }
  }

  package mutating func id(_ id: EntityID) {
    raw("\"")
    idCharacters(id)
    raw("\"")
  }

  package mutating func idCharacters(_ id: EntityID) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 36) { buffer in
      var end = 0
      id.forEachCharacter {
        buffer[end] = $0
        end += 1
      }
      bytes.append(contentsOf: buffer)
    }
  }
}
