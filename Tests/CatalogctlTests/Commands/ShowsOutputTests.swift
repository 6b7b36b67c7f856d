import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Lines that the commands of concert archives print.
@Suite(
  .promise(
    "Commands of concert archives name what an import removes, and the id that a wrong one "
      + "was meant to be"))
struct ShowsOutputTests {
  private static let examples = ScratchFolder.repository + "/Examples/Concerts"

  private static func archive(_ package: String) async throws -> TestCatalog {
    let archive = try TestCatalog()
    _ = await InProcess.run(["init", "--kind", "concert-archive", "--catalog", archive.path])
    let imported = await InProcess.run(
      ["shows", "import", "\(examples)/\(package)", "--catalog", archive.path])
    #expect(imported.status == 0, "\(imported.errors)")
    return archive
  }

  @Test func aDryRunNamesTheCollectionsThatGoAndTheirMemberships() async throws {
    let archive = try await Self.archive("data-v1.0.0")
    let plan = await InProcess.run(
      ["shows", "import", Self.examples + "/data-v1.1.0", "--dry-run", "--catalog", archive.path])
    #expect(plan.status == 2)
    #expect(
      plan.output.contains(
        """
        1 collection would be removed, 1 collection would lose shows: 5 of 10 memberships
          - best-of-boston  Best of Boston, 3 shows
          ~ overseas  Overseas, 2 of 3 shows
        """), "\(plan.output)")
  }

  @Test func anOlderPackageNeedsForce() async throws {
    let archive = try await Self.archive("data-v1.1.0")
    let package = Self.examples + "/data-v1.0.0"
    func run(_ options: String...) async -> (status: Int32, output: String, errors: String) {
      let run = await InProcess.run(
        ["shows", "import", package] + options + ["--catalog", archive.path])
      return (run.status, run.output, run.errors)
    }
    let both =
      "the package has version 1.0.0 (built 2026-01-05T09:00:00), which is older than that of the archive, "
      + "1.1.0 (built 2026-03-02T09:00:00)"
    let refused = await run()
    #expect(refused.status == 1)
    #expect(
      refused.errors.contains("\(both); nothing was appended; --force imports it"),
      "\(refused.errors)")
    let planned = await run("--dry-run")
    #expect(planned.status == 2)
    #expect(planned.errors.contains("\(both); the import needs --force"), "\(planned.errors)")
    #expect(await !run("--dry-run", "--force").errors.contains("--force"))
    let json = await run("--dry-run", "--format", "json").output
    #expect(json.contains("\"newerVersion\" : \"1.1.0\""), "\(json)")
    #expect(await run("--force").status == 0)
  }

  @Test func aPlaceThatNoShowHasIsNamedWithItsNearMisses() async throws {
    let archive = try await Self.archive("data-v1.0.0")
    func list(_ words: String...) async -> (status: Int32, output: String, errors: String) {
      let run = await InProcess.run(["shows", "list"] + words + ["--catalog", archive.path])
      return (run.status, run.output, run.errors)
    }
    let missed = await list("--city", "Bostn")
    #expect(missed.status == 0 && missed.output.isEmpty)
    #expect(
      missed.errors.contains("no show has the city \"Bostn\"; did you mean \"Boston\"?"),
      "\(missed.errors)")
    #expect(await list("--venue", "lantern").errors.contains("did you mean \"Lantern Hall"))
    let steering = await list("--state", "x\u{1b}").errors
    #expect(steering.contains("no show has the state \"x\\u{1b}\"\n"), "\(steering)")
    #expect(await list("--city", "BOSTON").output.contains("1970-02-13"))
    #expect(await list("--state", "new york").output.contains("1977-05-08"))
  }
}
