import Foundation

/// The text of a cursor, which a command line and an address can carry: its content in base 64 with the alphabet of
/// RFC 4648, section 5, without padding, and a checksum.
///
/// The checksum tells a cursor that was changed or cut from one that a page gave; it is no secret, and none is needed.
package enum CursorText {
  /// Characters of a cursor. An argument of a command may be twice as long (Linux: 128 KiB).
  package static let limit = 65_536
  /// Bytes of a text that a cursor contains as it is. A cursor with five texts of this length stays below `limit`, even if
  /// JSON escapes each of their bytes.
  package static let keyLimit = 1_024

  /// - Parameter checksum: of the content, a short text without a point.
  package static func encode(_ content: [UInt8], checksum: ([UInt8]) -> String) -> String {
    let text = Data(content).base64EncodedString().replacing("+", with: "-")
      .replacing("/", with: "_").replacing("=", with: "")
    return text + "." + checksum(content)
  }

  /// The content of a text that `encode` made; nil if it made none like it.
  package static func decode(_ text: String, checksum: ([UInt8]) -> String) -> [UInt8]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count <= limit, parts.count == 2 else { return nil }
    let plain = parts[0].replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - plain.count % 4) % 4)
    guard let content = Data(base64Encoded: plain + padding).map({ Array($0) }),
      checksum(content) == parts[1]
    else { return nil }
    return content
  }
}
