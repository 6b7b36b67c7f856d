import CatalogTestSupport
import Foundation
import Promises
import Testing

/// `rebuild` and `receipt`; `verify` starts processes and is tested through the real program.
@Suite(
  .promise(
    "`rebuild` and `receipt` give the same for the same log, overwrite no file, and set "
      + "aside what is not a database"))
struct ReplayCommandTests {
  @Test func aReceiptIsCanonicalJSONInEitherFormat() async throws {
    let catalog = try await TestCatalog.imported()
    let head = try await catalog.head()
    let outcome = await catalog.run("receipt")
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    let receipt = try outcome.object()
    #expect(Set(receipt.keys) == ["format", "log", "projector", "schema", "content", "tables"])
    let log = try #require(receipt["log"] as? [String: Any])
    #expect(log["id"] as? String == head.logID)
    #expect(log["sequence"] as? Int == head.sequence)
    #expect(log["chain"] as? String == head.chain)
    let tables = try #require(receipt["tables"] as? [[String: Any]])
    let items = try #require(tables.first { $0["table"] as? String == "library_item" })
    #expect(Set(items.keys) == ["table", "rows", "exact", "timeless"])
    #expect(items["rows"] as? Int == SampleSeed.itemCount)
    #expect(await catalog.run("receipt", "--format", "json").output == outcome.output)
  }

  @Test func theContentPartIsTheSameForEveryLogOfTheSameContent() async throws {
    let one = try await TestCatalog.imported()
    let other = try TestCatalog()
    let seed = try other.folder.write(SampleSeed.text(), to: "seed.json")
    #expect(await other.run("import", seed, "--at", "2025-12-24T00:00:00Z").status == 0)
    #expect(try await one.head().logID != other.head().logID)
    #expect(try await one.receipt() != other.receipt())
    let content = try await one.receipt(content: true)
    #expect(try await content == other.receipt(content: true))
    #expect(!content.contains("\"log\""))
    #expect(!content.contains("\"exact\""))
  }

  @Test func aDeletedDatabaseIsRebuiltTheSame() async throws {
    let catalog = try await TestCatalog.imported()
    let head = try await catalog.head()
    let receipt = try await catalog.receipt()
    try FileManager.default.removeItem(atPath: catalog.database)
    let outcome = await catalog.run("rebuild")
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    #expect(outcome.output == "rebuilt \(catalog.database) from \(head.sequence) events\n")
    #expect(try await catalog.receipt() == receipt)
  }

  @Test func aRebuildReportsAsJSON() async throws {
    let catalog = try await TestCatalog.imported()
    let head = try await catalog.head()
    let json = try await catalog.run("rebuild", "--format", "json").object()
    #expect(Set(json.keys) == ["file", "sequence", "chain"])
    #expect(json["file"] as? String == catalog.database)
    #expect(json["sequence"] as? Int == head.sequence)
    #expect(json["chain"] as? String == head.chain)
  }

  @Test func aRebuildIntoAFileLeavesTheCatalogAlone() async throws {
    let catalog = try await TestCatalog.imported()
    let before = try ScratchFolder.contents(catalog.path)
    let out = catalog.folder.file("out.sqlite")
    let outcome = await catalog.run("rebuild", "--out", out)
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("rebuilt \(out) from "))
    #expect(try ScratchFolder.contents(catalog.path) == before)
  }

  @Test func aRebuildOverwritesNoFile() async throws {
    let catalog = try await TestCatalog.imported()
    let out = try catalog.folder.write("precious", to: "out.sqlite")
    let outcome = await catalog.run("rebuild", "--out", out)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("\(out) already exists; name a new file"))
    #expect(try catalog.folder.bytes("out.sqlite") == Array("precious".utf8))
  }

  @Test func aRebuildIntoAFolderThatIsNotThereNamesIt() async throws {
    let catalog = try await TestCatalog.imported()
    let out = catalog.folder.file("nowhere/out.sqlite")
    let outcome = await catalog.run("rebuild", "--out", out)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains(out))
    #expect(!outcome.errors.contains("DatabaseError"), "\(outcome.errors)")
  }

  @Test func aFileThatIsNoDatabaseIsKeptAside() async throws {
    let catalog = try await TestCatalog.imported()
    let receipt = try await catalog.receipt()
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: catalog.database + suffix)
    }
    let junk = String(repeating: "no database ", count: 1_000)
    try junk.write(toFile: catalog.database, atomically: true, encoding: .utf8)
    let reading = await catalog.run("items", "music")
    #expect(reading.status == 1)
    #expect(reading.errors.contains(catalog.database))
    #expect(reading.errors.contains("catalogctl rebuild"), "\(reading.errors)")
    let rebuilt = await catalog.run("rebuild")
    #expect(rebuilt.status == 0)
    #expect(rebuilt.errors.contains("\(catalog.database).unusable-1"))
    #expect(try await catalog.receipt() == receipt)
    #expect(try catalog.folder.bytes("catalog/catalog.sqlite.unusable-1") == Array(junk.utf8))
  }
}
