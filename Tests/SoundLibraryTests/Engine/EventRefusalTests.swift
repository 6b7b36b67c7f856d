import CatalogModel
import Promises
import Testing

@testable import SoundLibrary

@Suite(
  .promise(
    "A line of the log that is not an event is refused with its place",
    by: "on a real kind"))
struct EventRefusalTests {
  static let line = #"""
    {"seq":7,"at":"2026-01-31T12:00:00.000Z","type":"item.upserted","v":1,\#
    "op":"11111111-1111-4111-8111-111111111111","by":"cli","data":{\#
    "id":"11111111-1111-4111-8111-111111111111","kind":"music",\#
    "title":"T","subtitle":null,"duration":1.5,"artworkUrl":null}}
    """#

  @Test(
    arguments: [
      ("\"seq\":7", "\"seq\":8", .wrongSequence, "$.seq"),
      ("\"seq\":7", "\"seq\":-7", .malformedEnvelope, "$.seq"),
      ("\"seq\":7,", "", .malformedEnvelope, "$"),
      ("\"seq\":7", "\"seq\":7,\"x\":1", .malformedEnvelope, "$"),
      ("2026-01-31", "2026-02-31", .malformedEnvelope, "$.at"),
      ("item.upserted", "item.invented", .unknownType, nil),
      ("\"v\":1", "\"v\":2", .unknownVersion, nil),
      ("\"v\":1", "\"v\":0", .unknownVersion, nil),
      ("\"op\":\"1", "\"op\":\"x", .malformedEnvelope, "$.op"),
      ("\"by\":\"cli\"", "\"by\":null", .malformedEnvelope, "$.by"),
      ("\"title\":\"T\",", "", .malformedPayload, "$.data"),
      ("\"title\":\"T\"", "\"title\":\"T\",\"extra\":1", .malformedPayload, "$.data"),
      ("\"title\":\"T\"", "\"title\":null", .malformedPayload, "$.data.title"),
      ("\"duration\":1.5", "\"duration\":\"1.5\"", .malformedPayload, "$.data.duration"),
      ("\"kind\":\"music\"", "\"kind\":\"video\"", .malformedPayload, "$.data.kind"),
      ("\"id\":\"1", "\"id\":\"z", .malformedPayload, "$.data.id"),
      ("\"title\":\"T\"", "\"title\":\"T\",\"title\":\"T\"", .invalidJSON, "$.data.title"),
      ("\"title\":\"T\"", "\"title\":\"\\u0000\"", .invalidJSON, nil),
      ("null}}", "null}", .invalidJSON, nil),
      ("null}}", "null}}\n{}", .invalidJSON, nil),
    ] as [(String, String, EventDecodingError.Code, String?)])
  func refuses(old: String, new: String, code: EventDecodingError.Code, path: String?) throws {
    let broken = Self.line.replacing(old, with: new, maxReplacements: 1)
    try #require(broken != Self.line)
    var decoder = SoundEventDecoder()
    let error = try #require(throws: EventDecodingError.self) {
      try decoder.decode(line: Array(broken.utf8), expecting: 7)
    }
    #expect(error.code == code, "\(error)")
    #expect(error.path == path, "\(error)")
    #expect(error.sequence == 7)
    #expect("\(error)".hasPrefix("event 7"))
    #expect(!error.excerpt.isEmpty)
    if code == .malformedPayload || code == .unknownType || code == .unknownVersion {
      #expect(error.excerpt.hasPrefix("{\"id\":"), "the payload is shown")
      #expect(error.type?.hasPrefix("item.") == true)
    }
  }

  @Test func theLineItselfIsGood() throws {
    var decoder = SoundEventDecoder()
    _ = try decoder.decode(line: Array(Self.line.utf8), expecting: 7)
  }
}
