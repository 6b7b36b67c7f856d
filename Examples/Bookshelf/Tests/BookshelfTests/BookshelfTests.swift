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

  /// Every command of the page about this package prints what the page says, and the page has the package's code.
  @Test func thePageIsTrue() throws {
    let root = (1...5).reduce(URL(filePath: #filePath)) { path, _ in
      path.deletingLastPathComponent()
    }
    let check = Process()
    check.executableURL = URL(filePath: "/usr/bin/env")
    check.arguments = [
      "python3", root.path + "/Tools/check-pages", root.path + "/docs/YOUR_OWN_KIND.md",
    ]
    check.environment = ProcessInfo.processInfo.environment.merging(["CATALOGCTL": shelfctl]) { $1 }
    let output = Pipe()
    check.standardOutput = output
    try check.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    check.waitUntilExit()
    #expect(check.terminationStatus == 0, "\(text)")
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
