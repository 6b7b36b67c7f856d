import ArgumentParser
import CatalogTestSupport
import Promises
import Testing

@testable import EngineCommands
@testable import SoundLibraryCommands

/// `head` is found without the parser only where the parser would find the same.
@Suite(
  .promise(
    "`head`, `log` and `event` show the log as it is stored, and `head` is the same "
      + "without the argument parser"))
struct PlainHeadTests {
  private static let words = [
    "--catalog", "--format", "a folder", "json", "text", "xml", "", "-x", "--", "--help", "-h",
    "--catalog=x", "--format=json", "head", "--version",
  ]

  @Test func whatIsReadWithoutTheParserIsWhatTheParserReads() throws {
    var random = SplitMix(seed: 1)
    var plain = 0
    for _ in 0..<3_000 {
      let arguments =
        [random.below(9) == 0 ? "heads" : "head"]
        + (0..<random.below(6)).map { _ in
          random.pick(random.below(2) == 0 ? Self.words : Array(Self.words.prefix(5)))
        }
      guard let head = HeadFastPath(arguments) else { continue }
      plain += 1
      let parsed = try HeadCommand.parse(Array(arguments.dropFirst()))
      #expect(head.catalog == parsed.options.location.catalog, "\(arguments)")
      #expect(head.format == parsed.options.format, "\(arguments)")
    }
    #expect(plain > 100)
  }

  @Test(arguments: [
    ["head"], ["head", "--catalog", "x"], ["head", "--format", "json"],
    ["head", "--format", "text", "--catalog", "x"], ["head", "--catalog", "x", "--format", "json"],
  ])
  func whatScriptsAskNeedsNoParser(_ arguments: [String]) {
    #expect(HeadFastPath(arguments) != nil)
  }
}
