import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Every command that reads documents, given each document that another one reads.
@Suite(
  .promise(
    "A document that another command reads is named, with that command, and nothing is changed"))
struct MisreadDocumentTests {
  /// A document, and what an error says of it.
  struct Document: Sendable, CustomStringConvertible {
    let file: String
    let text: String
    let name: String
    /// Commands without the program's name, in the order in which a person types them.
    let advice: [String]
    var description: String { file }
  }

  private static let documents = [
    Document(
      file: "seed.json", text: #"{"format": 1, "seedId": "harbour", "revision": 1}"#,
      name: "a seed of a sound library", advice: ["init --kind sound-library", "import"]),
    Document(
      file: "manifest.json",
      text:
        #"{"packId": "3f2a8c10-5b1e-4d7a-9c33-0a1b2c3d4e02", "version": 1, "totalBytes": 0, "assets": []}"#,
      name: "the manifest of a pack of sounds",
      advice: ["init --kind sound-library", "manifest apply"]),
    Document(
      file: "library.json", text: #"{"tracks": [], "collections": []}"#,
      name: "the document of a track library",
      advice: ["init --kind track-library", "tracks import"]),
    Document(
      file: "package.json", text: #"{"package": {"name": "Lanterns", "version": "1.0.0"}}"#,
      name: "the manifest of a package of concerts, which is a folder",
      advice: ["init --kind concert-archive", "shows import FOLDER"]),
    Document(
      file: "kind.json",
      text: #"{"kind": "shop", "tables": {"a": {"key": "b", "columns": {"b": "text"}}}}"#,
      name: "a description of tables", advice: ["init --describe FILE"]),
    Document(
      file: "list.csv", text: "sku,name\n1,Tap\n", name: "a table",
      advice: ["init --table NAME=FILE", "import NAME=FILE"]),
  ]

  /// A command, the kind of the catalog that it works on, and the documents that it reads.
  private static let commands: [(words: [String], kind: String?, reads: Set<String>)] = [
    (["import"], nil, ["seed.json"]),
    (["import"], "sound-library", ["seed.json"]),
    (["manifest", "apply"], "sound-library", ["manifest.json"]),
    // It says which columns a table of tracks has.
    (["tracks", "import"], "track-library", ["library.json", "list.csv"]),
    (["kind", "check"], "shop", ["kind.json"]),
    (["kind", "change"], "shop", ["kind.json"]),
    (["init", "--describe"], nil, ["kind.json"]),
  ]

