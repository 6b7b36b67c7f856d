import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Any value in any column: no command traps, hangs or blames the log, a command that reads gives the right answer or
/// none, and `rebuild` repairs it.
@Suite(
  .promise(
    "Any value in any column is an error that names its place; no command traps, hangs or "
      + "blames the log",
    by: "every column of every table, seven kinds of value, commands by a printed seed"),
  .promise(
    "A command that reads shows what it shows of the untouched catalog, or exits with "
      + "status 2",
    by: "the answers of an untouched twin"),
  .timeLimit(.minutes(10)))
struct TamperedCellTests {
  private static let shards = 8
  /// As docs/COMMAND_LINE.md has them.
  private static let documented: Set<Int32> = [0, 1, 2, 3, 64]

  /// Every column of every table takes seven kinds of value; two commands that read the table run, another
  /// command for some, one that writes for some, and a rebuild for some. A usual run draws a third of the cells.
  /// `TEST_ALL=1` takes all of them and runs all commands that read the table, which takes minutes. Commands run in this process: a trap ends the tests, and
  /// `TEST_TRACE=1` shows on which cell.
  @Test(arguments: 0..<shards)
  func anyValueInAnyColumnIsAnErrorAndARebuildRepairsIt(shard: Int) async throws {
    let sample = try await TamperedCatalog.shared.value
    let folder = try ScratchFolder(inMemory: true)
    var answers = RightAnswers(sample)
    var random = SeededGenerator("TamperedCellTests \(shard)")
    var skipped: [String] = []
    var count = 0
    let all = try await sample.cases(shard: shard, of: Self.shards, in: folder)
    let cases = Sample.of(all, atMost: all.count / 40, "TamperedCellTests cells \(shard)")
    for entry in cases {
      let name = "\(entry.table).\(entry.column) \(entry.value)"
      guard let file = entry.file else {
        skipped.append(name)
        continue
      }
      count += 1
      let catalog = try sample.copy(with: file)
      for command in reading(entry.table, sample, catalog.folder, &random) {
        let outcome = await run(command, catalog, name)
        expectDocumented(outcome, name, command)
        try await expectRight(outcome, entry, command, catalog, &answers)
      }
      // What a command that writes makes of odd rows is another promise: here it ends, and says how.
      if random.below(8) == 0 {
        let written = try sample.copy(with: file)
        let command = writing(sample, &random)
        expectDocumented(await run(command, written, name), name, command)
      }
      if random.below(40) == 0 {
        expectDocumented(await run(["verify"], catalog, name), name, ["verify"])
      }
      if random.below(8) == 0 || entry.table == Self.checkpoint {
        let rebuilt = await run(["rebuild"], catalog, name)
        #expect(rebuilt.status == 0, "\(name): \(rebuilt)")
        let listed = await run(["items", "sfx"], catalog, name)
        #expect(listed.status == 0, "\(name): \(listed)")
      }
      try? FileManager.default.removeItem(atPath: file)
    }
    #expect(count > 0)
    print("TamperedCellTests \(shard): \(count) cells, kept out by SQLite: \(skipped)")
  }

  /// A cell that is not of its column's type is named: table, key, column, value, what it should be. Of any other change,
  /// the table is. Each message says what to do.
  @Test(arguments: [
    (
      "UPDATE projection_checkpoint SET sequence = 'x'", ["packs", "sfx"],
      ["projection_checkpoint", "sequence is 'x'", "an integer"]
    ),
    (
      "UPDATE library_item SET created_at = x'00ff'", ["items", "sfx"],
      ["library_item[id='", "created_at is x'00ff'", "a time"]
    ),
    (
      "UPDATE library_item SET title = CAST(x'ff' AS TEXT)", ["items", "sfx"],
      ["library_item[id='", "title is CAST(x'ff' AS TEXT)", "a text in UTF-8"]
    ),
    (
      "UPDATE library_item SET duration = 9e999", ["items", "sfx"],
      ["library_item[id='", "duration is inf", "a number"]
    ),
    ("UPDATE pack SET version = 'v1'", ["packs", "sfx"], ["pack[id='", "version is 'v1'"]),
    (
      "UPDATE pack SET version = -9223372036854775808", ["packs", "sfx"],
      ["the rows of pack are not what the log says"]
    ),
    (
      "UPDATE pack_state SET bytes_total = '12 MB'", ["packs", "sfx"],
      ["pack_state[pack_id='", "bytes_total is '12 MB'", "an integer"]
    ),
    (
      "PRAGMA ignore_check_constraints = 1; UPDATE pack_state SET state = 'odd'", ["packs", "sfx"],
      ["the rows of pack_state are not what the log says"]
    ),
    (
      "UPDATE library_item SET is_visible = 'yes'", ["item", SampleSeed.id(201)],
      ["library_item[id='", "is_visible is 'yes'", "an integer"]
    ),
    (
      "UPDATE mood SET sort_order = 'first'", ["tag", "list", "moods"],
      ["mood[id=", "sort_order is 'first'"]
    ),
    (
      "UPDATE music_playlist_ref SET use_snapshot = 2", ["music", "list"],
      ["the rows of music_playlist_ref are not what the log says"]
    ),
    (
      "UPDATE projection_kind SET visible = -1", ["items", "sfx", "--limit", "1"],
      ["the rows of projection_kind are not what the log says"]
    ),
    (
      "ALTER TABLE pack RENAME TO package", ["packs", "sfx"],
      ["the table local_asset differs from what the projector creates, and 4 more"]
    ),
    ("DROP TABLE projection_item_text", ["search", "place"], ["is missing"]),
    (
      "ALTER TABLE library_item RENAME COLUMN subtitle TO under", ["items", "sfx"],
      ["the table library_item differs from what the projector creates"]
    ),
  ])
  func theMessageNamesThePlaceAndTheRemedy(
    statement: String, command: [String], says: [String]
  ) async throws {
    let catalog = try await TamperedCatalog.shared.value.catalog.copy()
    try await catalog.sqlite(statement)
    let outcome = await run(command, catalog, statement)
    #expect(outcome.status == 2, "\(outcome)")
    for words in says + ["`catalogctl verify`", "`catalogctl rebuild --keep-old FILE`"] {
      #expect(outcome.errors.contains(words), "\(words) is not in: \(outcome)")
    }
    #expect(await run(["rebuild"], catalog, statement).status == 0)
    #expect(await run(command, catalog, statement).status == 0)
  }

