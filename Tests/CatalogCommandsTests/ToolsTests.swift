import Foundation
import Testing

/// The second readers and the scripts under `Tools`, against logs that the real program wrote.
@Suite struct ToolsTests {
  private func tool(_ name: String, _ arguments: String...) async throws -> Outcome {
    try await Program.run("python3", ["\(Program.package)/Tools/\(name)"] + arguments)
  }

  @Test func theSecondReaderAgreesWithHead() async throws {
    let catalog = try await SharedCatalogs.starter.value
    let read = try await tool("logreader.py", catalog.events)
    #expect(read.status == 0, "\(read)")
    let object = try read.object()
    let head = try await catalog.head()
    #expect(object["sequence"] as? Int == head.sequence)
    #expect(object["chain"] as? String == head.chain)
    #expect(object["logId"] as? String == head.logID)
  }

  @Test func theSecondReaderAgreesOnASealedLogThatGrew() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy()
    #expect(await catalog.run("seal").status == 0)
    try await catalog.importSeed(SampleSeed.text(revision: 2))
    let object = try await tool("logreader.py", catalog.events).object()
    let head = try await catalog.head()
    #expect(object["sequence"] as? Int == head.sequence)
    #expect(object["chain"] as? String == head.chain)
    #expect(try await tool("reducer.py", catalog.events, catalog.database).status == 0)
  }

  @Test func theSecondReaderFindsAFlippedByteToo() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy()
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: catalog.firstSegment)))
    bytes[bytes.count * 3 / 4] ^= 1
    try Data(bytes).write(to: URL(filePath: catalog.firstSegment))
    #expect(try await tool("logreader.py", catalog.events).status == 3)
    #expect(try await catalog.program("check").status == 3)
  }

  @Test func theIndependentReducerMakesTheSameRows() async throws {
    for catalog in [
      try await SharedCatalogs.starter.value, try await TestCatalog.imported(revision: 2),
    ] {
      let outcome = try await tool("reducer.py", catalog.events, catalog.database)
      #expect(outcome.status == 0, "\(outcome)")
    }
  }

  @Test func theIndependentReducerSeesADifference() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy()
    try await catalog.sqlite("UPDATE pack SET title = 'x' WHERE kind = 'sfx'")
    let outcome = try await tool("reducer.py", catalog.events, catalog.database)
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.output.contains("pack"))
  }

  @Test func everyEventFitsItsSchema() async throws {
    let catalog = try await SharedCatalogs.starter.value
    let outcome = try await tool("check-events", catalog.events)
    #expect(outcome.status == 0, "\(outcome)")
    let other = try await TestCatalog.imported()
    try await other.importSeed(SampleSeed.text(revision: 2))
    #expect(try await tool("check-events", other.events).status == 0)
  }

  @Test func theToolsOwnTestsPass() async throws {
    let outcome = try await Program.run(
      "python3", ["-m", "unittest", "discover", "-s", "\(Program.package)/Tools/tests"])
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.errors.contains("OK"))
  }

  @Test func theStarterSeedCanBeMadeAgainByteForByte() async throws {
    let outcome = try await tool("make-starter-seed", "--check")
    #expect(outcome.status == 0, "\(outcome)")
  }

  @Test func aGeneratedSeedIsImported() async throws {
    let catalog = try TestCatalog()
    let seed = try await tool("generate-seed", "--items", "300", "--tags", "5")
    #expect(seed.status == 0, "\(seed.errors)")
    #expect(try await catalog.importSeed(seed.output).status == 0)
    #expect(try await catalog.program("verify").status == 0)
  }
}
