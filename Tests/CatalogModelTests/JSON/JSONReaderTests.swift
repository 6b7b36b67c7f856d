import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import CatalogModel

@Suite(
  .promise(
    "JSON is RFC 8259, strictly",
    by: "generated JSON, compared with Foundation's reader"))
struct JSONReaderTests {
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func agreesWithFoundationOnGeneratedJSON(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    for round in 0..<500 {
      let text = Self.text(depth: 4, &dice)
      let bytes = Array(text.utf8)
      let ours = try bytes.withUnsafeBytes { try JSONValue.parse($0) }
      let theirs = try JSONSerialization.jsonObject(
        with: Data(bytes), options: .fragmentsAllowed)
      #expect(Self.areEqual(ours, theirs), "seed \(seed), round \(round): \(text)")
      // What is written again reads the same.
      let again = Array(ours.description.utf8)
      #expect(try again.withUnsafeBytes { try JSONValue.parse($0) } == ours)
    }
  }

  @Test(arguments: [
    ("0", 0), ("-0", 0), ("100", 100), ("1e2", 100), ("1.0", 1), ("1000e-1", 100), ("0e99", 0),
    ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
    ("922337203685477580.7E1", Int64.max), ("1E+0", 1),
  ])
  func readsAnIntegerInEverySpelling(text: String, value: Int64) throws {
    #expect(try reading(text) { try $0.readInt64() } == value)
  }

  private enum Word: String, CaseIterable { case id, identity, title, titles }

  /// Keys that begin like others, keys with escapes, and keys that are none.
  @Test(
    arguments: [
      ("id", "id"), ("identity", "identity"), ("title", "title"), ("titles", "titles"),
      ("\\u0069d", "id"), ("titl\\u0065s", "titles"), ("", nil), ("i", nil), ("ide", nil),
      ("idtitle", nil), ("entity", nil), ("title\\n", nil),
    ] as [(String, String?)])
  func findsAKeyByItsBytes(spelling: String, word: String?) throws {
    let table = JSONKeyTable<Word>()
    func found(_ text: String) throws -> Word? {
      try reading(text) { reader in
        var object = try reader.openObject()
        return try reader.nextKey(in: &object).flatMap { key in
          table.spellings.place(of: key, in: reader).map { table.keys[$0] }
        }
      }
    }
    #expect(try found("{\"\(spelling)\":1}")?.rawValue == word)
  }

  @Test(arguments: [
    "1.5", "1e-1", "9223372036854775808", "-9223372036854775809", "1e19", "1e400",
    "99999999999999999999", "1e99999999999999999999", "\"1\"", "true",
  ])
  func refusesWhatIsNoInteger(text: String) {
    #expect(throws: JSONError.self) { try reading(text) { try $0.readInt64() } }
  }

  @Test func readsDoublesLikeTheStandardLibrary() throws {
    var dice = Dice(seed: 11)
    for _ in 0..<20_000 {
      let digits = dice.below(18)
      var text = String(dice.next() >> UInt64(dice.below(64)))
      if dice.chance(70) { text += "." + String(String(dice.next()).prefix(1 + digits)) }
      if dice.chance(20) { text += "e\(dice.below(600) - 300)" }
      if dice.chance(30) { text = "-" + text }
      let wanted = try #require(Double(text))
      if wanted.isFinite {
        let value = try reading(text) { try $0.readDouble() }
        #expect(value.bitPattern == wanted.bitPattern, "\(text)")
      } else {
        #expect(throws: JSONError.self) { try reading(text) { try $0.readDouble() } }
      }
    }
  }

  @Test func takesNestingUpToItsLimit() {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    nested(JSONReader.depthLimit).withUnsafeBytes { bytes in
      #expect(throws: Never.self) { try JSONReader(bytes).validate() }
    }
    nested(JSONReader.depthLimit + 1).withUnsafeBytes { bytes in
      let error = #expect(throws: JSONError.self) { try JSONReader(bytes).validate() }
      #expect(error?.offset == JSONReader.depthLimit)
    }
  }

