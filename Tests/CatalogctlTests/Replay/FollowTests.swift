import CatalogTestSupport
import EventLog
import Promises
import Testing

/// A reader follows what other processes append, seal and begin anew.
@Suite(
  .promise(
    "A reader beside a writer sees each batch once, over recovery, rollover and sealing",
    by: "other processes append, seal and start again"))
struct FollowTests {
  @Test(.timeLimit(.minutes(10))) func aFollowerSeesWhatOtherProcessesAppend() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let reader = EventLogReader(directory: catalog.events)
    let start = try #require(try reader.head())
    let following = Task {
      var seen: [BatchInfo] = []
      for try await element in reader.follow(after: start) {
        #expect(element.lines.count == Int(element.batch.eventCount))
        seen.append(element.batch)
        if seen.count == 3 { break }
      }
      return seen
    }
    for revision in 2...4 {
      let seed = try catalog.folder.write(
        SampleSeed.text(revision: revision), to: "seed-\(revision).json")
      #expect(try await catalog.program("import", seed).status == 0)
      // The file under the follower is replaced: it goes on with the old one, then the next.
      if revision == 2 { #expect(try await catalog.program("seal").status == 0) }
    }
    let seen = try await following.value
    #expect(seen.map(\.previousChain) == [start.chain] + seen.dropLast().map(\.chain))
    #expect(try reader.head() == seen.last?.head)
  }
}
