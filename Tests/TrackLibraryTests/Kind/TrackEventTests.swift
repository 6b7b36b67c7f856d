import CatalogEngine
import CatalogTestSupport
import Foundation
import Promises
import Testing
import TrackLibrary

/// The events by their descriptions alone.
@Suite(
  .promise(
    "An event of a described kind is written as it was read; what its schema does not "
      + "allow is refused at its path",
    by: "a second reader, in Python, takes the same"))
struct TrackEventTests {
  /// A picture has its hash.
  private let trial = DescribedEventTrial(
    of: TrackEvent.self, kind: "track-library", page: "TRACKS.md"
  ) { type, payload in
    guard type == "artwork.added", case .object(var members) = payload,
      case .string(let base64) = members[1].value, let data = Data(base64Encoded: base64)
    else { return payload }
    members[0].value = .string(ContentHash.hex(of: Array(data)))
    return .object(members)
  }

  @Test(arguments: UInt64(1)...4)
  func whatIsReadIsWritten(_ seed: UInt64) {
    #expect(trial.lostPayloads(seed: seed, rounds: 40) == [])
  }

  @Test(arguments: UInt64(1)...4)
  func spoiltPayloadsAreRefusedByTheirPath(_ seed: UInt64) {
    #expect(trial.acceptedFaults(seed: seed) == [])
  }

  @Test func theSecondReaderAgrees() throws {
    #expect(try trial.disagreements(seed: 7) == [])
  }

  @Test func thePageListsTheEvents() throws {
    #expect(try trial.undocumented() == [])
  }

  @Test func theSchemasAreThoseOfTheDescriptions() throws {
    #expect(try trial.staleSchemas() == [])
  }

  @Test func theLimitOfAPictureIsSaid() {
    let kind = TrackLibraryKind()
    func excess(_ count: Int) -> String? {
      kind.excess(
        of: Recorded(
          sequence: 2, at: Timestamp(milliseconds: 0), operation: .number(1), by: "test",
          event: .artworkAdded(Artwork(Array(repeating: 0, count: count)))))
    }
    #expect(excess(Artwork.limit) == nil)
    #expect(
      excess(Artwork.limit + 1) == "the picture has 1048577 bytes; the limit is 1048576")
  }

  @Test func aLogFitsTheSchemas() async throws {
    let test = try await TestLibrary()
    for name in ["library.json", "spotify", "apple", "iTunes.xml", "morning.m3u8"] {
      try await test.library.imports.apply(ScratchFolder.repository + "/Examples/Tracks/" + name)
    }
    let outcome = try Program(
      "python3", ScratchFolder.repository + "/Tools/check-events",
      test.folder.file("library/events"))
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
  }
}
