import CatalogModel
import CatalogTestSupport
import Promises
import Testing

@testable import SoundLibrary

/// One good seed, broken in one place: what stood there, what stands there now, what is said.
struct Refusal: Sendable, CustomTestStringConvertible {
  let old: String
  let new: String
  let code: DocumentError.Code
  let path: String?
  /// The offending text; nil if something is missing. The offset must point at it.
  let value: String?
  let says: String

  init(
    _ old: String, _ new: String, _ code: DocumentError.Code, _ path: String?, _ value: String?,
    _ says: String
  ) {
    self.old = old
    self.new = new
    self.code = code
    self.path = path
    self.value = value
    self.says = says
  }

  var testDescription: String { "\(old) → \(new.prefix(60))" }
}

@Suite(
  .promise(
    "A document is refused as a whole, with file, path, offset and value, and changes nothing",
    by: "a table of broken seeds"),
  .promise(
    "A policy, a document, an answer or an option has no number with which work never "
      + "begins, never ends, or a sum overflows"))
struct SeedRefusalTests {
  /// Every broken case of the JSON test suite in the place of every sort of value of a good seed.
  @Test func refusesASeedWithAnInvalidCaseInAnyPlace() throws {
    let cases = try Resources.jsonCases("n_").map { ($0, try Resources.jsonCase($0)) }
    for place in GoodSeed.places {
      let (head, tail) = GoodSeed.split(at: place)
      for (name, broken) in cases where broken.count < 2_000 {
        let bytes = head + broken + tail
        do {
          _ = try SeedDocumentReader.read(bytes, file: "seed.json")
          Issue.record("\(name) was accepted as \(place)")
        } catch {
          let offset = try #require(error.offset, "\(name) as \(place)")
          #expect((0...bytes.count).contains(offset), "\(name) as \(place)")
          #expect("\(error)".contains("byte \(offset)"), "\(name) as \(place)")
        }
      }
    }
  }

