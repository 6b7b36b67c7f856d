#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The keys of an object by their bytes, so that a document's keys are compared without making strings.
package struct JSONKeyTable<Key: CaseIterable & RawRepresentable & Hashable & Sendable>: Sendable
where Key.RawValue == String {
  private let keys: [Key]
  private let spellings: JSONSpellings

  package init() {
    keys = Array(Key.allCases)
    spellings = JSONSpellings(keys.map(\.rawValue))
  }

  /// The key that a scanned text spells; nil if there is no such key.
  package func match(_ text: JSONText, in reader: JSONReader) -> Key? {
    spellings.place(of: text, in: reader).map { keys[$0] }
  }

  /// The key that a scanned text spells; an error, with a guess at what was meant, if there is none.
  package func require(_ text: JSONText, in reader: JSONReader) throws(JSONError) -> Key {
    guard let place = spellings.place(of: text, in: reader) else {
      throw spellings.unknown(text, in: reader)
    }
    return keys[place]
  }
}

/// What the keys of a table have in common, whatever their type: readers of documents are in other modules, where
/// generic code is not specialised, and looking for a key in an array of pairs took as long as reading its value.
struct JSONSpellings: Sendable {
  private let texts: [String]
  /// All spellings, one behind the other, and where each ends: an array of arrays counts references at each key.
  private let bytes: [UInt8]
  private let ends: [Int]

  init(_ texts: [String]) {
    self.texts = texts
    var bytes: [UInt8] = []
    ends = texts.map { text in
      bytes += text.utf8
      return bytes.count
    }
    self.bytes = bytes
  }

  func place(of text: JSONText, in reader: JSONReader) -> Int? {
    guard text.hasEscapes else { return place(of: UnsafeRawBufferPointer(reader.raw(text))) }
    return reader.decodedBytes(text).withUnsafeBytes { place(of: $0) }
  }

  private func place(of wanted: UnsafeRawBufferPointer) -> Int? {
    guard let wantedStart = wanted.baseAddress else { return nil }
    return bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return nil }
      var start = 0
      for place in ends.indices {
        let end = ends[place]
        if end - start == wanted.count, memcmp(base + start, wantedStart, wanted.count) == 0 {
          return place
        }
        start = end
      }
      return nil
    }
  }

  func unknown(_ text: JSONText, in reader: JSONReader) -> JSONError {
    JSONError(
      .unknownKey, at: text.offset, "is an unknown key",
      advice: NearMiss.advice(for: reader.decode(text), among: texts))
  }
}
