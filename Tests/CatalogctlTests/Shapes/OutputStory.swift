import CatalogTestSupport
import DownloadTestSupport
import Foundation
import Testing

/// Runs every command with `--format json` in the situations that give its keys a value, found, not found
/// and refused, and keeps what they printed in a folder.
final class OutputStory {
  private let catalog: TestCatalog
  let server: FolderServer
  private let pack: ServedPack
  let outputs: String
  private(set) var told: Set<String> = []
  private var count = 0

  private let item = SampleSeed.id(201)
  private let nothing = SampleSeed.id(999)

  init() async throws {
    catalog = try TestCatalog()
    outputs = catalog.folder.file("outputs")
    try FileManager.default.createDirectory(atPath: outputs, withIntermediateDirectories: false)
    server = try FolderServer()
    pack = ServedPack(sizes: [30_000, 2_000])
    try pack.write(to: server.folder, at: server.address)
  }

  func tell() async throws {
    try await nothingThere()
    try await imports()
    try await browsing()
    try await music()
    try await tags()
    try await packs()
    try await history()
    try await replays()
    try await careOfTheLog()
    try await concerts()
    try await tracks()
    try await tables()
    try await shared()
  }

  /// Runs a command, expects its exit status, and keeps its output where there has to be one.
  @discardableResult
  func run(
    _ command: String, _ arguments: String..., status: Int32 = 0, prints: Bool? = nil,
    in other: TestCatalog? = nil, environment: [String: String] = [:],
    at location: SourceLocation = #_sourceLocation
  ) async throws -> Outcome {
    let outcome = try await Program.catalogctl(
      command.split(separator: " ").map(String.init) + arguments + [
        "--format", "json", "--catalog", (other ?? catalog).path,
      ], environment: environment)
    #expect(
      outcome.status == status, "\(command) \(arguments): \(outcome)", sourceLocation: location)
    let prints = prints ?? (status == 0 || status == 2)
    #expect(
      outcome.output.isEmpty != prints, "\(command) \(arguments): \(outcome)",
      sourceLocation: location)
    if !prints, status != 0 {
      #expect(!outcome.errors.isEmpty, "\(command) \(arguments)", sourceLocation: location)
    }
    guard prints else { return outcome }
    told.insert(command)
    count += 1
    let name = "\(command.replacing(" ", with: "-")).\(count).json"
    try outcome.output.write(toFile: "\(outputs)/\(name)", atomically: false, encoding: .utf8)
    return outcome
  }

  private func nothingThere() async throws {
    // `init` is the one command that begins with nothing, and `serve` the one that prints no JSON.
    for command in try await CommandTree.root.value.leaves.map(\.words)
    where ![["init"], ["serve"]].contains(command) {
      let words = command.joined(separator: " ")
      let arguments =
        switch words {
        case "import": ["nothing.json"]
        case "items", "facets": ["sfx"]
        case "item", "pack", "cancel", "delete", "music tracks", "music history": [nothing]
        case "search": ["words"]
        case "tag add", "tag remove", "tag suppress", "tag unsuppress": [nothing, "--mood", "Cozy"]
        case "tag rename", "tag merge", "tag alias": ["moods", "Cozy", "Snug"]
        case "manifest apply": ["nothing.json"]
        case "download", "repair": ["--all"]
        case "event": ["1"]
        case "blame": ["library_item", nothing]
        case "diff": ["1", "live"]
        case "changes": ["1", "1"]
        case "diverge", "revert", "show": [nothing]
        case "what-if": ["--without", "2"]
        case "projection diff": [Program.catalogctl]
        case "history row": ["library_item", nothing]
        case "history count": ["SELECT 1"]
        case "query": ["SELECT 1"]
        case "materialize": ["--at", "1", catalog.folder.file("then.sqlite")]
        case "bisect": ["SELECT 1"]
        case "report": ["--out", catalog.folder.file("report.html")]
        case "salvage": [catalog.folder.file("rescued")]
        case "copy": [catalog.folder.file("copy")]
        case "shows import": ["nothing"]
        case "shows search": ["words"]
        case "shows play": ["nowhere", "--seconds", "40"]
        case "shows list", "shows top", "shows collections", "shows library", "shows recent",
          "shows version":
          [String]()
        case let words where words.hasPrefix("shows "): ["nowhere"]
        case "kind check", "kind change": ["nothing.json"]
        case "adopt", "capture": ["nothing.sqlite"]
        case "rows", "record": ["nothing"]
        case "export": [catalog.folder.file("exported")]
        case "tracks import": ["nothing"]
        case "tracks search": ["words"]
        case "tracks tag rename": ["calm", "quiet"]
        case "tracks tag add", "tracks tag remove", "tracks tag set": ["calm"]
        case "tracks playlist add": ["Evening", nothing]
        case "tracks playlist change": ["Evening", "--name", "Night"]
        case "tracks playlist remove": ["Evening", "0"]
        case "tracks playlist move": ["Evening", "0", "1"]
        case "tracks playlist show", "tracks playlist create", "tracks playlist delete",
          "tracks queue", "tracks export":
          ["Evening"]
        case "tracks play", "tracks remove": [nothing]
        default: [String]()
        }
      let outcome = try await Program.catalogctl(
        command + arguments + ["--format", "json", "--catalog", catalog.path])
      #expect(outcome.status == 1 && outcome.output.isEmpty, "\(words): \(outcome)")
      let failure = try #require(try outcome.failures().last, "\(words): \(outcome)")
      #expect(failure["error"] is String && failure["message"] is String, "\(words): \(outcome)")
    }
  }

  private func imports() async throws {
    let first = try catalog.folder.write(
      SampleSeed.replacing(
        "\"title\":\"Places\"",
        "\"title\":\"Places\",\"description\":\"Where\",\"artworkUrl\":\"https://example.com/p\""
      )
      .replacing(
        "\"title\":\"Place 103\"",
        with: "\"title\":\"Place 103\",\"artworkUrl\":\"https://example.com/a\""), to: "one.json")
    let second = try catalog.folder.write(SampleSeed.text(revision: 2), to: "two.json")
    let broken = try catalog.folder.write("{", to: "broken.json")
    let served = try catalog.folder.write(
      ServedPack.seed([pack], at: server.address), to: "served.json")
    let empty = try TestCatalog()
    try await run("init", in: empty)
    try await run("init", status: 1, in: empty)
    try await run("import", first, "--dry-run", status: 2)
    try await run("import", first, "--at", TestCatalog.time)
    try await run("import", first, "--dry-run")
    try await run("import", broken, second, status: 1)
    try await run("import", first, broken, status: 1)
    try await run("import", served)
  }

  private func browsing() async throws {
    for kind in ["music", "atmosphere", "sfx"] {
      try await run("items", kind)
      try await run("facets", kind)
    }
    try await run("items", "sfx", "--limit", "1")
    try await run("items", "sfx", "--availability", "notDownloaded")
    try await run("items", "sfx", "--availability", "fileMissing", status: 1)
    try await run("items", "sfx", "--mood", "Nowhere", status: 1)
    try await run("items", "noise", status: 64)
    try await run("facets", "sfx", "--zero", "--limit", "1")
    try await run("search", "place")
    try await run("search", "qqqq")
    try await run("search", "s", "--limit", "1", in: SharedCatalogs.many.value)
    try await run("item", SampleSeed.id(1))
    try await run("item", SampleSeed.id(103))
    try await run("item", nothing, status: 1)
    try await run("music list")
    try await run("packs")
    try await run("packs", "sfx")
    try await run("pack", SampleSeed.atmospherePack)
    try await run("pack", nothing, status: 1)
  }

  private func music() async throws {
    let server = try AppleMusicServer()
    defer { server.stop() }
    let environment = [
      "APPLE_MUSIC_API": server.address, "APPLE_MUSIC_TOKEN": MusicCommandTests.token,
    ]
    let entry = SampleSeed.id(1)
    var playlist = ServedPlaylist(id: "pl.sample-1", numbers: 0..<4)
    playlist.curator = "Somebody"
    playlist.description = "About it"
    playlist.tracks[3].artworkURL = "https://example.org/{w}x{h}.jpg"
    playlist.lastModified = "2015-04-11T16:15:51Z"
    server.publish(playlist)
    try await run("music tracks", entry, status: 1)
    try await run("music refresh", entry, "--tracks", environment: environment)
    playlist.tracks.append(playlist.tracks.remove(at: 0))
    playlist.tracks.remove(at: 1)
    playlist.tracks += ServedPlaylist(id: "", numbers: 9...9).tracks
    server.publish(playlist)
    try await run("music refresh", entry, "--tracks", environment: environment)
    try await run("music tracks", entry)
    try await run("music tracks", entry, "--at", "\(try await catalog.head().sequence)")
    server.withdraw(playlist)
    try await run("music refresh", environment: environment)
    try await run("music refresh", entry, status: 1, environment: ["APPLE_MUSIC_TOKEN": "no"])
    try await run("music list")
    try await run("music history", entry)
    try await run("music history", nothing, status: 1)
  }

  private func tags() async throws {
    try await run("tag list")
    try await run("lint", "--brief")
    try await run(
      "tag add", item, "--new", "--mood", "cozy", "--mood", "Spooky", "--location", "Hell")
    try await run("tag add", item, "--mood", "Spooky")
    try await run("tag rename", "moods", "Spooky", "Eerie")
    try await run("tag alias", "moods", "Unheimlich", "Eerie")
    try await run("tag merge", "moods", "Eerie", "Ominous")
    try await run("tag suppress", item, "--mood", "Ominous")
    try await run("item", item)
    try await run("tag unsuppress", item, "--mood", "Ominous")
    try await run("tag remove", item, "--location", "Hell")
    try await run("tag remove", item, "--location", "Hell", status: 1)
    try await run("tag list", "moods")
    try await run("lint", status: 2)
  }

  private func packs() async throws {
    let manifest = "\(server.folder)/\(pack.manifestName)"
    try await run("repair", "--all")
    try FileManager.default.moveItem(
      atPath: "\(server.folder)/\(pack.assets[1].name)", toPath: "\(server.folder)/away")
    try await run("download", pack.id, status: 1, prints: true)
    try await run("packs", "sfx")
    try await run("doctor", status: 2)
    try await run("cancel", pack.id)
    try FileManager.default.moveItem(
      atPath: "\(server.folder)/away", toPath: "\(server.folder)/\(pack.assets[1].name)")
    try await run("manifest apply", manifest, "--dry-run")
    try await run("manifest apply", manifest)
    try await run("manifest apply", manifest)
    try await run("manifest apply", catalog.folder.file("broken.json"), status: 1)
    try await run("download", pack.id)
    try await run("download", pack.id)
    try await run("doctor", "--hash")
    try FileManager.default.removeItem(
      atPath: "\(catalog.path)/\(pack.assets[0].path(in: pack))")
    try await run("item", pack.assets[1].item)
    try await run("doctor", status: 2)
    try await run("repair", pack.id)
    try await run("repair", pack.id)
    try await run("delete", pack.id)
    try await run("delete", nothing, status: 1)
    var next = pack
    next.version += 1
    next.assets[0].bytes.append(0)
    next.assets.removeLast()
    let newer = catalog.folder.file("next.json")
    try Data(next.manifest(at: server.address)).write(to: URL(filePath: newer))
    try await run("manifest apply", newer)
  }

  private func history() async throws {
    let seen = try await catalog.head().sequence
    try await run("import", catalog.folder.file("two.json"))
    let head = try await run("head").object()
    let last = try #require(head["sequence"] as? Int)
    try await run("log")
    try await run("log", "--newest", "--limit", "1")
    try await run("log", "--type", "pack.deleted", "--grep", "qqqq", prints: false)
    try await run("event", "\(last)")
    try await run("event", "\(last + 1)", status: 1)
    try await run("status")
    try await run("tables")
    try await run("show", "\(seen)..\(last)")
    try await run("show", nothing, status: 1)
    try await run("blame", "library_item", SampleSeed.id(101))
    try await run("blame", "library_item", item, "--column", "title")
    try await run("blame", "library_item")
    try await run("blame", "item_location", item, "--rows", "1")
    let hell = try await catalog.query("SELECT id FROM location WHERE name = 'Hell'")
    try await run("blame", "item_location", item, hell)
    try await run("blame", "item_location", nothing, hell, status: 1)
    try await run("diff", "\(seen)", "live", status: 2)
    try await run("diff", "live", "\(seen)", status: 2)
    try await run("diff", "\(seen)", "live", "--summary", status: 2)
    try await run("diff", "\(last)", "live")
    try await run("diff", "\(seen)", "\(last)", status: 2)
    try await run("query", "SELECT 1, 0.5, 'a', NULL, x'00', 9e999")
    try await run("query", "SELECT 1 AS number WHERE 0")
    try await run("query", "--at", "\(seen)", "SELECT 1")
    try await run("query", "SELEKT", status: 1)
    try await run("materialize", "\(seen)", catalog.folder.file("then.sqlite"))
    try await run("materialize", "\(seen)", catalog.folder.file("then.sqlite"), status: 1)
    let sql = "SELECT count(*) FROM library_item WHERE title = 'Place 101 again'"
    try await run("bisect", sql, status: 2)
    try await run("bisect", sql, "--all", status: 2)
    try await run("bisect", "SELECT 0", "--all")
    try await run("bisect", "SELECT 0")
    try await run("report", catalog.folder.file("report.html"), "--since", "\(seen)")
    try await run("report", catalog.folder.file("report.html"), status: 1)
    try await run("report", "--events", catalog.events, "--out", catalog.folder.file("other.html"))
    try await run("changes", "\(seen)", "\(last)", status: 2)
    try await run("changes", "\(seen)", "\(last)", "--summary", status: 2)
    try await run("changes", "\(seen)", "\(last)", "--values", "plain", status: 2)
    // It writes lines alone; one batch at least is listed.
    let followed = try await Program.catalogctl([
      "changes", "1", "--follow", "--for", "0.01", "--format", "jsonl", "--catalog", catalog.path,
    ])
    #expect(followed.status == 0 && !followed.output.isEmpty, "\(followed)")
    count += 1
    try "[\(followed.lines.joined(separator: ","))]".write(
      toFile: "\(outputs)/changes.\(count).json", atomically: false, encoding: .utf8)
    try await run("changes", "\(last)", "\(last)")
    try await reverts()
    try await run("history row", "library_item", item)
    try await run("history row", "item_location", item, hell)
    try await run("history row", "library_item", nothing, status: 1)
    try await run("history count", "SELECT count(*) FROM mood")
    try await run("history count", "SELECT max(title) FROM library_item", "--no-history")
    try await run("history count", "SELEKT", status: 1)
    try await run("history views")
    try await run("history views", catalog.folder.file("views.sql"))
    try await run("what-if", "1", status: 1)
    try await run("what-if", "\(seen + 1)..\(last)", status: 2)
    let imported = try #require(try await run("event", "2").object()["op"] as? String)
    let without = try await run("what-if", imported, status: 2).object()
    #expect((without["contradictions"] as? [Any])?.isEmpty == false)
    try await run("history status")
    try await run("status")
    let (one, other) = (try catalog.copy(), try catalog.copy())
    try await run("diverge", other.path, in: one)
    _ = await other.run("tag", "add", item, "--mood", "Elsewhere")
    _ = await one.run("tag", "add", item, "--location", "Elsewhere")
    try await run("diverge", other.path, status: 2, in: one)
    try await run("diverge", one.path, status: 2, in: other)
    let (third, fourth) = (try await TestCatalog.imported(), try TestCatalog())
    let seed = try fourth.folder.write(SampleSeed.text(revision: 1), to: "seed.json")
    _ = await fourth.run("import", seed, "--at", "2026-03-01T12:00:00Z")
    try await run("diverge", fourth.path, in: third)
    try Data("no history".utf8).write(to: URL(filePath: "\(catalog.path)/history.sqlite"))
    try await run("history status", status: 2)
    try await run("history make")
    try await run("verify", "--history")
    _ = try await Program.run(
      "sqlite3",
      [
        "\(catalog.path)/history.sqlite",
        "UPDATE g0_mood SET name = 'x'",
      ])
    try await run("verify", "--history", status: 2)
    try await run("history remove")
    try await run("receipt", "--at", "\(seen)")
    try await run("stats")
    try await run("stats", "--limit", "1")
  }

  private func reverts() async throws {
    func lastOperation() async throws -> String {
      let log = try await Program.catalogctl(
        ["log", "--format", "json", "--catalog", catalog.path])
      let line = try #require(log.output.split(separator: "\n").last)
      return try #require(line.firstMatch(of: /"op":"([^"]*)"/).map { String($0.output.1) })
    }
    _ = await catalog.run("tag", "rename", "moods", "Cozy", "Quiet")
    let renamed = try await lastOperation()
    try await run("revert", renamed, "--dry-run")
    _ = await catalog.run("tag", "rename", "moods", "Quiet", "Silent")
    try await run("revert", renamed, "--dry-run", status: 2)
    try await run("revert", renamed, "--force", "--yes", "--reason", "a trial")
    try await run("revert", renamed)
    let cozy = try await catalog.query("SELECT id FROM mood WHERE name = 'Cozy'")
    try await run("blame", "mood", cozy)
    try await run("revert", nothing, status: 1)
    let third = try catalog.folder.write(
      SampleSeed.text(revision: 3).replacing("Place 102", with: "Place 102 renamed"),
      to: "three.json")
    try await run("import", third)
    try await run("revert", lastOperation(), "--reason", "another name")
    try await run("import", third)
    let fourth = try catalog.folder.write(SampleSeed.text(revision: 4), to: "four.json")
    try await run("import", fourth)
    // It is older than what the catalog has now.
    try await run("import", third)
    // It has what was reverted, still.
    let fifth = try catalog.folder.write(
      SampleSeed.text(revision: 5).replacing("Place 102", with: "Place 102 renamed"),
      to: "five.json")
    try await run("import", fifth)
  }

  private func replays() async throws {
    try await run("projection diff", Program.catalogctl)
    let old = catalog.folder.file("old.sqlite")
    try await run("rebuild", "--out", old)
    _ = try await Program.run(
      "sqlite3",
      [
        old,
        """
        UPDATE library_item SET title = 'Old' WHERE id = '\(item)'; DROP TABLE item_mood;
        ALTER TABLE mood ADD COLUMN tint TEXT; INSERT INTO mood (id, name, sort_order) VALUES (987654321, 'None', 0);
        """,
      ])
    try await run("projection diff", old, "--allow", "mood", status: 2)
    try await run("verify")
    try await run("receipt")
    let receipt = try await run("receipt", "--content").output
    let file = try catalog.folder.write(
      receipt.replacing("\"timeless\": \"", with: "\"timeless\": \"0"), to: "receipt.json")
    try await run("verify", file, "--content", status: 2)
    try await catalog.sqlite("UPDATE library_item SET title = 'Oops' WHERE id = '\(item)'")
    try await catalog.sqlite("DELETE FROM item_mood WHERE item_id = '\(item)'")
    try await run("verify", status: 2)
    try await run("verify", "--rows", "1", status: 2)
    try await run("verify", "--quick", status: 2)
    try await run("doctor", status: 2)
    try await run("rebuild", "--out", catalog.folder.file("again.sqlite"))
    try await run("rebuild")
    try await run("verify", "--quick")
    // What contradicts changes nothing, and is listed.
    let poisoned = try TestCatalog()
    try PoisonedLog().write(to: poisoned.events)
    try await run("verify", in: poisoned)
    try await run("lint", status: 2, in: poisoned)
  }

  private func careOfTheLog() async throws {
    try await run("check")
    let head = try await catalog.head()
    try await run("check", "--contains", "\(head.sequence) \(head.chain)")
    try await run("seal")
    try await run("seal")
    try await run("tag add", item, "--mood", "Last")
    let segments = try FileManager.default.contentsOfDirectory(atPath: catalog.events)
      .filter { $0.hasSuffix(".zst") }.sorted()
    let last = "\(catalog.events)/\(try #require(segments.last))"
    let whole = try Data(contentsOf: URL(filePath: last))
    // A batch that another writer began and did not end.
    let other = try catalog.copy()
    _ = await other.run("tag", "add", item, "--mood", "Torn")
    let longer = try Data(contentsOf: URL(filePath: last.replacing(catalog.path, with: other.path)))
    try longer.dropLast(1).write(to: URL(filePath: last))
    try longer.dropLast(1).write(to: URL(filePath: last + ".torn-1"))
    try await run("check", status: 2)
    try await run("doctor", status: 2)
    try await run("salvage", catalog.folder.file("all"))
    try await salvages(
      other, last.replacing(catalog.path, with: other.path), end: longer.count)
    // Without the segment the log is whole, and lacks an event that the history knows.
    #expect(await catalog.run("history", "make").status == 0)
    try FileManager.default.removeItem(atPath: last)
    try await run("doctor", status: 3, prints: true)
    try whole.dropLast(1).write(to: URL(filePath: last))
    try await run("check", status: 3, prints: true)
    try await run("doctor", status: 3, prints: true)
    try await run("salvage", catalog.folder.file("less"), status: 2)
    try await salvagesFrames()
    // The last event is lost: no command goes on.
    for (command, arguments) in [
      ("import", [catalog.folder.file("two.json")]), ("items", ["sfx"]), ("tag list", []),
      ("download", [pack.id]), ("verify", []), ("rebuild", []), ("seal", []),
    ] {
      let outcome = try await Program.catalogctl(
        command.split(separator: " ").map(String.init) + arguments
          + ["--format", "json", "--catalog", catalog.path])
      #expect(outcome.status == 3 && outcome.output.isEmpty, "\(command): \(outcome)")
    }
  }

  /// A batch of two frames, of which the second is damaged.
  private func salvagesFrames() async throws {
    let other = try TestCatalog()
    _ = await other.run("import", Program.package + "/Seeds/starter.json")
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: other.firstSegment)))
    bytes[bytes.count - 3] ^= 1
    try Data(bytes).write(to: URL(filePath: other.firstSegment))
    try await run(
      "salvage", "--events", other.events, "--past-gaps", catalog.folder.file("frames"), status: 2)
  }

  /// The last batch but one of another catalog is damaged.
  private func salvages(_ other: TestCatalog, _ last: String, end: Int) async throws {
    _ = await other.run("tag", "add", item, "--mood", "More")
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: last)))
    bytes[end - 3] ^= 1
    try Data(bytes).write(to: URL(filePath: last))
    let out = catalog.folder.file("beginning")
    try await run("salvage", "--events", other.events, out, status: 2)
    // A folder that holds something else.
    try await run("salvage", "--events", other.events, catalog.folder.path, status: 1)
    try await run(
      "salvage", "--events", other.events, "--past-gaps", catalog.folder.file("more"), status: 2)
  }
}
