import CatalogTestSupport
import Foundation
import Promises
import Testing

/// The examples of docs/SEEDS.md are imported, and fit their schemas.
@Suite(
  .promise(
    "Readers of our own documents and their schemas take the same, and the page has every key",
    by: "the page's examples are imported"))
struct SeedsPageTests {
  /// Writes each example into the file that it names.
  private func examples(to folder: ScratchFolder) throws -> [String] {
    let page = try String(contentsOfFile: Program.package + "/docs/SEEDS.md", encoding: .utf8)
    return try page.matches(of: /```json ([^\n]+)\n(.*?\n)```\n/.dotMatchesNewlines()).map {
      example in
      let name = String(example.1)
      let path = folder.file(name)
      try FileManager.default.createDirectory(
        atPath: URL(filePath: path).deletingLastPathComponent().path,
        withIntermediateDirectories: true)
      try String(example.2).write(toFile: path, atomically: true, encoding: .utf8)
      return name
    }
  }

  private static let schemas = [
    "seed.json": "seed", "manifest.json": "pack-manifest", "library.json": "library",
    "saved-shows.json": "saved-shows",
    "concerts/manifest.json": "concert-manifest",
    "concerts/collections.json": "concert-collections",
    "concerts/shows/1977-05-08-lantern-hall.json": "concert-show",
    "concerts/recordings/lk1977-05-08.sbd.hart.101.json": "concert-recording",
  ]

  @Test func everyExampleFitsItsSchemaAndHasEveryKey() async throws {
    let folder = try ScratchFolder()
    #expect(Set(try examples(to: folder)) == Set(Self.schemas.keys))
    for (name, schema) in Self.schemas {
      let check = try await Program.run(
        "\(Program.package)/Tools/check-input", [schema, folder.file(name)])
      #expect(check.status == 0, "\(check)")
    }
  }

  @Test func everyExampleIsImported() async throws {
    let folder = try ScratchFolder()
    _ = try examples(to: folder)
    func run(_ arguments: String..., in catalog: String) async -> Outcome {
      await InProcess.run(arguments + ["--catalog", folder.file(catalog)])
    }
    let seed = await run("import", folder.file("seed.json"), in: "sounds")
    #expect(seed.status == 0, "\(seed)")
    let manifest = await run("manifest", "apply", folder.file("manifest.json"), in: "sounds")
    #expect(manifest.status == 0 && manifest.errors.isEmpty, "\(manifest)")
    let found = await run("search", "groan", in: "sounds")
    #expect(found.output.contains("Groan"), "\(found)")

    _ = await run("init", "--kind", "concert-archive", in: "concerts-catalog")
    let shows = await run("shows", "import", folder.file("concerts"), in: "concerts-catalog")
    #expect(shows.status == 0, "\(shows)")
    #expect(shows.output.contains("1 show, 1 recording, 1 collection, 0 unlisted"))
    let saved = await run(
      "shows", "restore", folder.file("saved-shows.json"), in: "concerts-catalog")
    #expect(saved.status == 0 && saved.errors.isEmpty, "\(saved)")

    _ = await run("init", "--kind", "track-library", in: "tracks-catalog")
    let tracks = await run("tracks", "import", folder.file("library.json"), in: "tracks-catalog")
    #expect(tracks.status == 0 && tracks.errors.isEmpty, "\(tracks)")
    #expect(tracks.output.contains("1 track, 1 playlist"))
  }

  /// The small documents of the help of the commands, typed into the files that it names.
  @Test func everyDocumentOfAHelpIsImported() async throws {
    let folder = try ScratchFolder()
    func write(_ command: String...) async throws {
      let help = await InProcess.run(command + ["--help"]).output
      let documents = help.matches(of: /A small (?:\w+, )?([^\n]+\.json):\n((?:  [^\n]*\n)+)/)
      try #require(!documents.isEmpty, "\(help)")
      for document in documents {
        let path = folder.file("\(command[0])/\(document.1)")
        try FileManager.default.createDirectory(
          atPath: URL(filePath: path).deletingLastPathComponent().path,
          withIntermediateDirectories: true)
        try String(document.2).write(toFile: path, atomically: true, encoding: .utf8)
      }
    }
    try await write("import")
    try await write("manifest", "apply")
    try await write("shows", "import")
    try await write("tracks", "import")
    let imports = [
      ("sound-library", ["import", folder.file("import/seed.json")]),
      ("sound-library", ["manifest", "apply", folder.file("manifest/manifest.json")]),
      ("concert-archive", ["shows", "import", folder.file("shows")]),
      ("track-library", ["tracks", "import", folder.file("tracks/library.json")]),
    ]
    for (kind, arguments) in imports {
      let catalog = ["--catalog", folder.file("catalog-\(kind)")]
      _ = await InProcess.run(["init", "--kind", kind] + catalog)
      let outcome = await InProcess.run(arguments + catalog)
      #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    }
  }
}
