import CatalogEngine
import CatalogModel
import CatalogStore
import CatalogTestSupport
import NotesKind
import Projections
import Promises
import Testing

/// An event that the projector refuses would stop every replay: it never gets into the log.
@Suite(
  .promise(
    "A change is appended only if every event of it can be read again, contradicts no row "
      + "and fits the tables"))
struct RefusedEventTests {
  @Test func whatTheProjectorRefusesIsNotAppended() async throws {
    let folder = try ScratchFolder()
    let directory = CatalogDirectory(folder.file("notes"))
    // Its projector refuses a note 2, after it has put one.
    let catalog = try await EventCatalog.open(directory, Notes(vice: .throwingAfterAChange))
    defer { catalog.close() }
    try await catalog.create(by: "test")
    try catalog.changeNow(by: "test") { _ in [NoteWritten(number: 1, text: "one")] }
    let before = try ScratchFolder.contents(directory.events)
    let receipt = try await catalog.opened.receipt()
    // The first of the two is fine, and is not appended either.
    let error = #expect(throws: ProjectionError.self) {
      try catalog.changeNow(by: "test") { _ in
        [NoteWritten(number: 3, text: "three"), NoteWritten(number: 2, text: "two")]
      }
    }
    #expect(error?.description.contains("there are two already") == true)
    #expect(try ScratchFolder.contents(directory.events) == before)
    #expect(try await catalog.opened.receipt() == receipt)
    try catalog.changeNow(by: "test") { _ in [NoteWritten(number: 3, text: "three")] }
    #expect(try await catalog.opened.receipt() != receipt)
  }
}
