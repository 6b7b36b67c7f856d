import CatalogTestSupport
import Promises
import Testing

/// Wrong usage: exit status 64, the reason and the usage on standard error, nothing on output.
@Suite(
  .promise(
    "A policy, a document, an answer or an option has no number with which work never "
      + "begins, never ends, or a sum overflows"),
  .promise("Exit statuses are those of the table in CLI.md", by: "wrong usage"))
struct UsageTests {
  @Test(arguments: [
    (["frobnicate"], "frobnicate"),
    (["head", "--frobnicate"], "Unknown option '--frobnicate'"),
    (["head", "surplus"], "surplus"),
    (["import"], "Missing expected argument '<files>"),
    (["import", "seed.json", "--at", "someday"], "--at takes an ISO 8601 time"),
    (["import", "seed.json", "--at", "2026-13-01T00:00:00Z"], "not \"2026-13-01T00:00:00Z\""),
    (["import", "seed.json", "--at", ""], "--at takes an ISO 8601 time"),
    (["import", "seed.json", "--wait", "-1"], "--wait takes seconds from 0 to 86400"),
    (["import", "seed.json", "--wait", "nan"], "--wait takes seconds from 0 to 86400"),
    (["import", "seed.json", "--wait", "soon"], "soon"),
    (["import", "seed.json", "--wait=-1"], "--wait takes seconds from 0 to 86400"),
    (["head", "--format", "yaml"], "yaml"),
    (["head", "--catalog", ""], "--catalog needs a folder"),
    (["head", "--catalog"], "Missing value for '--catalog <dir>'"),
    (["log", "--type", "nonsense"], "there are no events of type \"nonsense\"; types: "),
    (["log", "--limit", "0"], "--limit takes 1 or more, not 0"),
    (["log", "--limit", "-5"], "--limit"),
    (["log", "--after", "-1"], "--after"),
    (["log", "--after", "18446744073709551616"], "18446744073709551616"),
    (["event"], "Missing expected argument '<seq>'"),
    (["event", "one"], "one"),
    (["event", "-1"], "Missing expected argument '<seq>'"),
    (["items"], "Missing expected argument '<kind>'"),
    (["items", "noise"], "noise"),
    (["items", "sfx", "--limit", "0"], "--limit takes 1 or more, not 0"),
    (["facets", "sfx", "--limit", "0"], "--limit takes 1 or more, not 0"),
    (["verify", "--rows", "0"], "--rows takes 1 or more, not 0"),
    (
      ["verify", "--rows", "9223372036854775807"],
      "--rows takes 1 to 9007199254740991, not 9223372036854775807"
    ),
    (["log", "--newest", "--limit", "9223372036854775807"], "--limit takes 1 to 9007199254740991"),
    (["items", "sfx", "--limit", "9007199254740992"], "--limit takes 1 to 9007199254740991"),
    (["search", "a", "--limit", "9223372036854775807"], "--limit takes 1 to 9007199254740991"),
    (["facets", "sfx", "--limit", "9007199254740992"], "--limit takes 1 to 9007199254740991"),
    (["stats", "--limit", "9007199254740992"], "--limit takes 1 to 9007199254740991"),
    (["diff", "1", "2", "--rows", "9007199254740992"], "--rows takes 1 to 9007199254740991"),
    (["import", "seed.json", "--wait", "86401"], "--wait takes seconds from 0 to 86400"),
    (["replay", "--mode", "backwards", "--through", "1", "--out", "x"], "backwards"),
  ])
  func wrongUsageExits64(arguments: [String], says: String) async throws {
    let folder = try ScratchFolder()
    let hasCatalog = arguments.contains("--catalog") || arguments == ["frobnicate"]
    let outcome = await InProcess.run(
      arguments + (hasCatalog ? [] : ["--catalog", folder.file("catalog")]))
    #expect(outcome.status == 64)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("Error: "), "\(outcome)")
    #expect(outcome.errors.contains(says), "\(outcome)")
    #expect(outcome.errors.contains("Usage: catalogctl"), "\(outcome)")
    #expect(!folder.exists("catalog"))
  }

  @Test(arguments: [
    (["serch", "wolf"], "there is no command \"serch\"; did you mean \"search\"?", "catalogctl"),
    (["Import"], "there is no command \"Import\"; did you mean \"import\"?", "catalogctl"),
    (["frobnicate"], "there is no command \"frobnicate\"\n", "catalogctl"),
    (["help", "dif"], "there is no command \"dif\"; did you mean \"diff\"?", "catalogctl"),
    (["tag", "ad"], "there is no command \"ad\" of tag; did you mean \"add\"?", "catalogctl tag"),
    (["help", "tag", "lst"], "\"lst\" of tag; did you mean \"list\"?", "catalogctl tag"),
    (["manifest", "aply"], "\"aply\" of manifest; did you mean \"apply\"?", "catalogctl manifest"),
    (["rplay"], "there is no command \"rplay\"\n", "catalogctl"),
    (["items", "sfx", "--sot", "title"], "'--sot'. Did you mean '--sort'?", "catalogctl items"),
  ])
  func aNearMissIsSuggested(arguments: [String], says: String, usage: String) async throws {
    let outcome = await InProcess.run(arguments)
    #expect(outcome.status == 64)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("Error: "), "\(outcome)")
    #expect(outcome.errors.contains(says), "\(outcome)")
    #expect(outcome.errors.contains("\nUsage: \(usage) "), "\(outcome)")
    #expect(outcome.errors.contains("  See '\(usage) --help' for more information."), "\(outcome)")
  }

  @Test func usageThatIsFoundLateNamesTheWholeCommand() async throws {
    let catalog = try await SharedCatalogs.sample.value
    for (arguments, command) in [
      (["blame", "library_items", "x"], "blame"),
      (["items", "music", "--creature", "Undead"], "items"),
      (["tag", "add", SampleSeed.id(1), "--creature", "Undead"], "tag add"),
    ] {
      let outcome = await InProcess.run(arguments + ["--catalog", catalog.path])
      #expect(outcome.status == 64)
      #expect(outcome.errors.contains("\nUsage: catalogctl \(command) "), "\(outcome)")
      #expect(outcome.errors.contains("  See 'catalogctl \(command) --help' for"), "\(outcome)")
    }
  }
}