  /// A checkpoint that does not move, whatever is written, ends the commands that would wait for it.
  @Test(arguments: [
    "PRAGMA ignore_check_constraints = 1; UPDATE projection_checkpoint SET id = -1",
    """
    PRAGMA ignore_check_constraints = 1; INSERT INTO projection_checkpoint
    SELECT -1, log_id, 3, chain, fingerprint, epoch FROM projection_checkpoint
    """,
    "UPDATE projection_checkpoint SET epoch = 9223372036854775807",
    "UPDATE projection_checkpoint SET epoch = 9007199254740991",
    "UPDATE projection_checkpoint SET chain = 'abc'",
    """
    CREATE TRIGGER back AFTER UPDATE ON projection_checkpoint BEGIN
    UPDATE projection_checkpoint SET sequence = old.sequence, chain = old.chain; END
    """,
  ])
  func aCheckpointThatWasChangedEndsNoCommandInASpin(statement: String) async throws {
    let sample = try await TamperedCatalog.shared.value
    for command in [
      ["tag", "add", SampleSeed.id(201), "--mood", "New"], ["import", sample.revision],
    ] {
      let catalog = try sample.catalog.copy()
      try await catalog.sqlite(statement)
      expectDocumented(await run(command, catalog, statement), statement, command)
      let rebuilt = await run(["rebuild"], catalog, statement)
      #expect(rebuilt.status == 0, "\(statement): \(rebuilt)")
      #expect(await run(["items", "sfx"], catalog, statement).status == 0)
    }
  }

  /// Numbers that the projector counts on from: nothing overflows, and nothing of it is in the log.
  @Test(arguments: [
    "UPDATE projection_item SET number = 9223372036854775807 WHERE number = 1",
    "UPDATE projection_source SET id = 9223372036854775807 WHERE id = 1",
    "UPDATE projection_kind SET visible = 9223372036854775807",
    "UPDATE projection_value SET number = 9223372036854775807 WHERE number = 1",
    "UPDATE mood SET id = 9223372036854775807 WHERE name = 'Cozy'",
  ])
  func aNumberAtItsGreatestIsAnErrorOfThePlan(statement: String) async throws {
    let sample = try await TamperedCatalog.shared.value
    for command in [
      ["tag", "add", SampleSeed.id(202), "--mood", "New"], ["import", sample.revision],
    ] {
      let catalog = try sample.catalog.copy()
      try await catalog.sqlite(statement)
      expectDocumented(await run(command, catalog, statement), statement, command)
      #expect(await run(["rebuild"], catalog, statement).status == 0, "\(statement) \(command)")
    }
  }

  // MARK: Commands

