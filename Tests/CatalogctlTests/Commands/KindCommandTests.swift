import CatalogModel
import CatalogTestSupport
import EventLog
import Foundation
import Promises
import Testing

/// Catalogs that are begun, and catalogs of a kind that the program does not know.
@Suite(
  .promise(
    "A catalog of an unknown kind is read, checked, sealed and saved as far as its bytes "
      + "go; a command of another kind writes nothing"))
struct KindCommandTests {
  /// Writes a log of another kind, of two batches.
  private func unknownCatalog() throws -> TestCatalog {
    let catalog = try TestCatalog()
    try FileManager.default.createDirectory(
      atPath: catalog.path, withIntermediateDirectories: true)
    let id = LogID(bytes: Array(repeating: 7, count: 16))
    let writer = try EventLogWriter(directory: catalog.events, logID: id, holder: "test")
    defer { writer.close() }
    for (number, event) in [
      (1, #""type":"catalog.created","v":1"#), (2, #""type":"book.added","v":1"#),
    ] {
      let data =
        number == 1
        ? #"{"kind":"bookshelf","layout":1,"logId":"\#(EntityID(bytes: id.bytes))"}"#
        : #"{"title":"Momo"}"#
      let line =
        #"{"seq":\#(number),"at":"2026-01-31T12:00:00.000Z",\#(event),"op":"\#(SampleSeed.id(1))","#
        + #""by":"person","data":\#(data)}"#
      var batch = try writer.makeBatch(expecting: writer.head)
      try Array(line.utf8).withUnsafeBytes { try batch.append(line: $0) }
      _ = try writer.append(batch)
    }
    return catalog
  }

  @Test(arguments: [
    ["head"], ["log"], ["log", "--type", "book.added"], ["event", "2"], ["stats"], ["check"],
  ])
  func whatNeedsNoKindWorksOnAny(_ command: [String]) async throws {
    let catalog = try unknownCatalog()
    let outcome = await InProcess.run(command + ["--catalog", catalog.path])
    #expect(outcome.status == 0, "\(outcome)")
    #expect(!outcome.output.isEmpty)
  }

  @Test func aLogOfAnyKindIsSealedAndItsBeginningSaved() async throws {
    let catalog = try unknownCatalog()
    let head = try await catalog.head()
    #expect(await catalog.run("seal").status == 0)
    #expect(try await catalog.head() == head)
    let rescued = catalog.folder.file("rescued")
    #expect(await catalog.run("salvage", rescued).status == 0)
    #expect(await catalog.run("salvage", catalog.folder.file("other"), "--past-gaps").status == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: catalog.path) == ["events"])
  }

  @Test(arguments: [
    ["rebuild"], ["verify"], ["diff", "1", "2"], ["query", "SELECT 1", "--at", "2"],
    ["blame", "book", "1"], ["receipt"], ["doctor"], ["history", "make"],
  ])
  func whatNeedsTheKindNamesThoseThatAreKnown(_ command: [String]) async throws {
    let catalog = try unknownCatalog()
    let outcome = await InProcess.run(command + ["--catalog", catalog.path])
    #expect(outcome.status == 1, "\(outcome)")
    #expect(
      outcome.errors
        == "catalogctl: this is a catalog of kind \"bookshelf\"; this program knows "
        + "\"sound-library\", \"concert-archive\", \"track-library\"; if it has tables of your own, the event that describes them is lost\n"
    )
    #expect(try FileManager.default.contentsOfDirectory(atPath: catalog.path) == ["events"])
  }

  @Test(arguments: [["items", "sfx"], ["tag", "list"], ["packs"]])
  func aCommandOfAnotherKindIsRefusedBeforeAnythingIsWritten(_ command: [String]) async throws {
    let catalog = try unknownCatalog()
    let outcome = await InProcess.run(command + ["--catalog", catalog.path])
    #expect(outcome.status == 1, "\(outcome)")
    #expect(
      outcome.errors
        == "catalogctl: this is a catalog of kind \"bookshelf\", not \"sound-library\"\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: catalog.path) == ["events"])
  }

  @Test func anImportIntoAnotherKindIsRefused() async throws {
    let catalog = try unknownCatalog()
    let bytes = try catalog.eventBytes()
    let seed = try catalog.folder.write(SampleSeed.text(revision: 1), to: "seed.json")
    let outcome = await catalog.run("import", seed)
    #expect(outcome.status == 1 && outcome.errors.contains("bookshelf"), "\(outcome)")
    #expect(try catalog.eventBytes() == bytes)
  }

  @Test func aCatalogIsBegunOnce() async throws {
    let catalog = try TestCatalog()
    #expect(await catalog.run("init", "--kind", "bookshelf").status == 64)
    #expect(await catalog.run("init", "--kind", "sound-library").status == 0)
    #expect(await catalog.run("init").status == 1)
    #expect(await catalog.run("log").output.contains(#""kind":"sound-library""#))
    #expect(try await catalog.program("verify").status == 0)
    let seed = try catalog.folder.write(SampleSeed.text(revision: 1), to: "seed.json")
    #expect(await catalog.run("import", seed).status == 0)
    #expect(try await catalog.program("verify").status == 0)
  }
}
