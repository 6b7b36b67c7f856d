import CatalogModel
import Foundation
import Promises
import Testing

@Suite(
  .promise(
    "Neither text nor JSON steers a terminal, and the name of a file does not begin a line "
      + "of its own",
    by: "every control and direction character"))
struct SteeringCharactersTests {
  private static let all =
    (Array(0..<0x20) + Array(0x7F..<0xA0) + [0x61C, 0x200E, 0x200F, 0x2028, 0x2029]
    + Array(0x202A...0x202E) + Array(0x2066...0x2069)).compactMap { Unicode.Scalar($0) }

  @Test func textHasNoneOfThem() {
    for scalar in Self.all {
      let text = "a\(Character(scalar))b"
      #expect(
        TerminalControlCharacters.escaped(text) == "a\\u{\(String(scalar.value, radix: 16))}b")
    }
    #expect(TerminalControlCharacters.escaped("a\nb\tc", keepingLines: true) == "a\nb\\u{9}c")
    let plain = "Möbel 家具 👩‍👩‍👧 עברית"
    #expect(TerminalControlCharacters.escaped(plain) == plain)
  }

  @Test func jsonSaysTheSameWithoutThem() throws {
    for scalar in Self.all {
      let value = ["key \(Character(scalar))": "a\(Character(scalar))b"]
      let plain = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
      let escaped = TerminalControlCharacters.escaped(json: plain)
      #expect(!escaped.unicodeScalars.contains(where: TerminalControlCharacters.contains))
      let read = try JSONDecoder().decode([String: String].self, from: Data(escaped.utf8))
      #expect(read == value)
    }
  }
}
