extension EventLine {
  /// The line with another sequence, and else as it is: older versions of types stay what they were.
  ///
  /// - Parameter line: of an event that can be read.
  /// - Returns: nil if the number's key is not written plainly.
  package static func renumbered(
    _ line: UnsafeRawBufferPointer, as sequence: UInt64
  ) -> [UInt8]? {
    guard let digits = digits(of: line) else { return nil }
    return Array(line[..<digits.lowerBound]) + Array("\(sequence)".utf8)
      + Array(line[digits.upperBound...])
  }

  /// Where the sequence stands: after the key `seq` of the outermost object.
  private static func digits(of line: UnsafeRawBufferPointer) -> Range<Int>? {
    var depth = 0
    var place = 0
    while place < line.count {
      switch line[place] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "\""):
        let start = place + 1
        place = start
        while place < line.count, line[place] != UInt8(ascii: "\"") {
          place += line[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard depth == 1, place < line.count, line[start..<place].elementsEqual("seq".utf8) else {
          break
        }
        let value = line[(place + 1)...].drop { !$0.isASCIIDigit && $0 != UInt8(ascii: ",") }
        let digits = value.prefix(while: \.isASCIIDigit)
        return digits.isEmpty ? nil : digits.startIndex..<digits.endIndex
      default: break
      }
      place += 1
    }
    return nil
  }
}
