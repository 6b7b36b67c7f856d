import CatalogTestSupport
import Foundation
import Testing

/// A database of another program, written by `sqlite3` or Python, and the catalog that adopts it.
struct ForeignDatabase {
  let folder: ScratchFolder
  /// The other program's folder.
  let home: String
  let path: String
  let catalog: String

  init(_ sql: String = "", name: String = "app.sqlite") throws {
    folder = try ScratchFolder()
    home = folder.file("home")
    path = home + "/" + name
    catalog = folder.file("catalog")
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    if !sql.isEmpty { try execute(sql) }
  }

  /// Carries statements out and closes the database.
  func execute(_ sql: String) throws {
    let run = try Program(["sqlite3", path, sql])
    try #require(run.status == 0, "\(run.everything)")
  }

  /// Runs a program of Python.
  @discardableResult
  func python(_ text: String, _ arguments: String...) throws -> String {
    let program = try folder.write(text, to: "program.py")
    let run = try Program(["python3", program] + arguments)
    try #require(run.status == 0, "\(run.everything)")
    return run.output
  }

  /// Runs a command of the program.
  func run(_ words: String...) throws -> Program {
    try Program([BuiltProgram.path("catalogctl")] + words + ["--catalog", catalog])
  }

  /// Adopts the database and makes sure that each cell is in the catalog.
  func adopt(_ words: String...) throws -> Program {
    let run = try Program(
      [BuiltProgram.path("catalogctl"), "adopt", path, "--catalog", catalog] + words)
    try #require(run.status == 0, "\(run.everything)")
    try requireSame()
    return run
  }

  /// Imports the database and makes sure that each cell is in the catalog.
  func take(_ words: String...) throws -> Program {
    let run = try Program(
      [BuiltProgram.path("catalogctl"), "import", path, "--catalog", catalog] + words)
    try #require(run.status == 0, "\(run.everything)")
    try requireSame()
    return run
  }

  /// Makes sure that an independent reader finds the same cells in the database and in the catalog.
  func requireSame() throws {
    let reader =
      ScratchFolder.repository + "/Tests/DescribedTablesTests/Databases/adopted.py"
    let compared = try Program(["python3", reader, path, catalog + "/catalog.sqlite"])
    try #require(compared.status == 0, "\(compared.everything)")
  }

  /// The last event's number; 0 if there is no catalog.
  func head() throws -> Int {
    let run = try run("head")
    return Int(run.output.split(separator: " ").first ?? "") ?? 0
  }

  /// The names, bytes and times of the files of the other program's folder.
  func files() throws -> [String] {
    try Program([
      "sh", "-c", "cd \"$0\" && stat -c '%n %s %Y %Z %i' . * && sha256sum *", home,
    ]).output.split(separator: "\n").map(String.init)
  }
}
