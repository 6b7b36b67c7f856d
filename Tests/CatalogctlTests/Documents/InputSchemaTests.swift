import CatalogModel
import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import ConcertArchive
@testable import SoundLibrary
@testable import TrackLibrary

/// The schemas of docs/schemas/input and the readers of these documents: each takes what the other takes, but for rules
/// that no schema can say. docs/SEEDS.md lists those by the same names.
@Suite(
  .promise(
    "Readers of our own documents and their schemas take the same, and the page has every key",
    by: "documents made from the schemas and spoilt"))
struct InputSchemaTests {
  /// A document of our own.
  enum Document: String, CaseIterable {
    case seed
    case packManifest = "pack-manifest"
    case concertManifest = "concert-manifest"
    case concertCollections = "concert-collections"
    case concertShow = "concert-show"
    case concertRecording = "concert-recording"
    case savedShows = "saved-shows"
    case library

    /// - Throws: `DocumentError`, as the command that reads it.
    func read(_ text: String, kind: Kind = .sfx) throws {
      let bytes = Array(text.utf8)
      switch self {
      case .seed: _ = try SeedDocumentReader.read(bytes, file: "seed.json")
      case .packManifest:
        _ = try ManifestDocumentReader.read(bytes, file: "manifest.json") { _ in kind }
      case .concertManifest: _ = try PackageManifest.read(bytes, file: "manifest.json")
      case .concertCollections:
        _ = try CollectionsParser.read(bytes, file: "collections.json") { _ in true }
      case .concertShow:
        // Whatever id the document has is the name of its file.
        let id = (try? JSONValue.parse(bytes, file: ""))?["show_id"]
        guard case .string(let name)? = id else {
          _ = try ShowParser.read(bytes, file: "show.json", name: "show") { _ in true }
          return
        }
        _ = try ShowParser.read(bytes, file: "show.json", name: name) { _ in true }
      case .concertRecording:
        _ = try RecordingParser.read(bytes, file: "a.json", identifier: "a")
      case .savedShows: _ = try SavedShowsDocument(bytes, file: "saved-shows.json")
      case .library:
        guard try LibraryJSON.read(bytes, file: "library.json") != nil else {
          throw DocumentError(code: .unsupportedFormat, file: "library.json", message: "not ours")
        }
      }
    }
  }

  /// A rule that no schema can say.
  enum Rule: String, CaseIterable {
    case json = "strict JSON"
    case bytes = "lengths in bytes"
    case folding = "folded names"
    case once = "unique ids"
    case packKind = "tags by the kind of a pack"
    case sum = "the sum of the bytes"
    case letters = "letters of other scripts"
    case address = "addresses of tracks"
    case tagNames = "tags of songs"

    /// Whether a fault is one of this rule.
    func covers(_ fault: DocumentError) -> Bool {
      switch self {
      case .json: fault.code == .invalidJSON || fault.code == .duplicateKey
      case .bytes: fault.message.contains("is too long")
      case .folding: false
      case .once: fault.code == .duplicateValue
      case .packKind: fault.code == .unknownKey && fault.message.contains("does not have")
      case .sum: fault.message.contains("is more than all assets may have together")
      case .letters: fault.message.contains("is not an id of a show")
      case .address:
        fault.message.contains("is neither a URI nor an absolute path")
          || fault.message.contains("is not a normalised URI")
      case .tagNames: fault.message.contains("is not a tag of the document")
      }
    }
  }

  /// Whether each document fits, and if not, why.
  private func findings(_ document: Document, _ texts: [String]) async throws -> [String] {
    let check = try await Program.run(
      "\(Program.package)/Tools/check-input", ["--lines", document.rawValue],
      input: texts.map { $0 + "\n" }.joined())
    #expect(check.errors.isEmpty)
    let lines = check.output.split(separator: "\n", omittingEmptySubsequences: false).map(
      String.init)
    try #require(lines.count == texts.count + 1)
    return Array(lines.dropLast())
  }

  private func faults(_ document: Document, _ text: String) -> [DocumentError] {
    do {
      try document.read(text)
      return []
    } catch let error as DocumentError {
      return [error] + error.furtherFaults
    } catch {
      Issue.record("\(error)")
      return []
    }
  }