  private func expectDocumented(_ outcome: Outcome, _ name: String, _ command: [String]) {
    #expect(Self.documented.contains(outcome.status), "\(name) \(command): \(outcome)")
    if outcome.status == 1 {
      #expect(
        outcome.errors.contains("catalogctl: ") && !outcome.errors.contains("EncodingError"),
        "\(name) \(command): \(outcome)")
    }
    // The log is whole.
    #expect(outcome.status != 3, "\(name) \(command): \(outcome)")
  }

  /// The answer of a command is that of the untouched catalog, or none, with the place of what was changed.
  private func expectRight(
    _ outcome: Outcome, _ entry: TamperedCatalog.Case, _ command: [String], _ catalog: TestCatalog,
    _ answers: inout RightAnswers
  ) async throws {
    // These show a database as it is, each difference included.
    guard !["doctor", "receipt", "diff", "report"].contains(command[0]) else {
      if command == ["doctor"], !Self.isOfNoProof(entry) {
        #expect(outcome.status == 2, "\(entry.table).\(entry.column) \(entry.value): \(outcome)")
      }
      return
    }
    let answer = RightAnswers.Answer(outcome, catalog)
    let right = try await answers.answer(to: command)
    if answer == right { return }
    if entry.table == Self.checkpoint, entry.column == "fingerprint", outcome.status == 0 {
      // Whatever is there, another release may call its projector so: the database was rebuilt.
      #expect(outcome.errors.contains("was made by projector"))
      #expect(outcome.output == right.output, "\(command)")
      return
    }
    let place =
      [Self.checkpoint: "checkpoint", "projection_digest": "digest"][entry.table] ?? entry.table
    // What leads nowhere is listed by `lint`, the place after it.
    let isSilent = outcome.output.isEmpty || command[0] == "lint"
    #expect(
      outcome.status == 2 && isSilent && outcome.errors.contains(place),
      "\(entry.table).\(entry.column) \(entry.value) \(command): \(outcome)")
  }

  /// Cells that no digest has, and no answer comes from (docs/CI.md).
  private static func isOfNoProof(_ entry: TamperedCatalog.Case) -> Bool {
    entry.table == "projection_change" || entry.table.hasPrefix("sqlite_stat")
      // Commands before `doctor` rebuild the database of another projector.
      || entry.table == checkpoint && ["epoch", "fingerprint"].contains(entry.column)
  }

  private func run(_ command: [String], _ catalog: TestCatalog, _ name: String) async -> Outcome {
    if ProcessInfo.processInfo.environment["TEST_TRACE"] != nil {
      // The last line before the process ended is the culprit.
      FileHandle.standardError.write(Data("tampered: \(name): \(command)\n".utf8))
    }
    let format = command[0] == "rebuild" ? [] : ["--format", "json"]
    return await InProcess.run(command + format + ["--catalog", catalog.path])
  }

  /// Commands that read a table, and one of the others.
  private func reading(
    _ table: String, _ sample: TamperedCatalog, _ folder: ScratchFolder,
    _ random: inout SeededGenerator
  ) -> [[String]] {
    let music = [["music", "list"], ["music", "tracks", SampleSeed.id(1)]]
    let packs = [["packs", "sfx"], ["pack", sample.pack], ["item", sample.item], ["doctor"]]
    let tags = [["tag", "list"], ["item", SampleSeed.id(201)], ["lint", "--brief"]]
    let lists = [
      ["items", "sfx", "--limit", "3"], ["items", "sfx", "--sort", "duration"],
      ["facets", "sfx"], ["search", "sound"], ["search", "omin"],
    ]
    let own: [[String]] =
      switch table {
      case "library_item": lists + music + packs + tags
      case "music_playlist_ref", "music_track_cache", "playlist_track", "projection_playlist",
        "projection_track":
        music + [["item", SampleSeed.id(1)]]
      case "pack", "pack_state", "pack_item", "local_asset", "item_local_audio": packs
      case "projection_item", "projection_item_text", "projection_kind": lists
      case Self.checkpoint: [["head"], ["packs", "sfx"], ["doctor"], ["receipt"]]
      case "projection_change": [["facets", "sfx"], ["receipt"]]
      case "projection_seed", "projection_manifest", "projection_pack", "projection_pack_tag": []
      default: tags + [["facets", "sfx", "--zero"], ["search", "omin"]]
      }
    if ProcessInfo.processInfo.environment["TEST_ALL"] != nil { return own }
    var chosen = Array(own.shuffled(using: &random).prefix(table == Self.checkpoint ? 4 : 2))
    if random.below(4) == 0 {
      let others =
        lists + music + packs + tags + [
          ["head"], ["receipt"], ["diff", "5", "live", "--summary"],
          ["items", "sfx", "--mood", "Cozy"], ["report", "\(folder.file("report.html"))"],
        ]
      chosen.append(others[random.below(others.count)])
    }
    return chosen
  }

  private static let checkpoint = "projection_checkpoint"

  private func writing(
    _ sample: TamperedCatalog, _ random: inout SeededGenerator
  ) -> [String] {
    let commands = [
      ["tag", "add", SampleSeed.id(202), "--mood", "New"],
      ["tag", "suppress", SampleSeed.id(202), "--mood", "Ominous"],
      ["tag", "merge", "moods", "Cozy", "Ominous"], ["import", sample.revision],
      ["delete", sample.pack],
    ]
    return commands[random.below(commands.count)]
  }
}

/// What commands answer of a catalog that nobody touched.
private struct RightAnswers {
  /// Without the path of the catalog's folder.
  struct Answer: Hashable {
    let status: Int32
    let output: String

    init(_ outcome: Outcome, _ catalog: TestCatalog) {
      status = outcome.status
      output = outcome.output.replacing(catalog.path, with: "CATALOG")
    }
  }

  private let sample: TamperedCatalog
  private var known: [[String]: Answer] = [:]

  init(_ sample: TamperedCatalog) {
    self.sample = sample
  }

  mutating func answer(to command: [String]) async throws -> Answer {
    if let answer = known[command] { return answer }
    let catalog = try sample.catalog.copy()
    let outcome = await InProcess.run(command + ["--format", "json", "--catalog", catalog.path])
    let answer = Answer(outcome, catalog)
    known[command] = answer
    return answer
  }
}
