import CatalogTestSupport
import Promises
import Testing

/// Commands that read a document, with the document as a file and as standard input.
@Suite(
  .promise("For - a command reads standard input, and says of it what it says of a file"))
struct StandardInputTests {
  /// - Parameters:
  ///   - words: the command, before the document.
  ///   - document: what is read, of a catalog.
  private func comparing(
    _ words: [String], _ catalog: TestCatalog, _ document: String
  ) async throws -> Outcome {
    let file = try catalog.folder.write(document, to: "document.json")
    let place = ["--catalog", catalog.path]
    let named = try await Program.catalogctl(words + [file] + place)
    let piped = try await Program.shell(
      #""$CTL" "$@" - <"$FILE""#.replacing("\"$@\"", with: words.joined(separator: " "))
        + #" --catalog "$C""#,
      ["CTL": Program.catalogctl, "FILE": file, "C": catalog.path])
    #expect(piped.status == named.status, "\(words): \(piped)")
    #expect(piped.output == named.output.replacing(file, with: "standard input"))
    #expect(piped.errors == named.errors.replacing(file, with: "standard input"))
    return named
  }

  @Test func headsAndReceiptsAreRead() async throws {
    let catalog = try await TestCatalog.imported()
    let receipt = await catalog.run("receipt").output
    #expect(try await comparing(["verify"], catalog, receipt).status == 0)
    #expect(try await comparing(["verify"], catalog, "{}").status == 1)
    let other = receipt.replacing("\"sequence\"", with: "\"sequence\" ")
    #expect(try await comparing(["check", "--contains"], catalog, other).status == 0)
    let head = await catalog.run("head").output
    #expect(try await comparing(["check", "--contains"], catalog, head).status == 0)
    #expect(try await comparing(["check", "--contains"], catalog, "none\n").status == 1)
  }

  @Test func manifestsAreRead() async throws {
    let catalog = try await TestCatalog.imported()
    let manifest = """
      {"packId": "\(SampleSeed.sfxPack)", "version": 1, "totalBytes": 0, "assets": []}
      """
    #expect(
      try await comparing(["manifest", "apply", "--dry-run"], catalog, manifest).status == 2)
    #expect(try await comparing(["manifest", "apply"], catalog, "{\"packId\": 1}").status == 1)
  }

  @Test func descriptionsAreRead() async throws {
    let catalog = try TestCatalog()
    let text = #"{"kind": "odd", "tables": {"a": {"key": "b", "columns": {"b": "text"}}}}"#
    let made = try await Program.shell(
      #"printf '%s' "$TEXT" | "$CTL" init --describe - --catalog "$C""#,
      ["CTL": Program.catalogctl, "TEXT": text, "C": catalog.path])
    #expect(made.status == 0, "\(made)")
    #expect(try await comparing(["kind", "check"], catalog, text).status == 0)
    let faulty = text.replacing("columns", with: "colums")
    for words in [["kind", "check"], ["kind", "change"], ["init", "--describe"]] {
      let refused = try await comparing(words, catalog, faulty)
      #expect(refused.status == 1 && refused.errors.contains("colums"), "\(refused)")
    }
    let wider = text.replacing("\"b\": \"text\"", with: "\"b\": \"text\", \"c\": \"text?\"")
    #expect(
      try await comparing(["kind", "change", "--dry-run"], catalog, wider).status == 2)
  }
}
