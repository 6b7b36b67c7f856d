import CatalogEngine
import CatalogTestSupport
import ConcertArchive
import Foundation
import Promises
import Testing

/// `export DIR` of the kinds that the program has.
@Suite(
  .promise(
    "The documents of an export are imported back as the same rows, or the export names what is not",
    by: "three kinds, with what persons changed; answers of SQL"))
struct ExportCommandTests {
  private static let examples = ScratchFolder.repository + "/Examples"

  @Test("The starter seed, with tags of a person")
  func seedsComeBack() async throws {
    let trial = try await ExportTrial("sound-library")
    try await trial.run("import", ScratchFolder.repository + "/Seeds/starter.json")
    let seed = try trial.catalog.folder.write(SampleSeed.text(revision: 2), to: "sample.json")
    try await trial.run("import", seed)
    let item = SampleSeed.id(201)
    try await trial.run("tag", "add", item, "--mood", "Vast", "--new")
    try await trial.run("tag", "suppress", item, "--theme", "Footsteps")
    try await trial.run("tag", "rename", "moods", "Cozy", "Snug")
    try await trial.run("tag", "merge", "locations", "Arctic", "Forest")
    let exported = try await trial.comesBack()
    #expect(exported.output.contains("2 documents: 9 music entries, 30 packs, "), "\(exported)")
    // Arctic, Cozy.
    #expect(
      exported.errors.contains(
        "not in the documents: 2 rows of projection_alias, other names of tag values"),
      "\(exported)")
    #expect(
      exported.errors.contains(
        "1 row of projection_suppression, tags that a person took from items"), "\(exported)")
  }

  @Test("Packages of concerts, with a library of a person", arguments: [1, 2])
  func packagesComeBack(count: Int) async throws {
    let trial = try await ExportTrial("concert-archive")
    let packages = ["data-v1.0.0", "data-v1.1.0"].prefix(count)
    for package in packages {
      try await trial.run("shows", "import", "\(Self.examples)/Concerts/\(package)")
    }
    let show = "1977-05-08-lantern-hall-millbrook-ny-usa"
    try await trial.run("shows", "save", show)
    try await trial.run("shows", "note", show, "the one")
    try await trial.run("shows", "play", show, "--seconds", "60")
    let exported = try await trial.comesBack()
    #expect(exported.output.contains("1 saved show"), "\(exported)")
    #expect(exported.errors.contains("1 row of recent_shows, what was played"), "\(exported)")
    // The archive has all of it already, but for the record of which files they were.
    let again = try await trial.run("shows", "import", trial.catalog.folder.file("out"))
    #expect(again.output.contains("appended 1 event\n"), "\(again)")
    let library = trial.catalog.folder.file("out/saved-shows.json")
    #expect(again.errors.contains("shows restore"), "\(again)")
    #expect(try await trial.run("shows", "restore", library).output.hasPrefix("the library has"))
    // What the document does not say stays: notes and tags of a person, and other shows.
    let other = "1977-05-09-st-louis-armory-st-louis-mo-usa"
    let shows = try await trial.run(
      "query", "SELECT show_id FROM shows ORDER BY 1", "--format", "csv"
    )
    .lines.dropFirst()
    let second = try #require(shows.first { $0 != show && $0 != other })
    try await trial.run("shows", "save", second)
    let said = try trial.catalog.folder.write(
      #"{"saved_shows": [{"show": "\#(show)", "rating": 4, "tags": ["loud", "loud"]}]}"#,
      to: "said.json")
    try await trial.run("shows", "restore", said)
    let rows = try await trial.run(
      "query", "SELECT library_notes, custom_rating, tags FROM library_shows ORDER BY tags IS NULL",
      "--format", "csv")
    #expect(rows.lines.dropFirst() == [#"the one,4.0,"[""loud""]""#, ",,"], "\(rows)")
    // An empty text takes notes away, as in the command that writes them.
    let empty = try trial.catalog.folder.write(
      #"{"saved_shows": [{"show": "\#(show)", "notes": ""}]}"#, to: "empty.json")
    try await trial.run("shows", "restore", empty)
    let notes = try await trial.run("query", "SELECT count(library_notes) FROM library_shows")
    #expect(notes.output.contains("0"), "\(notes)")
    let head = try await trial.catalog.head().sequence
    for (text, fault) in [
      (#"{"saved_shows": [{"show": "1977-05-08-nowhere"}]}"#, "is not a show of the archive"),
      (#"{"saved_shows": [{"show": "\#(show)", "rating": 6}]}"#, "is not a rating"),
      (
        #"{"saved_shows": [{"show": "\#(show)"}, {"show": "\#(show)"}]}"#,
        "is in the document already"
      ),
      (#"{"saved_shows": [{"show": "\#(show)", "note": "x"}]}"#, "notes"), ("[]", "object"),
    ] {
      let wrong = try trial.catalog.folder.write(text, to: "wrong.json")
      let refused = await trial.catalog.run("shows", "restore", wrong)
      #expect(refused.status == 1 && refused.errors.contains(fault), "\(refused)")
    }
    #expect(try await trial.catalog.head().sequence == head)
  }

  @Test("Tracks of six formats, with playlists, plays and tags of a person")
  func librariesComeBack() async throws {
    let trial = try await ExportTrial("track-library")
    let documents = Self.examples + "/Tracks"
    try await trial.run(
      "tracks", "import", "\(documents)/library.json", "\(documents)/spotify",
      "\(documents)/apple", "\(documents)/iTunes.xml", "\(documents)/morning.m3u8")
    try await trial.run("tracks", "playlist", "create", "Night", "--description", "late")
    let track = "5a0e7c1b-63d2-4c11-9c62-7c0b1d1f0a01"
    try await trial.run("tracks", "playlist", "add", "Night", track, track)
    try await trial.run("tracks", "play", track)
    try await trial.run("tracks", "tag", "add", "calm")
    try await trial.run("tracks", "tag", "set", "XXL011100001", "calm", "Favorites")
    try await trial.run("tracks", "tag", "rename", "calm", "quiet")
    let exported = try await trial.comesBack()
    #expect(exported.output.contains(": 14 tracks, 4 playlists, "), "\(exported)")
    #expect(exported.output.contains(", 1 tag\n"), "\(exported)")
    #expect(
      exported.errors == "not in the documents: 1 row of track_play, what was played\n",
      "\(exported)")
  }

  @Test("Documents of a moment are those of the catalog when it was that moment")
  func momentsAreExported() async throws {
    let trial = try await ExportTrial("concert-archive")
    try await trial.run("shows", "import", "\(Self.examples)/Concerts/data-v1.0.0")
    let head = try await trial.run("head").output.prefix { $0 != " " }
    try await trial.run("export", trial.catalog.folder.file("then"))
    try await trial.run("shows", "import", "\(Self.examples)/Concerts/data-v1.1.0")
    try await trial.comesBack(at: String(head), as: "past")
    let folder = trial.catalog.folder
    #expect(
      try ScratchFolder.contents(folder.file("past"))
        == ScratchFolder.contents(folder.file("then")))
    try await trial.comesBack(as: "now")
    #expect(
      try ScratchFolder.contents(folder.file("now"))
        != ScratchFolder.contents(folder.file("then")))
    // The log alone has the same.
    let log = await InProcess.run([
      "export", folder.file("log"), "--events", trial.catalog.path + "/events",
    ])
    #expect(log.status == 0, "\(log)")
    #expect(
      try ScratchFolder.contents(folder.file("log")) == ScratchFolder.contents(folder.file("now")))
  }

  @Test(
    "An empty catalog has documents without entries",
    arguments: [
      "sound-library", "concert-archive", "track-library",
    ])
  func emptyCatalogsAreExported(kind: String) async throws {
    let trial = try await ExportTrial(kind)
    let exported = try await trial.run("export", trial.catalog.folder.file("out"))
    #expect(exported.output.contains(": 0 "), "\(exported)")
    #expect(exported.errors.isEmpty, "\(exported)")
  }

  @Test("A refusal leaves no file, and says what to do")
  func refusalsLeaveNothing() async throws {
    let catalog = try await TestCatalog.imported()
    let full = catalog.folder.file("full")
    try FileManager.default.createDirectory(atPath: full, withIntermediateDirectories: false)
    try catalog.folder.write("mine", to: "full/mine.json")
    let plain = try catalog.folder.write("mine", to: "plain")
    let out = catalog.folder.file("out")
    for (words, status, sentence) in [
      ([full], 1, "is not empty; name a new one"),
      ([plain], 1, "is not a folder; name a new folder"),
      (["\(plain)/out"], 1, "cannot create"),
      ([out, "--at", "99999"], 1, "there is no event 99999"),
      ([out, "--at", "someday"], 64, "is not a moment"), ([""], 64, "a folder needs a name"),
      ([catalog.path + "/events/out"], 1, "is refused"),
    ] as [([String], Int32, String)] {
      let refused = await InProcess.run(["export"] + words + ["--catalog", catalog.path])
      #expect(refused.status == status, "\(words): \(refused)")
      #expect(refused.errors.contains(sentence), "\(words): \(refused)")
      #expect(refused.output.isEmpty, "\(words): \(refused)")
    }
    #expect(!catalog.folder.exists("out"))
    #expect(try ScratchFolder.contents(full).keys.sorted() == ["mine.json"])
  }

  @Test("Rows that no event made are not exported")
  func driftIsRefused() async throws {
    let catalog = try await TestCatalog.imported()
    _ = try SQLiteShell.rows(
      of: catalog.path + "/catalog.sqlite", "UPDATE pack SET title = 'Mine' WHERE kind = 'sfx'")
    let out = catalog.folder.file("out")
    let refused = await InProcess.run(["export", out, "--catalog", catalog.path])
    #expect(refused.status == 2, "\(refused)")
    #expect(refused.errors.contains("pack"), "\(refused)")
    #expect(!catalog.folder.exists("out"))
  }

  @Test("What an import would refuse has a sentence and status 2")
  func namesWhatDoesNotComeBack() async throws {
    let trial = try await ExportTrial("concert-archive")
    try await trial.run("shows", "import", "\(Self.examples)/Concerts/data-v1.0.0")
    // An import refuses a package without recordings: half of it may be on the way.
    let removals = try await trial.run(
      "query", "SELECT identifier FROM recordings ORDER BY 1", "--format", "csv"
    ).output.split(separator: "\n").dropFirst()
    let archive = try await ConcertArchive.open(CatalogDirectory(trial.catalog.path))
    defer { archive.close() }
    try await archive.catalog.change(by: "test") { _ in
      removals.map { .recordingRemoved(String($0)) }
    }
    let out = trial.catalog.folder.file("out")
    let exported = await InProcess.run(["export", out, "--catalog", trial.catalog.path])
    #expect(exported.status == 2, "\(exported)")
    #expect(
      exported.errors.contains("an import refuses the documents:\n\(out)/recordings: "),
      "\(exported)")
    #expect(
      exported.errors.contains(
        "rows of projection_show_recording, which name recordings that the archive does not have"),
      "\(exported)")
    #expect(trial.catalog.folder.exists("out/shows"))
  }

  @Test("A killed export leaves a hidden folder, which the next one removes")
  func removesWhatAKilledProcessLeft() async throws {
    let catalog = try await TestCatalog.imported()
    let out = catalog.folder.file("out")
    // No process has this number.
    try FileManager.default.createDirectory(
      atPath: out + "/.entries.catalog-part-2147483646/shows", withIntermediateDirectories: true)
    let exported = await InProcess.run(["export", out, "--catalog", catalog.path])
    #expect(exported.status == 0, "\(exported)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: out) == ["sample.json"])
  }
}
