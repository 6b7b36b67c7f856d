import CatalogModel
import Promises
import Testing

@testable import SoundLibrary

@Suite(
  .promise(
    "An event of an earlier version is lifted step by step, and a version that no step "
      + "leads from is refused",
    by: "on a real kind"))
struct UpcastersTests {
  private struct Refused: Error {}

  private static let oldLine = EventRefusalTests.line
    .replacing("\"v\":1", with: "\"v\":-1").replacing("\"title\"", with: "\"name\"")
    .replacing(",\"artworkUrl\":null", with: "")

  @Test func oldVersionsAreLiftedStepByStep() throws {
    var upcasters = Upcasters()
    upcasters.register("item.upserted" as EventType, from: -1) { data in
      guard case .object(var members) = data else { throw Refused() }
      for index in members.indices where members[index].key == "name" {
        members[index].key = "title"
      }
      return .object(members)
    }
    upcasters.register("item.upserted" as EventType, from: 0) { data in
      guard case .object(let members) = data else { throw Refused() }
      return .object(members + [JSONValue.Member(key: "artworkUrl", value: .null)])
    }
    var decoder = SoundEventDecoder(upcasters: upcasters)
    let lifted = try decoder.decode(line: Array(Self.oldLine.utf8), expecting: 7)
    let newest = try decoder.decode(line: Array(EventRefusalTests.line.utf8), expecting: 7)
    #expect(lifted == newest)
  }

  @Test func aMissingStepIsAnUnknownVersion() throws {
    var upcasters = Upcasters()
    upcasters.register("item.upserted" as EventType, from: -1) { $0 }
    upcasters.register("item.tags.set" as EventType, from: 0) { $0 }
    #expect(try Self.error(upcasters).code == .unknownVersion)
  }

  @Test func aRefusedPayloadIsTold() throws {
    var upcasters = Upcasters()
    upcasters.register("item.upserted" as EventType, from: -1) { _ in throw Refused() }
    let error = try Self.error(upcasters)
    #expect(error.code == .upcastFailed)
    #expect(error.cause is Refused)
    #expect(error.version == -1)
  }

  @Test func whatIsLiftedMustFit() throws {
    var upcasters = Upcasters()
    upcasters.register("item.upserted" as EventType, from: -1) { $0 }
    upcasters.register("item.upserted" as EventType, from: 0) { $0 }
    #expect(try Self.error(upcasters).code == .malformedPayload)
  }

  private static func error(_ upcasters: Upcasters) throws -> EventDecodingError {
    try #require(throws: EventDecodingError.self) {
      var decoder = SoundEventDecoder(upcasters: upcasters)
      _ = try decoder.decode(line: Array(oldLine.utf8), expecting: 7)
    }
  }
}
