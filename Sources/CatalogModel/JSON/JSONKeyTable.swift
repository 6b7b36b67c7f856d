/// The keys that one sort of object may have, matched by bytes without making a `String` of each.
package struct JSONKeyTable<Key: CaseIterable & RawRepresentable & Hashable & Sendable>: Sendable
where Key.RawValue == String {
  private let entries: [(bytes: [UInt8], key: Key)]

  package init() {
    entries = Key.allCases.map { (Array($0.rawValue.utf8), $0) }
  }

  /// The key that a scanned text spells; nil where there is no such key.
  @inline(__always)
  package func match(_ text: JSONText, in reader: JSONReader) -> Key? {
    for entry in entries where reader.matches(text, entry.bytes) { return entry.key }
    return nil
  }

  /// The key that a scanned text spells; an error, with a guess at what was meant, where there is none.
  @inline(__always)
  package func require(_ text: JSONText, in reader: JSONReader) throws(JSONError) -> Key {
    if let key = match(text, in: reader) { return key }
    throw Self.unknown(text, in: reader)
  }

  private static func unknown(_ text: JSONText, in reader: JSONReader) -> JSONError {
    let known = Key.allCases.map(\.rawValue)
    return JSONError(
      .unknownKey, at: text.offset, "is no key that is known here",
      advice: NearMiss.advice(for: reader.decode(text), among: known))
  }
}
