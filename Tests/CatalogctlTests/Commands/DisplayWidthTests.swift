import CatalogTestSupport
import Promises
import Testing

@testable import EngineCommands

@Suite(
  .promise(
    "Columns of text are aligned as a terminal shows them", by: "widths from Python's Unicode data")
)
struct DisplayWidthTests {
  /// Python has the widths and the categories of an edition of Unicode; scalars that it does not know are left out.
  @Test func widthsAreThoseOfTheUnicodeDatabase() throws {
    let listed = try CatalogTestSupport.Program(
      "python3", "-c",
      """
      import unicodedata
      for n in range(0x20, 0x40000):
          c = chr(n)
          category = unicodedata.category(c)
          if category[0] == "C" and category != "Cf" or category in ("Zl", "Zp"): continue
          width = 2 if unicodedata.east_asian_width(c) in "WF" else 1
          if category in ("Mn", "Me", "Cf") and n != 0xAD: width = 0
          print(n, width)
      """)
    try #require(listed.status == 0, "\(listed.errors)")
    var wrong: [String] = []
    var count = 0
    for line in listed.output.split(separator: "\n") {
      let parts = line.split(separator: " ")
      guard let value = UInt32(parts[0]), let scalar = Unicode.Scalar(value), value != 0xFE0F,
        let width = Int(parts[1])
      else { continue }
      count += 1
      // Regional indicators are flags in pairs, and take two columns together.
      if 0x1F1E6...0x1F1FF ~= value { continue }
      // A mark above a letter in Unicode 14, which Python may have, and one beside it since Unicode 15.
      if value == 0x1171E { continue }
      let found = String(Character(scalar)).displayWidth
      if found != width { wrong.append("\(String(value, radix: 16)): \(found), not \(width)") }
    }
    #expect(count > 100_000)
    #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(20))")
  }

  @Test(arguments: [
    ("abc", 3), ("日本語", 6), ("e\u{301}", 1), ("🎉", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("❤\u{FE0F}", 2),
    ("한", 2),
    ("ｱ", 1), ("", 0),
  ])
  func charactersHaveTheWidthOfATerminal(text: String, width: Int) {
    #expect(text.displayWidth == width)
    #expect(text.padded(to: 8).displayWidth == 8)
    #expect(text.aligned(to: 8).displayWidth == 8)
  }

  @Test func aBeginningFitsIntoItsColumns() {
    #expect("日本語".prefix(columns: 5) == "日本")
    #expect("a日本".prefix(columns: 2) == "a")
    #expect("abc".prefix(columns: 9) == "abc")
  }
}
