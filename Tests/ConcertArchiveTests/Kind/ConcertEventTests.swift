import CatalogModel
import CatalogTestSupport
import ConcertArchive
import Promises
import Testing

/// The events by their descriptions alone.
@Suite(
  .promise(
    "An event of a described kind is written as it was read; what its schema does not "
      + "allow is refused at its path",
    by: "a second reader, in Python, takes the same"))
struct ConcertEventTests {
  /// One of the two keys of `recent.cleared` is null. A set without songs is read from null and written as an array.
  private let trial = DescribedEventTrial(
    of: ConcertEvent.self, kind: "concert-archive", page: "CONCERTS.md"
  ) { type, payload in
    guard case .object(var members) = payload else { return payload }
    switch type {
    case "recent.cleared":
      members[1].value = members[0].value == .null ? .string("a show") : .null
    case "show.upserted":
      for place in members.indices where members[place].key == "setlist" {
        guard case .array(let sets) = members[place].value else { continue }
        members[place].value = .array(
          sets.map { set in
            guard set["songs"] == .null, let name = set["set"] else { return set }
            return .object([
              JSONValue.Member(key: "set", value: name),
              JSONValue.Member(key: "songs", value: .array([])),
            ])
          })
      }
    default: break
    }
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
}