  /// Few keys are compared one by one, many through a set; nested objects must not mix them up.
  @Test(arguments: [1, 2, 23, 24, 25, 26, 300])
  func findsADuplicateAmongKeys(count: Int) {
    let keys = (0..<count).map { "\"k\($0)\":{\"k0\":[{\"k1\":0}]}" }
    func document(_ keys: [String]) -> [UInt8] { Array("{\(keys.joined(separator: ","))}".utf8) }
    document(keys).withUnsafeBytes { bytes in
      #expect(throws: Never.self) { try JSONReader(bytes).validate() }
    }
    for duplicate in ["\"k\(count - 1)\"", "\"\\u006b\(count - 1)\""] {
      let bytes = document(keys + ["\(duplicate):1"])
      bytes.withUnsafeBytes { bytes in
        let error = #expect(throws: JSONError.self) { try JSONReader(bytes).validate() }
        #expect(error?.code == .duplicateKey)
        #expect(error?.offset == bytes.count - 3 - duplicate.utf8.count)
      }
    }
  }

  @Test func keysThatLookAlikeAreDifferent() {
    let bytes = Array("{\"\u{E9}\":1,\"e\u{301}\":2,\"E\":3}".utf8)
    bytes.withUnsafeBytes { bytes in
      #expect(throws: Never.self) { try JSONReader(bytes).validate() }
    }
  }

  @Test func refusesEveryBrokenUTF8() {
    let broken: [[UInt8]] = [
      [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x9F, 0x80], [0xED, 0xA0, 0x80],
      [0xE2, 0x82], [0xF0, 0x8F, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
      [0xFE], [0xFF], [0xF0, 0x9F, 0x98],
    ]
    for sequence in broken {
      for filler in 0...9 {
        let head = [UInt8](repeating: UInt8(ascii: "a"), count: filler)
        let bytes = [UInt8(ascii: "\"")] + head + sequence + Array("bbbbbbbbbb\"".utf8)
        bytes.withUnsafeBytes { bytes in
          let error = #expect(throws: JSONError.self) { try JSONReader(bytes).validate() }
          #expect(error?.offset == 1 + filler, "\(sequence)")
        }
      }
    }
  }

  @Test func excerptsDoNotSteerATerminal() {
    #expect(JSONExcerpt.printable("a\u{1B}[31m\u{202E}b") == "a\\u{1b}[31m\\u{202e}b")
    let long = JSONExcerpt.printable(String(repeating: "é", count: 1_000))
    #expect(long == String(repeating: "é", count: JSONExcerpt.limit) + "…")
  }

  // MARK: Generated JSON

  private static func text(depth: Int, _ dice: inout Dice) -> String {
    func space() -> String { dice.chance(10) ? dice.pick([" ", "\n", "\t", "\r\n"]) : "" }
    var value: String
    switch dice.below(depth > 0 ? 7 : 5) {
    case 0: value = dice.pick(["null", "true", "false"])
    case 1: value = String(Int64(bitPattern: dice.next()) >> Int64(dice.below(64)))
    case 2: value = "\(Double(dice.below(1_000_000)) / 64)"
    case 3, 4: value = dice.jsonString(dice.text())
    case 5:
      let count = dice.below(4)
      value = "[" + (0..<count).map { _ in text(depth: depth - 1, &dice) }.joined(separator: ",")
      value += space() + "]"
    default:
      let count = dice.below(5)
      let members = (0..<count).map { index in
        let key = dice.jsonString("\(index)" + dice.text())
        return key + space() + ":" + text(depth: depth - 1, &dice)
      }
      value = "{" + members.joined(separator: ",") + "}"
    }
    return space() + value + space()
  }

  private static func areEqual(_ ours: JSONValue, _ theirs: Any) -> Bool {
    switch ours {
    case .null: return theirs is NSNull
    case .bool(let value): return (theirs as? Bool) == value
    case .number(let text):
      guard let number = theirs as? NSNumber else { return false }
      return Int64(text).map { $0 == number.int64Value } ?? (Double(text) == number.doubleValue)
    case .string(let text):
      return (theirs as? String).map { $0.utf8.elementsEqual(text.utf8) } ?? false
    case .array(let elements):
      guard let others = theirs as? [Any], others.count == elements.count else { return false }
      return zip(elements, others).allSatisfy { areEqual($0, $1) }
    case .object(let members):
      guard let others = theirs as? [String: Any] else { return false }
      return members.allSatisfy { member in
        others[member.key].map { areEqual(member.value, $0) } ?? false
      }
    }
  }
}
