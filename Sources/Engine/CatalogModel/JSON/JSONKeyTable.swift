import LibC

/// The keys of an object by their bytes, so that a document's keys are compared without making strings.
public struct JSONKeyTable<Key: CaseIterable & RawRepresentable & Hashable & Sendable>: Sendable
where Key.RawValue == String {
  @usableFromInline let keys: [Key]
  @usableFromInline let spellings: JSONSpellings

  /// - Parameter required: those that every object has to have. A type for keys has at most 64 cases.
  public init(required: Set<Key> = []) {
    let keys = Array(Key.allCases)
    self.keys = keys
    spellings = JSONSpellings(
      keys.map(\.rawValue), required: keys.indices.filter { required.contains(keys[$0]) })
  }
}

/// What the keys of a table have in common, whatever their type: readers of documents are in other modules, where
/// generic code is not specialised, and looking for a key in an array of pairs took as long as reading its value.
@usableFromInline struct JSONSpellings: Sendable {
  let texts: [String]
  /// A bit for each key, by its place, that every object has to have.
  let required: UInt64
  /// All spellings, one behind the other, and where each ends: an array of arrays counts references at each key.
  private let bytes: [UInt8]
  private let ends: [Int]

  init(_ texts: [String], required: [Int] = []) {
    precondition(texts.count <= 64, "an object has at most 64 keys")
    self.texts = texts
    self.required = required.reduce(0) { $0 | 1 << UInt64($1) }
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
}
