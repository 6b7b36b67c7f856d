import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Errors as a program reads them.
@Suite(
  .promise(
    "With `--format json` an error is an object on standard error, with a code that stays and what to type"
  ))
struct FailureTests {
  private func only(_ outcome: Outcome) throws -> [String: Any] {
    let failures = try outcome.failures()
    try #require(failures.count == 1 && outcome.output.isEmpty, "\(outcome)")
    #expect(failures[0]["status"] as? Int == Int(outcome.status))
    return failures[0]
  }

  @Test(arguments: [
    (["items", "sfx", "--json", "--limit", "x"], "usage", 64),
    (["itms", "--format", "json"], "usage", 64),
    (["query", "--format=json", "SELEC 1"], "sqlRefused", 1),
    (["import", "nothing.json", "--format", "json"], "fileMissing", 1),
    (["item", "00000000-0000-4000-8000-000000000000", "--format", "json"], "notFound", 1),
    (["import", "nothing.json", "--format", "jsonl"], "fileMissing", 1),
  ])
  func hasItsCode(words: [String], code: String, status: Int32) async throws {
    let catalog = try await TestCatalog.imported()
    let outcome = await InProcess.run(words + ["--catalog", catalog.path])
    let failure = try only(outcome)
    #expect(failure["error"] as? String == code && outcome.status == status, "\(outcome)")
    // Text has the same sentence.
    let plain = words.filter {
      !["--json", "--format=json", "--format", "json", "jsonl"].contains($0)
    }
    let text = await InProcess.run(plain + ["--catalog", catalog.path])
    let message = try #require(failure["message"] as? String)
    #expect(text.errors.contains(message.prefix { $0 != ";" }), "\(text)")
    #expect(try text.status == status && text.failures().isEmpty, "\(text)")
  }

  @Test func aMissingCatalogIsTheSameByEveryWay() async throws {
    let folder = try ScratchFolder()
    for words in [["head"], ["stats"]] {
      let outcome = await InProcess.run(
        words + ["--format", "json", "--catalog", folder.file("nothing")])
      #expect(try only(outcome)["error"] as? String == "noCatalog")
    }
  }

  @Test func aDamagedLogSaysWhatToType() async throws {
    let catalog = try await TestCatalog.imported()
    var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: catalog.firstSegment)))
    bytes[bytes.count / 2] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: catalog.firstSegment))
    let failure = try only(await catalog.run("verify", "--format", "json"))
    #expect(failure["status"] as? Int == 3)
    #expect((failure["recovery"] as? [String])?.isEmpty == false, "\(failure)")
  }

  @Test func eachFaultOfADocumentHasItsPlace() async throws {
    let catalog = try TestCatalog()
    let seed = "{\"format\": 1, \"seedId\": \"a b\",\n \"revision\": \"one\"}"
    let outcome = try await catalog.importSeed(seed, "--format", "json")
    let failures = try outcome.failures()
    #expect(failures.map { $0["error"] as? String } == ["invalidValue", "wrongType"], "\(outcome)")
    #expect(failures.map { $0["path"] as? String } == ["$.seedId", "$.revision"], "\(outcome)")
    #expect(failures.allSatisfy { $0["offset"] is Int && $0["file"] is String }, "\(outcome)")
  }
}
