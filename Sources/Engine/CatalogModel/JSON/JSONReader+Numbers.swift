extension JSONReader {
  /// Reads a number that is an integer in the range of `Int64`; `1e2` and `100.0` are 100.
  ///
  /// - Parameter advice: what to write instead of a number that is too large.
  package mutating func readInt64(
    advice: String = "write a whole number between \(Int64.min) and \(Int64.max)"
  ) throws(JSONError) -> Int64 {
    let start = try peekStart(.number, wanted: "a whole number")
    let text = try scanNumber()
    switch JSONNumber.integer(text) {
    case .value(let negative, let magnitude):
      if let value = JSONNumber.int64(negative: negative, magnitude: magnitude) { return value }
      fallthrough
    case .outOfRange:
      throw JSONError(
        .invalidValue, at: start, "is too large", advice: advice)
    case .fraction:
      throw JSONError(
        .wrongType, at: start, "is not a whole number", advice: "write it without a fraction")
    }
  }

  /// Reads a number as the nearest finite `Double`.
  package mutating func readDouble() throws(JSONError) -> Double {
    let start = try peekStart(.number)
    guard let value = JSONNumber.double(try scanNumber()) else {
      throw JSONError(
        .invalidValue, at: start, "is too large",
        advice: "write a number below 1.8e308")
    }
    return value
  }

  private mutating func peekStart(
    _ type: JSONType, wanted: String? = nil
  ) throws(JSONError) -> Int {
    try expect(type, wanted: wanted)
    return position
  }

  /// Reads the number at `position` by the grammar alone.
  package mutating func scanNumber() throws(JSONError) -> UnsafeBufferPointer<UInt8> {
    guard let end = JSONNumber.end(in: bytes, from: position) else {
      throw JSONError(
        .invalidJSON, at: position, "is not a JSON number",
        advice: "write it like 12, -3 or 1.5: no leading zeros, digits around the point")
    }
    let text = UnsafeBufferPointer(rebasing: bytes[position..<end])
    position = end
    return text
  }
}
