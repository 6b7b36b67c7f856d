import CatalogTestSupport
import Foundation
import Testing

/// A repository, and a catalog that imports a file of it.
struct GitShop {
  let folder: ScratchFolder
  let repository: String
  let catalog: String
  /// The document of most tests.
  var document: String { "products=\(repository):products.csv" }
  private let clock = Counter()

  /// Counts the commits, whose times are an hour apart.
  private final class Counter {
    var count = 0
  }

  init() throws {
    folder = try ScratchFolder()
    repository = folder.file("lists")
    catalog = folder.file("catalog")
    try git(in: folder.path, "init", "-q", "-b", "main", repository)
  }

  /// The time of a commit, by its number from 0.
  static func stamp(_ number: Int) -> String {
    "2026-01-02T\(number < 10 ? "0" : "")\(number):00:00.000Z"
  }

  // MARK: Git

  func git(in place: String? = nil, _ words: String...) throws {
    let run = try Program(["git", "-C", place ?? repository] + words)
    try #require(run.status == 0, "\(run.everything)")
  }

  /// Commits a version of `products.csv`.
  func commit(_ text: String) throws {
    try text.write(toFile: repository + "/products.csv", atomically: true, encoding: .utf8)
    try commitAll()
  }

  func commitAll() throws {
    try git("add", "-A")
    let time = Self.stamp(clock.count)
    clock.count += 1
    let run = try Program(
      "env", "GIT_COMMITTER_DATE=\(time)", "GIT_AUTHOR_DATE=2020-01-01T00:00:00Z", "git", "-C",
      repository, "-c", "user.name=c", "-c", "user.email=c@x", "commit", "-q", "--allow-empty",
      "-m",
      "v")
    try #require(run.status == 0, "\(run.everything)")
  }

  func tip() throws -> String {
    try Program("git", "-C", repository, "rev-parse", "HEAD").output
      .trimmingCharacters(in: .newlines)
  }

  /// Makes generated versions of files.
  func make(seed: Int, versions: Int, _ names: [String]) throws {
    let run = try Program(
      ["python3", Self.program, "make", repository, String(seed), String(versions)] + names)
    try #require(run.status == 0, "\(run.everything)")
  }

  private static var program: String {
    ScratchFolder.repository + "/Tests/DescribedTablesTests/Git/versions.py"
  }

  // MARK: Catalog

  func run(_ words: String...) throws -> Program {
    try Program([BuiltProgram.path("catalogctl")] + words + ["--catalog", catalog])
  }

  @discardableResult
  func initialize(_ table: String? = nil) throws -> Program {
    let run = try run("init", "--table", table ?? document, "--git", "--key", "sku")
    try #require(run.status == 0, "\(run.everything)")
    return run
  }

  /// Imports the versions of `products.csv`, with options.
  func importing(_ words: String...) throws -> Program { try importing([document] + words) }

  func importing(_ words: [String]) throws -> Program {
    try Program(
      [BuiltProgram.path("catalogctl"), "import", "--git", "--catalog", catalog] + words)
  }

  /// The rows of `products` as CSV, without the header.
  func rows() throws -> String {
    let run = try run("rows", "products", "--csv")
    try #require(run.status == 0, "\(run.everything)")
    return run.output.split(separator: "\n").dropFirst().map { $0 + "\n" }.joined()
  }

  /// The rows of `products` with `sku`, `n`, `note`, `old`, at a commit.
  func answer(at number: Int) throws -> [[String]] {
    let run = try run(
      "query", "SELECT sku, n, note, old FROM products ORDER BY sku", "--at", Self.stamp(number),
      "--format", "json")
    try #require(run.status == 0, "\(run.everything)")
    let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    let rows = try #require(json?["rows"] as? [[Any]])
    return rows.map { row in row.map { $0 is NSNull ? "null" : "\($0)" } }
  }

  /// Makes sure that an independent reader finds each version in the catalog.
  func requireSame(_ tables: [String], _ comment: Comment) throws {
    let run = try Program(
      ["python3", Self.program, "check", repository, BuiltProgram.path("catalogctl"), catalog]
        + tables)
    #expect(run.status == 0, "\(comment): \(run.everything)")
  }
}
