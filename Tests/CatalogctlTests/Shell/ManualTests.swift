import CatalogTestSupport
import Foundation
import Promises
import Testing

/// The manual pages that `Tools/make-manual` writes.
@Suite(
  .promise("Each command has a manual page that mandoc and groff accept without a warning"))
struct ManualTests {
  private static let folder = Task {
    let folder = try ScratchFolder()
    let made = try await Program.run(
      "\(Program.package)/Tools/make-manual", [Program.catalogctl, folder.path])
    try #require(made.status == 0 && made.errors.isEmpty, "\(made)")
    return folder
  }

  private static let hasGroff = FileManager.default.isExecutableFile(atPath: "/usr/bin/groff")

  private func pages() async throws -> [String: String] {
    let folder = try await Self.folder.value.file("man1")
    var pages: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      pages[name] = "\(folder)/\(name)"
    }
    return pages
  }

  private func text(of page: String) async throws -> String {
    let outcome = try await Program.run("mandoc", ["-Tutf8", "-Owidth=200", page])
    try #require(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    // Bold and underlined letters are struck twice.
    return outcome.output.replacing(/.\u{8}/, with: "")
  }

  @Test func everyCommandHasAPageWithItsOptions() async throws {
    let commands = try await CommandTree.root.value.all
    let pages = try await pages()
    #expect(
      Set(pages.keys)
        == Set(commands.map { (["catalogctl"] + $0.words).joined(separator: "-") + ".1" }))
    for command in commands where !command.words.isEmpty {
      let name = (["catalogctl"] + command.words).joined(separator: "-") + ".1"
      let text = try await text(of: try #require(pages[name]))
      var words = [command.words.joined(separator: " ")]
      for argument in command.arguments ?? [] where argument.shouldDisplay {
        words += (argument.names ?? []).filter { $0.kind == "long" }.map { "--\($0.name)" }
        if argument.kind != "flag" { words.append(try #require(argument.valueName)) }
      }
      #expect(words.filter { !text.contains($0) } == [], "\(name)")
    }
  }

  @Test func mandocHasNothingToSay() async throws {
    let paths = try await pages().values.sorted()
    let lint = try await Program.run("mandoc", ["-Tlint", "-Wstyle"] + paths)
    // Where a page is installed is not known here; the next test looks at what pages refer to.
    let said = lint.lines.filter { !$0.contains("referenced manual not found") }
    #expect(said.isEmpty)
    #expect(lint.errors.isEmpty)
  }

  @Test(.enabled(if: hasGroff, "there is no groff here: apt-get install groff-base"))
  func groffHasNothingToSay() async throws {
    for path in try await pages().values {
      let outcome = try await Program.run("groff", ["-mdoc", "-Tutf8", "-ww", "-z", path])
      #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(path): \(outcome)")
    }
  }

  @Test func pagesReferToPagesThatAreThere() async throws {
    let pages = try await pages()
    for (name, path) in pages {
      for match in try String(contentsOfFile: path, encoding: .utf8).matches(
        of: /Xr (catalogctl[a-z-]*) 1/)
      {
        #expect(pages["\(match.output.1).1"] != nil, "\(name)")
      }
    }
  }

  @Test func theMainPageTellsOfExitStatusesEnvironmentAndFiles() async throws {
    let path = try #require(try await pages()["catalogctl.1"])
    let text = try await text(of: path)
    let lines = text.split(separator: "\n")
    for word in [
      "CATALOG_HOME", "XDG_DATA_HOME", "NO_COLOR", "catalog.sqlite", "events/", "AudioAssets/",
    ] {
      #expect(text.contains(word), "\(word)")
    }
    for status in ["0", "1", "2", "3", "64", "130"] {
      #expect(lines.contains { $0.hasPrefix("     \(status) ") }, "\(status)")
    }
    // The groups of the help are those of the page.
    for group in ["Catalog", "Tags", "Packs", "History", "Replay", "Care"] {
      #expect(lines.contains("   \(group)"), "\(group)")
    }
  }
}
