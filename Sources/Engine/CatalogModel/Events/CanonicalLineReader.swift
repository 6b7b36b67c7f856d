#if canImport(Glibc)
  public import Glibc
#else
  public import Darwin
#endif

/// The fast path of a decoder: reads exactly the canonical form, literal by literal.
///
/// It never says that a line is wrong, only that it does not know it (nil): the slow path judges.
/// Whatever it does read, the slow path would read the same. A rebuild decodes every event there is,
/// which is why this exists: no tree, no dictionary, few allocations.
public struct CanonicalLineReader {
  /// Strings that neighbouring events share, with their bytes as they stand in a line.
  package struct Shared {
    package var by = CachedString()
    package var source = CachedString()
    package var names = KnownNames()
    package var at = Timestamp(milliseconds: 0)
    package var atBytes: [UInt8] = []

    package init() {}
  }

  package struct CachedString {
    package var text = ""
    package var bytes: [UInt8] = []
  }

  @usableFromInline package let bytes: UnsafeBufferPointer<UInt8>
  @usableFromInline package var position = 0

  package init(_ line: UnsafeRawBufferPointer) {
    bytes = line.bindMemory(to: UInt8.self)
  }

  // MARK: Tokens

  // Inlined into the readers of kinds, in other modules: a literal's length is known there, and its comparison is a few
  // instructions. As calls they took an eighth of the decoding.
  @inlinable @inline(__always)
  public mutating func skip(_ text: StaticString) -> Bool {
    skip(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @inlinable @inline(__always)
  public mutating func skip(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.count - position >= text.count, let base = bytes.baseAddress,
      let other = text.baseAddress, memcmp(base + position, other, text.count) == 0
    else { return false }
    position += text.count
    return true
  }

  @usableFromInline
  package mutating func skip(_ text: [UInt8]) -> Bool {
    text.withUnsafeBufferPointer { skip($0) }
  }

  package mutating func timestamp(_ shared: inout Shared) -> Timestamp? {
    if !shared.atBytes.isEmpty, skip(shared.atBytes) { return shared.at }
    guard bytes.count - position >= 24 else { return nil }
    let text = UnsafeBufferPointer(rebasing: bytes[position..<position + 24])
    // A quote within the 24 bytes makes them no time.
    guard let at = Timestamp(utf8: text) else { return nil }
    shared.at = at
    shared.atBytes = Array(text)
    position += 24
    return at
  }

  /// Plain digits without leading zeros.
  package mutating func magnitude() -> UInt64? {
    let start = position
    var value: UInt64 = 0
    while position < bytes.count, bytes[position] &- 0x30 < 10 {
      value = value &* 10 &+ UInt64(bytes[position] &- 0x30)
      position += 1
    }
    let digits = position - start
    // 19 digits always fit; longer ones are for the slow path to judge.
    guard 1...19 ~= digits, bytes[start] != 0x30 || digits == 1 else { return nil }
    return value
  }

  package mutating func int64() -> Int64? {
    magnitude().flatMap { Int64(exactly: $0) }
  }

  package mutating func bool() -> Bool? {
    if skip("true") { return true }
    return skip("false") ? false : nil
  }

  /// A number with a point or an exponent, as the canonical form writes doubles.
  package mutating func double() -> Double? {
    guard let end = JSONNumber.end(in: bytes, from: position),
      let value = JSONNumber.double(UnsafeBufferPointer(rebasing: bytes[position..<end]))
    else { return nil }
    position = end
    return value
  }

  /// The spelling of a number, by JSON's grammar.
  package mutating func number() -> UnsafeBufferPointer<UInt8>? {
    guard let end = JSONNumber.end(in: bytes, from: position) else { return nil }
    defer { position = end }
    return UnsafeBufferPointer(rebasing: bytes[position..<end])
  }

  /// The next byte; 0 at the end.
  package var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

  /// Whether nothing is left.
  package var isAtEnd: Bool { position == bytes.count }

  package mutating func id() -> EntityID? {
    guard skip("\""), let id = idCharacters(), skip("\"") else { return nil }
    return id
  }

  package mutating func idCharacters() -> EntityID? {
    guard bytes.count - position >= 36,
      let id = EntityID(canonical: UnsafeBufferPointer(rebasing: bytes[position..<position + 36]))
    else { return nil }
    position += 36
    return id
  }

  // MARK: Strings

  /// A string without escapes; one with escapes is left to the slow path only where it must: the
  /// canonical ones are decoded by `JSONReader`, which is as strict.
  package mutating func string() -> String? {
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
    let start = position + 1
    var end = JSONScan.plainEnd(in: bytes, from: start)
    if end < bytes.count, bytes[end] == UInt8(ascii: "\"") {
      position = end + 1
      return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
    }
    while end < bytes.count, bytes[end] >= 0x80 {
      end = JSONScan.plainEnd(in: bytes, from: end + 1)
    }
    guard end < bytes.count else { return nil }
    if bytes[end] == UInt8(ascii: "\"") {
      let text = UnsafeBufferPointer(rebasing: bytes[start..<end])
      guard let string = String(validating: text, as: UTF8.self) else { return nil }
      position = end + 1
      return string
    }
    return escapedString()
  }

  /// The name of a value: one of few that come again and again.
  package mutating func name(_ known: inout KnownNames) -> String? {
    let start = position + 1
    guard start < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
    var end = JSONScan.plainEnd(in: bytes, from: start)
    while end < bytes.count, bytes[end] >= 0x80 {
      end = JSONScan.plainEnd(in: bytes, from: end + 1)
    }
    guard end < bytes.count, bytes[end] == UInt8(ascii: "\""),
      let key = KnownNames.Key(UnsafeBufferPointer(rebasing: bytes[start..<end]))
    else { return string() }
    if let name = known[key] {
      position = end + 1
      return name
    }
    let name = string()
    if let name { known.add(name, for: key) }
    return name
  }

  private mutating func escapedString() -> String? {
    var reader = JSONReader(UnsafeRawBufferPointer(bytes))
    reader.position = position
    do throws(JSONError) {
      let text = try reader.readString()
      position = reader.position
      return text
    } catch {
      // Not dropped: the slow path meets the same error and throws it with its place.
      return nil
    }
  }

  /// A string that is mostly the same as in the line before.
  package mutating func string(cachedIn cache: inout CachedString) -> String? {
    if !cache.bytes.isEmpty, skip(cache.bytes) { return cache.text }
    let start = position
    guard let text = string() else { return nil }
    cache = CachedString(text: text, bytes: Array(bytes[start..<position]))
    return text
  }
}
