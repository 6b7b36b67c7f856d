import CatalogStore
import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import EngineCommands

/// Quoted texts, read back by the programs for which they are quoted.
@Suite(
  .promise("A text that is quoted for a shell or SQL is read back as it was"))
struct QuotingTests {
  /// A quote that a combining mark follows is one character with it, and was not seen as a quote.
  private static func texts() -> [String] {
    var random = SeededGenerator("quoted texts")
    let pieces = ["'", "\u{301}", "\"", "`", "$(echo no)", "a", " ", "\\", "é", ";", "\u{200D}"]
    let texts = (0..<60).map { _ in
      (0..<random.below(12)).map { _ in pieces[random.below(pieces.count)] }.joined()
    }
    return ["'\u{301}; echo no #", "a'\u{301}b"] + texts
  }

  @Test func aShellReadsWordsBack() async throws {
    let texts = Self.texts()
    let words = texts.map(ShellWord.quoted).joined(separator: " ")
    let read = try await Program.run("bash", ["-c", "printf '%s\\0' \(words)"])
    #expect(read.output == texts.map { $0 + "\0" }.joined())
  }

  @Test func sqliteReadsLiteralsBack() async throws {
    let texts = Self.texts()
    let literals = texts.map { "hex(\(StoredValue.text($0)))" }
    let read = try await Program.run(
      "sqlite3", [":memory:", "SELECT " + literals.joined(separator: ", ")])
    let hexes = texts.map { text in text.utf8.map { String(format: "%02X", $0) }.joined() }
    #expect(read.output == hexes.joined(separator: "|") + "\n", "\(read.errors)")
  }
}