  @Test(arguments: envelope + items + packs + tags)
  func refuses(_ refusal: Refusal) throws {
    #expect(GoodSeed.good.contains(refusal.old), "the table is out of date")
    let text = GoodSeed.replacing(refusal.old, refusal.new)
    let error = try #require(throws: DocumentError.self) {
      try SeedDocumentReader.read(Array(text.utf8), file: "seed.json")
    }
    #expect(error.code == refusal.code)
    #expect(error.path == refusal.path)
    #expect(error.value == refusal.value)
    #expect("\(error)".contains(refusal.says), "\(error)")
    #expect("\(error)".hasPrefix("seed.json: "))
    let offset = try #require(error.offset)
    if let value = refusal.value, !value.hasSuffix("…"), !value.contains("\\u{") {
      #expect(Array(text.utf8)[offset...].starts(with: value.utf8), "the offset is elsewhere")
    }
  }

  @Test func anEmptyDocumentHasItsOwnMessage() throws {
    let error = try #require(throws: DocumentError.self) {
      try SeedDocumentReader.read([], file: "seed.json")
    }
    #expect(error.code == .fileEmpty)
    #expect("\(error)".contains("empty"))
  }

  @Test func aSyntaxErrorFarBehindComesBeforeAnErrorOfContent() throws {
    let text = GoodSeed.replacing("\"format\":1", "\"format\":9") + "]"
    let error = try #require(throws: DocumentError.self) {
      try SeedDocumentReader.read(Array(text.utf8), file: "seed.json")
    }
    #expect(error.code == .invalidJSON)
    #expect(error.path == nil)
    #expect(error.offset == text.utf8.count - 1)
  }

  @Test func aSentenceNamesFilePlaceValueAndAdvice() throws {
    let text = GoodSeed.replacing(GoodSeed.packItemID, "xyz")
    let error = try #require(throws: DocumentError.self) {
      try SeedDocumentReader.read(Array(text.utf8), file: "starter.json")
    }
    let offset = try #require(error.offset)
    #expect(
      "\(error)" == """
        starter.json: $.packs[0].items[0].id: "xyz" is not a UUID (byte \(offset)); write it as \
        xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx, in hexadecimal digits
        """)
  }

  static let envelope: [Refusal] = [
    Refusal("\"format\":1", "\"format\":2", .unsupportedFormat, "$.format", "2", "format 1"),
    Refusal("\"format\":1,", "", .missingKey, "$", nil, "\"format\" is missing"),
    Refusal("\"format\":1", "\"format\":\"1\"", .wrongType, "$.format", "\"1\"", "not a number"),
    Refusal(
      "\"revision\":7", "\"revision\":0", .invalidValue, "$.revision", "0",
      "; write a whole number from 1 to 9007199254740991"),
    Refusal(
      "\"revision\":7", "\"revision\":9007199254740992", .invalidValue, "$.revision",
      "9007199254740992", "; write a whole number from 1 to 9007199254740991"),
    Refusal(
      "\"revision\":7", "\"revision\":9223372036854775807", .invalidValue, "$.revision",
      "9223372036854775807", "too large"),
    Refusal("\"revision\":7", "\"revision\":7.5", .wrongType, "$.revision", "7.5", "fraction"),
    Refusal(
      "\"revision\":7", "\"revision\":9223372036854775808", .invalidValue, "$.revision",
      "9223372036854775808", "too large"),
    Refusal("\"revision\":7,", "", .missingKey, "$", nil, "\"revision\" is missing"),
    Refusal("\"starter\"", "\"\"", .invalidValue, "$.seedId", "\"\"", "blank"),
    Refusal("\"starter\"", "\"a b\"", .invalidValue, "$.seedId", "\"a b\"", "not a seed id"),
    Refusal("\"starter\"", "\"é\"", .invalidValue, "$.seedId", "\"é\"", "not a seed id"),
    Refusal("\"starter\"", "null", .wrongType, "$.seedId", "null", "a string"),
    Refusal(
      "\"seedId\"", "\"seedID\"", .unknownKey, "$.seedID", "\"seedID\"",
      "did you mean \"seedId\"?"),
    Refusal(
      "\"moods\":[\"Cozy\"],\"mus", "\"mood\":[\"Cozy\"],\"mus", .unknownKey, "$.dimensions.mood",
      "\"mood\"", "did you mean \"moods\"?"),
    Refusal(
      "\"Arctic\",\"Forest\"", "\"Arctic\",\" Arctic \"", .duplicateValue,
      "$.dimensions.locations[1]", "\" Arctic \"", "twice"),
    Refusal(
      "\"Arctic\",\"Forest\"", "\"Arctic\",\"\\u0020\"", .invalidValue,
      "$.dimensions.locations[1]", "\"\\u0020\"", "blank"),
    Refusal(
      "\"revision\":7", "\"revision\":7,\"r\\u0065vision\":7", .duplicateKey,
      "$[\"r\\u0065vision\"]", "\"r\\u0065vision\"", "appears twice"),
    Refusal("\"starter\"", "\"a\\u0000\"", .invalidJSON, nil, nil, "U+0000"),
    Refusal("\"starter\"", "\"a\\ud800\"", .invalidJSON, nil, nil, "surrogate"),
    Refusal("{\"format\"", "\u{FEFF}{\"format\"", .invalidJSON, nil, nil, "byte order mark"),
  ]

  static let items: [Refusal] = [
    Refusal("\"title\":\"Tavern\",", "", .missingKey, "$.music[0]", nil, "\"title\" is missing"),
    Refusal("\"Tavern\"", "\"\"", .invalidValue, "$.music[0].title", "\"\"", "blank"),
    Refusal(
      "\"Tavern\"", "\"\u{3000}\\t\"", .invalidValue, "$.music[0].title", "\"\u{3000}\\t\"",
      "blank"),
    Refusal("\"Tavern\"", "12", .wrongType, "$.music[0].title", "12", "is not a string"),
    Refusal(
      "\"title\":\"Tavern\"", "\"titel\":\"Tavern\"", .unknownKey, "$.music[0].titel",
      "\"titel\"", "did you mean \"title\"?"),
    Refusal(
      "\"Tavern\"", "\"\(String(repeating: "x", count: 65_537))\"", .invalidValue,
      "$.music[0].title", "\"" + String(repeating: "x", count: 79) + "…", "65536"),
    Refusal("61.5", "-0.5", .invalidValue, "$.music[0].duration", "-0.5", "negative"),
    Refusal(
      "61.5", "1e300", .invalidValue, "$.music[0].duration", "1e300",
      "write seconds from 0 to 9007199254740991"),
    Refusal("61.5", "1e999", .invalidJSON, nil, "1e999", "too large"),
    Refusal("61.5", "\"61\"", .wrongType, "$.music[0].duration", "\"61\"", "number"),
    Refusal("\"art.png\"", "\"\"", .invalidValue, "$.music[0].artworkUrl", "\"\"", "blank"),
    Refusal("false", "0", .wrongType, "$.packs[0].items[0].isVisible", "0", "true or false"),
    Refusal("false", "null", .wrongType, "$.packs[0].items[0].isVisible", "null", "true or false"),
    Refusal(
      "\"isVisible\":true", "\"isVisible\":false", .invalidValue, "$.music[0].isVisible", "false",
      "always visible"),
    Refusal(
      "\"appleMusicPlaylistId\":\"pl.1\",", "", .missingKey, "$.music[0]", nil,
      "\"appleMusicPlaylistId\" is missing"),
    Refusal(
      "\"pl.1\"", "\" \"", .invalidValue, "$.music[0].appleMusicPlaylistId", "\" \"", "blank"),
    Refusal(
      "\"Epic War\"]}}]",
      """
      "Epic War"]}},{"id":"44444444-4444-4444-8444-444444444444","title":"x",\
      "appleMusicPlaylistId":"pl.1"}]
      """, .duplicateValue, "$.music[1].appleMusicPlaylistId", "\"pl.1\"", "playlist"),
    Refusal(
      GoodSeed.packItemID, GoodSeed.itemID, .duplicateValue, "$.packs[0].items[0].id",
      "\"\(GoodSeed.itemID)\"", "id of another item"),
    Refusal(
      GoodSeed.itemID, "not-a-uuid", .invalidValue, "$.music[0].id", "\"not-a-uuid\"", "not a UUID"),
    Refusal("\"Growl\"", "{}", .wrongType, "$.packs[0].items[0].title", "{}", "is not a string"),
    Refusal(
      "\"title\":\"Growl\"", "\"title\":\"Growl\",\"useSnapshot\":true", .unknownKey,
      "$.packs[0].items[0].useSnapshot", "\"useSnapshot\"", "music entries"),
  ]

  static let packs: [Refusal] = [
    Refusal(
      "\"sfx\"", "\"music\"", .invalidValue, "$.packs[0].kind", "\"music\"", "\"atmosphere\""),
    Refusal("\"sfx\"", "\"SFX\"", .invalidValue, "$.packs[0].kind", "\"SFX\"", "not a kind"),
    Refusal("\"kind\":\"sfx\",", "", .missingKey, "$.packs[0]", nil, "\"kind\" is missing"),
    Refusal("\"version\":3", "\"version\":-3", .invalidValue, "$.packs[0].version", "-3", "1 to"),
    Refusal("\"version\":3,", "", .missingKey, "$.packs[0]", nil, "\"version\" is missing"),
    Refusal(
      "\"https://example.com/m.json\"", "\"m.json\"", .invalidValue, "$.packs[0].manifestUrl",
      "\"m.json\"", "absolute"),
    Refusal(
      "\"https://example.com/m.json\"", "\"https:///m.json\"", .invalidValue,
      "$.packs[0].manifestUrl", "\"https:///m.json\"", "absolute"),
    Refusal(
      "\"items\":[{", "\"items\":[[{", .invalidJSON, nil, "}", "comma or ]"),
    Refusal(
      "\"packs\":[{", "\"packs\":[7,{", .wrongType, "$.packs[0]", "7", "is not an object"),
    Refusal(
      "\"packs\":[{",
      """
      "packs":[{"id":"\(GoodSeed.packID)","kind":"sfx","title":"P","version":1,\
      "manifestUrl":"http://a.b"},{
      """, .duplicateValue, "$.packs[1].id", "\"\(GoodSeed.packID)\"", "another pack"),
  ]

  static let tags: [Refusal] = [
    Refusal(
      "\"themes\":[\"Epic War\"]", "\"creatureTypes\":[\"Ooze\"]", .unknownKey,
      "$.music[0].tags.creatureTypes", "\"creatureTypes\"", "a music item does not have"),
    Refusal(
      "\"themes\":[\"Epic War\"]", "\"musicThemes\":[]", .unknownKey,
      "$.music[0].tags.musicThemes", "\"musicThemes\"", "write \"themes\""),
    Refusal(
      "\"themes\":[\"Epic War\"]", "\"theme\":[]", .unknownKey, "$.music[0].tags.theme",
      "\"theme\"", "did you mean \"themes\"?"),
    Refusal(
      "[\"Fiend\"]", "[\"Fiend\",7]", .wrongType, "$.packs[0].items[0].tags.creatureTypes[1]",
      "7", "is not a string"),
    Refusal(
      "[\"Fiend\"]", "\"Fiend\"", .wrongType, "$.packs[0].items[0].tags.creatureTypes",
      "\"Fiend\"", "is not an array"),
    Refusal(
      "[\"Fiend\"]", "[\"\"]", .invalidValue, "$.packs[0].items[0].tags.creatureTypes[0]", "\"\"",
      "blank"),
    Refusal(
      "[\"Fiend\"]", "[\"\(String(repeating: "x", count: 1_025))\"]", .invalidValue,
      "$.packs[0].items[0].tags.creatureTypes[0]", "\"" + String(repeating: "x", count: 79) + "…",
      "1024"),
  ]
}
