import CatalogTestSupport
import Foundation
import Testing

/// A catalog of described tables, on which the program works.
struct TableShop {
  let folder: ScratchFolder
  var catalog: String { folder.file("shop") }

  /// - Parameter kind: the description.
  init(_ kind: String) throws {
    folder = try ScratchFolder()
    let made = try run("init", "--describe", folder.write(kind, to: "kind.json"))
    try #require(made.status == 0, "\(made.everything)")
  }

  /// The catalog of another shop, with its log, in a folder of its own.
  init(copying other: TableShop) throws {
    folder = try ScratchFolder()
    try FileManager.default.copyItem(atPath: other.catalog, toPath: catalog)
  }

  func run(_ words: [String]) throws -> Program {
    try Program([BuiltProgram.path("catalogctl")] + words + ["--catalog", catalog])
  }

  func run(_ words: String...) throws -> Program { try run(words) }

  /// Imports a document.
  ///
  /// - Parameter table: the table, or the document of the description.
  @discardableResult
  func take(
    _ table: String, _ text: String, as name: String = "list.csv", _ options: String...
  ) throws -> Program {
    try run(["import", "\(table)=\(folder.write(text, to: name))"] + options)
  }

  /// The rows of a table as CSV, without the header.
  func rows(_ table: String, _ filters: String...) throws -> [String] {
    let listed = try run(["rows", table, "--csv"] + filters)
    try #require(listed.status == 0, "\(listed.everything)")
    return listed.output.split(separator: "\n").dropFirst().map(String.init)
  }

  /// Reads the log's head.
  func head() throws -> String { try run("head").output }
}
