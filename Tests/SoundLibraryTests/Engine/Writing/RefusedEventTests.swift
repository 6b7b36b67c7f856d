import CatalogModel
import CatalogStore
import Foundation
import Projections
import Promises
import Testing

@testable import CatalogEngine
@testable import SoundLibrary

/// An event that the projector refuses would stop every replay: it never gets into the log.
@Suite(
  .promise(
    "A change is appended only if every event of it can be read again, contradicts no row "
      + "and fits the tables",
    by: "on a real kind"))
struct RefusedEventTests {
  @Test func whatTheProjectorRefusesIsNotAppended() async throws {
    let scratch = try ScratchCatalog()
    let catalog = try await scratch.open()
    defer { catalog.close() }
    try await catalog.importer.applyUpdates(TestSeed.sample().source)
    let before = try scratch.logFiles
    let receipt = try await catalog.receipt()
    let pack = try #require(EntityID(TestSeed.id(100)))
    let item = try #require(EntityID(TestSeed.id(101)))
    // The first of the two is fine, and is not appended either.
    let error = #expect(throws: ProjectionError.self) {
      try catalog.change(by: "test") { _ in
        [
          .itemVisibilityChanged(ItemVisibilityChanged(id: item, isVisible: false)),
          .packDownloadProgressed(PackDownloadProgressed(pack: pack, bytesDownloaded: 5)),
        ]
      }
    }
    #expect(error?.description.contains("is not being downloaded") == true)
    #expect(try scratch.logFiles == before)
    #expect(try await catalog.receipt() == receipt)
    try catalog.change(by: "test") { _ in
      [.itemVisibilityChanged(ItemVisibilityChanged(id: item, isVisible: false))]
    }
    #expect(try await catalog.receipt() != receipt)
  }
}