  @Test(arguments: Document.allCases)
  func readerAndSchemaTakeTheSame(_ document: Document) async throws {
    var seeds = SeededGenerator("documents of \(document.rawValue)")
    var documents = try SchemaDocuments(document.rawValue, seed: seeds.next())
    var texts: [String] = []
    for _ in 0..<250 {
      let fitting = documents.fitting()
      texts.append("\(fitting)")
      texts += (0..<5).map { _ in "\(documents.spoilt(fitting))" }
    }
    let findings = try await findings(document, texts)
    var taken = 0
    for (text, finding) in zip(texts, findings) {
      let faults = faults(document, text)
      if faults.isEmpty { taken += 1 }
      let explained = faults.allSatisfy { fault in Rule.allCases.contains { $0.covers(fault) } }
      if finding.isEmpty {
        #expect(explained, "the schema takes \(text.prefix(4_000)) and the reader says \(faults)")
      } else {
        #expect(
          !faults.isEmpty, "the reader takes \(text.prefix(4_000)) and the schema says \(finding)")
      }
    }
    // Neither takes, nor refuses, nearly everything.
    #expect(taken > texts.count / 8 && taken < texts.count * 7 / 8, "\(taken) of \(texts.count)")
  }

  /// Each rule is one: here reader and schema differ.
  @Test func theRulesThatNoSchemaCanSayAreListed() async throws {
    let id = "00000000-0000-4000-8000-000000000001"
    func asset(_ number: Int) -> String {
      let id = "00000000-0000-4000-8000-00000000000\(number)"
      return """
        {"assetId":"\(id)","itemId":"\(id)","url":"https://a.example","bytes":9007199254740991,"codec":"aac"}
        """
    }
    func seed(_ names: String) -> String {
      "{\"format\":1,\"seedId\":\"a\",\"revision\":1,\"dimensions\":{\"moods\":[\(names)]}}"
    }
    func library(_ ids: [String], _ url: String) -> String {
      let tracks = ids.map {
        "{\"id\":\"\($0)\",\"title\":\"\",\"duration\":0,\"fileURL\":\"\(url)\"}"
      }
      return "{\"tracks\":[\(tracks.joined(separator: ","))],\"collections\":[]}"
    }
    func show(_ id: String) -> String {
      "{\"show_id\":\"\(id)\",\"date\":\"1977-05-08\",\"band\":\"a\",\"venue\":\"\"}"
    }
    let examples: [(rule: Rule, document: Document, text: String, readerTakes: Bool)] = [
      (.json, .seed, #"{"format":1,"format":1,"seedId":"a","revision":1}"#, false),
      (.json, .concertRecording, #"{"taper":"\ud800"}"#, false),
      (.json, .concertRecording, #"{"later":1e999}"#, false),
      (.bytes, .seed, seed("\"\(String(repeating: "\u{E9}", count: 600))\""), false),
      (.folding, .seed, seed("\"a\(String(repeating: " ", count: 1_100))\""), true),
      (.once, .seed, seed("\"Cozy\",\" Cozy\""), false),
      (.once, .library, library([id, id], "/a.mp3"), false),
      (
        .packKind, .packManifest,
        #"{"packId":"\#(id)","version":1,"totalBytes":0,"assets":[],"tags":{"creatureTypes":[]}}"#,
        false
      ),
      (
        .sum, .packManifest,
        #"{"packId":"\#(id)","version":1,"totalBytes":2,"assets":[\#(asset(1)),\#(asset(2))]}"#,
        false
      ),
      (.letters, .concertShow, show("1977\u{2013}05"), false),
      (.address, .library, library([id], "a.mp3"), false),
      (
        .tagNames, .library,
        #"{"tracks":[],"collections":[],"songs":[{"id":"7","title":"","tags":[{"source":"a","names":["b"]}]}]}"#,
        false
      ),
    ]
    for example in examples {
      let name = "\(example.rule.rawValue): \(example.text.prefix(200))"
      let finding = try await findings(example.document, [example.text])
      #expect(finding[0].isEmpty != example.readerTakes, "\(name): \(finding)")
      do {
        try example.document.read(example.text, kind: .music)
        #expect(example.readerTakes, "\(name)")
      } catch let error as DocumentError {
        #expect(!example.readerTakes && example.rule.covers(error), "\(name): \(error)")
      }
    }
    #expect(Set(examples.map(\.rule)) == Set(Rule.allCases))

    let page = try String(contentsOfFile: Program.package + "/docs/SEEDS.md", encoding: .utf8)
    for rule in Rule.allCases {
      #expect(page.contains("- **\(rule.rawValue)**:"), "\(rule.rawValue)")
    }
  }

  @Test func everyDocumentHasASchemaAndThePageHasEveryKey() throws {
    let folder = Program.package + "/docs/schemas/input"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    // docs/TABLES.md has the page of the last one.
    let others = ["shared.json", "kind.json"]
    #expect(Set(names) == Set(Document.allCases.map { $0.rawValue + ".json" } + others))
    let page = try String(contentsOfFile: Program.package + "/docs/SEEDS.md", encoding: .utf8)
    for document in Document.allCases {
      let file = "\(folder)/\(document.rawValue).json"
      #expect(page.contains("(schemas/input/\(document.rawValue).json)"))
      let schema = try JSONValue.parse(DocumentFile.load(file), file: file)
      for key in keys(in: schema) {
        #expect(page.contains("`\(key)`") || page.contains(".\(key)`"), "\(document): \(key)")
      }
    }
  }

  private func keys(in schema: JSONValue) -> Set<String> {
    var found: Set<String> = []
    for member in schema.members ?? [] {
      if member.key == "properties" {
        found.formUnion((member.value.members ?? []).map(\.key))
        for property in member.value.members ?? [] { found.formUnion(keys(in: property.value)) }
      } else if case .array(let elements) = member.value {
        for element in elements { found.formUnion(keys(in: element)) }
      } else {
        found.formUnion(keys(in: member.value))
      }
    }
    return found
  }
}