  @Test(arguments: documents)
  func aDocumentOfAnotherCommandIsNamed(document: Document) async throws {
    let folder = try ScratchFolder()
    let file = try folder.write(document.text, to: document.file)
    for (place, command) in Self.commands.enumerated() {
      let path = folder.file("catalog \(place)")
      if let kind = command.kind {
        let how =
          kind == "shop"
          ? ["--describe", ScratchFolder.repository + "/Examples/Tables/kind.json"]
          : ["--kind", kind]
        try #require(
          await InProcess.run(["init", "--catalog", path] + how).status == 0)
      }
      let before = folder.exists("catalog \(place)/events")
      let outcome = await InProcess.run(command.words + [file, "--catalog", path])
      guard !command.reads.contains(document.file) else {
        #expect(!outcome.errors.contains("this is \(document.name);"), "\(command): \(outcome)")
        continue
      }
      #expect(outcome.status == 1 && outcome.output.isEmpty, "\(command): \(outcome)")
      // In a catalog that reads it, nothing has to be made first.
      let isHere =
        document.advice.count > 1
        && (command.kind == "shop"
          ? document.file == "list.csv"
          : command.kind.map(document.advice[0].hasSuffix) ?? false)
      let commands = (isHere ? Array(document.advice.dropFirst()) : document.advice)
        .map { "`catalogctl \($0)`" }
      let sentence =
        isHere
        ? "\(commands[0]) reads it"
        : commands.count == 1
          ? "\(commands[0]) makes a catalog of it"
          : "\(commands[0]) makes a catalog for it, and \(commands[1]) reads it there"
      #expect(
        outcome.errors == "catalogctl: \(file): this is \(document.name); \(sentence)\n",
        "\(command)")
      #expect(folder.exists("catalog \(place)/events") == before)
    }
  }

  /// A person follows the error's advice.
  @Test(arguments: documents)
  func theAdviceWorks(document: Document) async throws {
    let folder = try ScratchFolder()
    let file = try folder.write(document.text, to: document.file)
    for command in document.advice {
      var words = command.split(separator: " ").map(String.init)
      switch words.last {
      case "FOLDER": words[words.count - 1] = folder.path
      case "FILE": words[words.count - 1] = file
      case "NAME=FILE": words[words.count - 1] = "goods=\(file)"
      default: if words[0] != "init" { words.append(file) }
      }
      if command.hasSuffix("init --table NAME=FILE") { words += ["--key", "sku"] }
      let outcome = await InProcess.run(words + ["--catalog", folder.file("catalog")])
      // The manifest's pack is not there, and the folder has no shows: that is another fault.
      #expect(!outcome.errors.contains("this is") && outcome.status != 64, "\(outcome)")
      if !["manifest.json", "package.json"].contains(document.file) {
        #expect(outcome.status == 0, "\(outcome)")
      }
    }
  }

  /// Tables as other programs write them.
  @Test(arguments: [
    "\"sku\",\"name\"\n1,Tap\n", "1;2;3\n4;5;6\n", "\nsku\n1\n", "-,a\n",
  ])
  func aTableIsKnownByItsEnding(text: String) async throws {
    let folder = try ScratchFolder()
    let file = try folder.write(text, to: "list.csv")
    let outcome = await InProcess.run(["import", file, "--catalog", folder.file("catalog")])
    #expect(outcome.errors.contains("\(file): this is a table; "), "\(outcome)")
  }

  /// JSON with a fault is not a table, whatever its file is called, and a description with faults has them listed by each command
  /// that reads one.
  @Test func faultsOfItsOwnAreListed() async throws {
    let folder = try ScratchFolder()
    let path = folder.file("catalog")
    let kind = ScratchFolder.repository + "/Examples/Tables/kind.json"
    try #require(
      await InProcess.run(["init", "--catalog", path, "--describe", kind]).status == 0)
    let broken = try folder.write("{\"seedId\": \"a\",}", to: "list.csv")
    let refused = await InProcess.run(["import", broken, "--catalog", folder.file("other")])
    #expect(!refused.errors.contains("this is a table"), "\(refused)")
    let faulty = try folder.write(
      #"{"kind": "shop", "tables": {"a": {"key": "b", "colums": {"b": "text"}}}}"#,
      to: "faulty.json")
    for words in [
      ["kind", "check"], ["kind", "change"], ["projection", "diff"], ["init", "--describe"],
    ] {
      let outcome = await InProcess.run(words + [faulty, "--catalog", path])
      #expect(outcome.status == 1 && outcome.errors.contains("colums"), "\(words): \(outcome)")
    }
  }

  /// Tables may have any shape: the faults are those of the table.
  @Test func anImportOfTablesNamesItsFaults() async throws {
    let folder = try ScratchFolder()
    let path = folder.file("catalog")
    let kind = ScratchFolder.repository + "/Examples/Tables/kind.json"
    try #require(
      await InProcess.run(["init", "--catalog", path, "--describe", kind]).status == 0)
    let file = try folder.write(Self.documents[0].text, to: "seed.json")
    let outcome = await InProcess.run(["import", "products=\(file)", "--catalog", path])
    #expect(outcome.status == 1 && !outcome.errors.contains("this is"), "\(outcome)")
    // And wrong usage is that of the import of tables.
    let usage = await InProcess.run(["import", "--catalog", path])
    #expect(
      usage.status == 64 && usage.errors.contains("import TABLE=FILE")
        && usage.errors.hasSuffix("See 'catalogctl import --help' for more information.\n"),
      "\(usage)")
  }
}
