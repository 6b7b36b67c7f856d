import CatalogModel
import CatalogTestSupport
import Projections
import Promises
import Testing

/// Values of events are read by two readers: one that knows the canonical spelling, and one that knows any.
@Suite(
  "The fast reader of values reads as the general one, or not at all",
  .promise(
    "Any generated event is written and read again, by the fast reader and the plain one "
      + "alike",
    by: "canonical spellings and all others"))
struct ValueSpellingTests {
  private static let spellings = [
    "null", "nul", "0", "-0", "7", "-7", "007", "+7", "1.", ".5", "0.0", "-0.0", "2.0", "1.50",
    "12.99",
    "999999999999999999", "-999999999999999999", "1000000000000000000", "9223372036854775807",
    "-9223372036854775808", "9223372036854775808", "9007199254740993", "9007199254740993.0",
    "1e2", "1E2", "1e+16", "1.5e300", "1e400", "5e-324", "1e-400", "9199999999999e6",
    "123456789012345.5", "0.1", "0.30000000000000004", "1x", "1e", "-",
    "\"\"", "\"abc\"", "\"a\\\"b\\\\c\\n\"", "\"\\u00e9\"", "\"\\ud83d\\ude00\"", "\"\\ud83d\"",
    "\"\\u0000\"", "\"Gr\u{fc}n\"", "\"Gru\u{308}n\"", "\"open", "true", "[]", "[1]",
    "{\"base64\":\"AP8=\"}", "{\"base64\":\"\"}", "{\"base64\":\"A\"}", "{\"base64\" : \"AP8=\"}",
    "{\"base64\":\"AP8=\",\"more\":1}", "{}",
  ]

  @Test("Spellings", arguments: spellings)
  func agrees(spelling: String) throws {
    let general = try? Value.read(JSONValue.parse(Array(spelling.utf8)))
    // A value is followed by a comma or by the end of its row.
    for end in [",", "]"] {
      guard let fast = Self.fast(spelling + end, after: spelling) else { continue }
      #expect(fast == general, "\(spelling)")
    }
  }

  @Test("Generated numbers", arguments: [1, 2, 3])
  func agreesOnNumbers(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    for _ in 0..<5_000 {
      var spelling = random.below(2) == 0 ? "-" : ""
      for _ in 0...random.below(20) { spelling += String(random.below(10)) }
      if random.below(2) == 0 {
        spelling += "."
        for _ in 0...random.below(6) { spelling += String(random.below(3) * 5) }
      }
      if random.below(3) == 0 {
        spelling += random.pick(["e", "E", "e-", "e+"]) + String(random.below(25))
      }
      let general = try? Value.read(JSONValue.parse(Array(spelling.utf8)))
      if let fast = Self.fast(spelling + "]", after: spelling) {
        #expect(fast == general, "\(spelling)")
      }
    }
  }

  @Test("What is written is read by the fast reader")
  func readsWhatIsWritten() throws {
    let values: [Value] = [
      .null, .integer(0), .integer(-1), .integer(.max), .integer(.min), .real(0.1),
      .real(-2.5e-300),
      .real(3), .real(1e16), .real(.greatestFiniteMagnitude), .text(""), .text("a\"b\\\n\u{1}"),
      .text("Gr\u{fc}n"), .text("Gru\u{308}n"), .blob([0, 255]), .blob([]),
    ]
    let event = RestoredRows(
      table: "t", columns: ["a"], rows: values.map { [$0] } + [[], values], key: ["a"], gone: [])
    var line: [UInt8] = []
    let problem = EventEncoder.encode(
      EventEnvelope(
        sequence: 1, at: Timestamp(milliseconds: 0), type: "rows.put",
        operation: EntityID(high: 1, low: 2), by: "test"), version: 1, into: &line
    ) { RestoredRows.payload.write(event, to: &$0) }
    #expect(problem == nil)
    let read = line.withUnsafeBytes { bytes -> RestoredRows? in
      var envelopes = EnvelopeDecoder()
      guard var beginning = envelopes.beginning(of: bytes) else { return nil }
      let read = RestoredRows.payload.read(canonical: &beginning.payload)
      return beginning.payload.skip("}}") && beginning.payload.isAtEnd ? read : nil
    }
    let data = try line.withUnsafeBytes { try EventLine(line: $0, expecting: 1).data }
    var general = try PayloadReader(data, path: "")
    let wanted = try RestoredRows.payload.read(&general)
    #expect(read == wanted)
  }

  /// Nil if the fast reader leaves the spelling to the other one, or stops before its end.
  private static func fast(_ text: String, after spelling: String) -> Value? {
    Array(text.utf8).withUnsafeBytes { bytes in
      var line = CanonicalLineReader(bytes)
      guard let value = Value.read(canonical: &line) else { return nil }
      return line.position == spelling.utf8.count ? value : nil
    }
  }
}
