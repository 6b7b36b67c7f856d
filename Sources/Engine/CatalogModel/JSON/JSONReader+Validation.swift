extension JSONReader {
  /// Checks all of the bytes to be one JSON value by the rules of this reader, whatever its shape.
  /// Call it before the first read; it leaves the reader where it was.
  package func validate() throws(JSONError) {
    if let fault = try repeatedKeys().first.first { throw fault }
  }

  /// Checks as `validate` does, and returns keys that appear twice in one object: what follows them can be read.
  package func repeatedKeys() throws(JSONError) -> DocumentFaults {
    var reader = self
    try reader.refuseByteOrderMark()
    var keys = JSONKeyStack()
    try reader.skipValue(keys: &keys)
    try reader.finish()
    return keys.repeated
  }

  /// Demands that nothing but white space follows.
  package mutating func finish() throws(JSONError) {
    skipWhitespace()
    guard position == bytes.count else {
      throw JSONError(
        .invalidJSON, at: position, "follows the end of the JSON",
        advice: "a document is one value")
    }
  }

  /// Reads the next value and drops it. Keys that appear twice are for `validate()` to find.
  package mutating func skipValue() throws(JSONError) {
    var keys = JSONKeyStack()
    try skipValue(keys: &keys)
  }

  private func refuseByteOrderMark() throws(JSONError) {
    let marks: [([UInt8], String)] = [
      ([0xEF, 0xBB, 0xBF], "UTF-8"), ([0xFF, 0xFE], "UTF-16"), ([0xFE, 0xFF], "UTF-16"),
    ]
    for (mark, encoding) in marks where bytes.starts(with: mark) {
      throw JSONError(
        .invalidJSON, at: 0, showsValue: false,
        "the JSON starts with a \(encoding) byte order mark",
        advice: "save it as UTF-8 without one")
    }
  }

  private mutating func skipValue(keys: inout JSONKeyStack) throws(JSONError) {
    switch try peekType() {
    case .string: _ = try scanText()
    case .number:
      let start = position
      // Numbers beyond a double are no content that anything here could keep.
      let text = try scanNumber()
      let mayOverflow = text.count > 17 || text.contains { $0 | 0x20 == UInt8(ascii: "e") }
      if mayOverflow, !isForeign, JSONNumber.double(text) == nil {
        throw JSONError(
          .invalidJSON, at: start, "is too large",
          advice: "write a number below 1.8e308")
      }
    case .boolean: _ = try readBool()
    case .null: _ = try readNull()
    case .array:
      var cursor = try openArray()
      while try hasNext(in: &cursor) { try skipValue(keys: &keys) }
    case .object:
      var cursor = try openObject()
      let mark = keys.open()
      while let key = try nextKey(in: &cursor) {
        if !keys.insert(key, since: mark, reader: self) {
          keys.repeated.add(
            JSONError(
              .duplicateKey, at: key.offset, "appears twice in one object",
              advice: "keep one of them"))
        }
        try skipValue(keys: &keys)
      }
      keys.close(mark)
    }
  }
}

/// The keys of all objects that are open during validation.
///
/// Small objects are compared key by key over the document's own bytes, with no allocation. A large
/// one gets a set: Swift's hashes are seeded, so no document can make it slow.
private struct JSONKeyStack {
  struct Mark {
    let start: Int
    let outerSet: Set<[UInt8]>?
  }

  private static let largest = 24
  private var texts: [JSONText] = []
  private var set: Set<[UInt8]>?
  /// Keys that their object has already.
  var repeated = DocumentFaults()

  mutating func open() -> Mark {
    let mark = Mark(start: texts.count, outerSet: set)
    set = nil
    return mark
  }

  mutating func close(_ mark: Mark) {
    texts.removeSubrange(mark.start...)
    set = mark.outerSet
  }

  /// False where the key was there already.
  mutating func insert(_ key: JSONText, since mark: Mark, reader: JSONReader) -> Bool {
    if set != nil { return set?.insert(reader.decodedBytes(key)).inserted ?? false }
    for index in mark.start..<texts.count
    where Self.areEqual(texts[index], key, reader: reader) {
      return false
    }
    texts.append(key)
    if texts.count - mark.start > Self.largest {
      set = Set(texts[mark.start...].map { reader.decodedBytes($0) })
    }
    return true
  }

  @inline(__always)
  private static func areEqual(_ left: JSONText, _ right: JSONText, reader: JSONReader) -> Bool {
    if left.hasEscapes || right.hasEscapes {
      return reader.decodedBytes(left) == reader.decodedBytes(right)
    }
    guard left.range.count == right.range.count else { return false }
    return reader.raw(left).elementsEqual(reader.raw(right))
  }
}
