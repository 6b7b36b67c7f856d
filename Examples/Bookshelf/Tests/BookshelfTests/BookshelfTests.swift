import Bookshelf
import CatalogEngine
import Foundation
import KindConformance
import Testing

@Suite struct BookshelfTests {
  private let momo = EntityID(UUID())
  private let emil = EntityID(UUID())

  /// The program that is built with these tests.
  private var shelfctl: String {
    let bundle = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
    return bundle.deletingLastPathComponent().appending(path: "shelfctl").path
  }

  @Test func itKeepsWhatTheEnginePromises() async throws {
    let batches: [[BookEvent]] = [
      [.added(momo, title: "Momo"), .added(emil, title: "Emil")],
      [.lent(momo, to: "Ida")],
      // She has it already.
      [.lent(momo, to: "Paul")],
      [.returned(momo), .lent(emil, to: "Ida")],
    ]
    let findings = try await KindConformance(Bookshelf(), batches: batches, program: shelfctl)
      .findings()
    #expect(findings.isEmpty, "\(findings)")
  }

  @Test func aBookIsLentOnce() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "shelf-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let shelf = try await EventCatalog.open(CatalogDirectory(folder.path), Bookshelf())
    defer { shelf.close() }
    try await shelf.create(by: "person")
    let (momo, emil) = (momo, emil)
    try await shelf.change(by: "person") { _ in
      [.added(momo, title: "Momo"), .added(emil, title: "Emil")]
    }
    try await shelf.change(by: "person") { _ in [.lent(momo, to: "Ida")] }
    await #expect(throws: ProjectionError.self) {
      try await shelf.change(by: "person") { _ in [.lent(momo, to: "Paul")] }
    }
    let lent = try await shelf.rows(of: Book.table, where: "reader IS NOT NULL")
    #expect(lent.map(\.title) == ["Momo"])
    #expect(try await shelf.row(of: Book.table, key: emil)?.reader == nil)
    try await shelf.rebuild()
    #expect(
      try await shelf.rows(of: Book.table, where: "title = ?", ["Momo"]).map(\.reader) == ["Ida"])
  }
}
