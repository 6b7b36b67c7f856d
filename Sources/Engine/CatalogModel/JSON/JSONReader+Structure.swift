extension JSONReader {
  /// Where a loop over an object's members or an array's elements stands.
  package struct Cursor {
    /// Offset of the opening bracket.
    package let offset: Int
    var isFirst = true
  }

  /// Opens an object; `nextKey(in:)` then walks its members.
  package mutating func openObject() throws(JSONError) -> Cursor {
    try expect(.object)
    return try open()
  }

  /// Opens an array; `hasNext(in:)` then walks its elements.
  package mutating func openArray() throws(JSONError) -> Cursor {
    try expect(.array)
    return try open()
  }

  private mutating func open() throws(JSONError) -> Cursor {
    guard depth < Self.depthLimit else {
      throw JSONError(
        .invalidJSON, at: position, showsValue: false,
        "arrays and objects are nested deeper than \(Self.depthLimit)")
    }
    depth += 1
    position += 1
    return Cursor(offset: position - 1)
  }

  /// Moves to the next member and reads its key and the colon; nil closes the object. The caller
  /// must read or skip the value before it asks again.
  package mutating func nextKey(in cursor: inout Cursor) throws(JSONError) -> JSONText? {
    skipWhitespace()
    if peek() == UInt8(ascii: "}") {
      close()
      return nil
    }
    if !cursor.isFirst {
      guard peek() == UInt8(ascii: ",") else { throw unexpected("a comma or }") }
      position += 1
      skipWhitespace()
    }
    guard peek() == UInt8(ascii: "\"") else {
      throw unexpected(cursor.isFirst ? "a key in double quotes or }" : "a key in double quotes")
    }
    cursor.isFirst = false
    let key = try scanText()
    skipWhitespace()
    guard peek() == UInt8(ascii: ":") else { throw unexpected("a colon") }
    position += 1
    return key
  }

  /// Moves to the next element; false closes the array. The caller must read or skip the element
  /// before it asks again.
  package mutating func hasNext(in cursor: inout Cursor) throws(JSONError) -> Bool {
    skipWhitespace()
    if peek() == UInt8(ascii: "]") {
      close()
      return false
    }
    if cursor.isFirst {
      cursor.isFirst = false
      return true
    }
    guard peek() == UInt8(ascii: ",") else { throw unexpected("a comma or ]") }
    position += 1
    skipWhitespace()
    // `[1,]` must not pass: the caller reads a value now, and `]` is none.
    return true
  }

  private mutating func close() {
    position += 1
    depth -= 1
  }
}
