import CatalogModel
import CatalogTestSupport
import Promises
import Testing

@Suite(
  .promise("Any text survives byte for byte after NFC", by: "Unicode's own normalisation suite"))
struct TextRulesTests {
  @Test func normalisesEveryCaseOfTheUnicodeSuite() throws {
    let table = try Resources.unzipped("NormalizationTest.tsv.gz")
    var count = 0
    var newer = 0
    for line in table.split(separator: "\n").dropFirst() {
      let columns = line.split(separator: "\t").map { column in
        var text = String.UnicodeScalarView()
        for code in column.split(separator: " ") {
          if let scalar = UInt32(code, radix: 16).flatMap(Unicode.Scalar.init) {
            text.append(scalar)
          }
        }
        return String(text)
      }
      try #require(columns.count == 5)
      count += 1
      // Swift 6.3 knows the characters of Unicode 16, but normalises by tables of Unicode 15: what
      // came later stays as it is. The stability policy keeps all others the same for ever.
      let isNewer = columns.contains { column in
        column.unicodeScalars.contains { ($0.properties.age?.major ?? .max) > 15 }
      }
      if isNewer {
        newer += 1
        continue
      }
      for text in columns[0...2] {
        #expect(NormalForm.nfc(text).utf8.elementsEqual(columns[1].utf8), "\(line)")
      }
      for text in columns[3...4] {
        #expect(NormalForm.nfc(text).utf8.elementsEqual(columns[3].utf8), "\(line)")
      }
      #expect(NormalForm.isNFC(columns[1]))
      #expect(NormalForm.isNFC(columns[2]) == columns[1].utf8.elementsEqual(columns[2].utf8))
      let name = "a" + columns[0]
      let folded = try TextRules.tagName(name)
      #expect(NormalForm.isNFC(folded), "\(line)")
      #expect(try TextRules.tagName(folded) == folded, "\(line)")
    }
    #expect(count == 19_965)
    #expect(newer < 150, "most of the suite is meant to be checked")
  }

  @Test(arguments: [
    ("Forest", "Forest"), ("  Outer \t\n Space ", "Outer Space"), ("\u{3000}森\u{3000}", "森"),
    ("Hero’s Journey", "Hero’s Journey"), ("Mystery / Investigation", "Mystery / Investigation"),
    ("e\u{301}", "é"), ("a\u{85}\u{2028}b", "a b"), ("a\u{A0}b", "a b"), ("\u{200B}", "\u{200B}"),
    ("x\u{2000}y", "x y"), ("\u{1}", "\u{1}"), ("a\u{7F}b", "a\u{7F}b"),
  ])
  func foldsATagName(text: String, name: String) throws {
    #expect(try TextRules.tagName(text).utf8.elementsEqual(name.utf8))
  }

  @Test(arguments: ["", " ", "\u{3000}\u{2003}", "\r\n", "\u{85}"])
  func blankTextsAreRefused(text: String) {
    #expect(throws: TextProblem.blank) { try TextRules.tagName(text) }
    #expect(throws: TextProblem.blank) { try TextRules.title(text) }
    #expect(throws: TextProblem.blank) { try TextRules.name(text) }
  }

  @Test func titlesStayVerbatimAfterNFC() throws {
    #expect(try TextRules.title("  a  e\u{301} ").utf8.elementsEqual("  a  é ".utf8))
  }

  @Test func limitsAreInBytes() throws {
    let fits = String(repeating: "é", count: TextRules.nameLimit / 2)
    #expect(try TextRules.tagName(fits) == fits)
    #expect(throws: TextProblem.tooLong(bytes: 1_025, limit: 1_024)) {
      try TextRules.tagName(fits + "x")
    }
    #expect(throws: TextProblem.containsNull) { try TextRules.title("a\0b") }
  }

  @Test(arguments: [
    "https://example.com", "http://example.com/a?b#c", "HTTPS://EXAMPLE.com:8080/x",
    "https://user:pw@host/", "https://[::1]:80/", "http://localhost:", "https://müller.de/ä",
  ])
  func takesAWebAddress(text: String) throws {
    #expect(try TextRules.webAddress(text) == text)
  }

  @Test(arguments: [
    "example.com", "/a", "ftp://example.com", "https:example.com", "https://", "https:///a",
    "https://?q", "https://user@/a", "https://:80/", "https://a/\tb",
    "https://a:99999/", "https://a:x/", "https://[]/", "https://[::1/", "http://a\\b",
    "javascript:alert(1)", "file:///etc/passwd", " https://a.b", "httpſ://a",
  ])
  func refusesWhatIsNoWebAddress(text: String) {
    #expect(throws: TextProblem.malformedURL) { try TextRules.webAddress(text) }
  }

  @Test(arguments: ["https://a b/", "https://example.com/a b.wav", "http://localhost/a?b c"])
  func aSpaceInAnAddressIsNamed(text: String) {
    #expect(throws: TextProblem.spaceInURL) { try TextRules.webAddress(text) }
    #expect(
      TextProblem.spaceInURL.sentence(of: "https://a b/")
        == "\"https://a b/\" has a space; write %20")
  }

  @Test func seedIDsArePlain() throws {
    #expect(try TextRules.seedID("a.B-9_z") == "a.B-9_z")
    #expect(try TextRules.seedID(String(repeating: "a", count: 64)).utf8.count == 64)
    for bad in ["a b", "a:b", "é", "a/b", String(repeating: "a", count: 65)] {
      #expect(throws: TextProblem.malformedSeedID) { try TextRules.seedID(bad) }
    }
  }
}
