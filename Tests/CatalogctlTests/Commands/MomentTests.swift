import CatalogTestSupport
import Foundation
import Promises
import Testing

/// The meaning of a time in a log whose times go back.
@Suite(
  .promise(
    "A time means the last batch of the log that is not later; a moment that is rounded or "
      + "ambiguous is reported as such",
    by: "times that go back, for which both batches are named; every form of a moment"))
struct MomentTests {
  /// Imports a value for each time, in this order, and returns the warnings.
  @discardableResult
  private func importValues(
    _ values: [(name: String, time: String)], into catalog: TestCatalog
  ) async throws -> [String] {
    var warnings: [String] = []
    for (name, time) in values {
      let seed = try catalog.folder.write(
        """
        {"format":1,"seedId":"\(name)","revision":1,"dimensions":{"moods":["\(name)"]},"music":[],"packs":[]}
        """, to: "\(name).json")
      let outcome = await catalog.run("import", seed, "--at", time)
      try #require(outcome.status == 0, "\(outcome)")
      warnings.append(outcome.errors)
    }
    return warnings
  }

  private func moods(at time: String, in catalog: TestCatalog) async -> Outcome {
    await catalog.run("query", "--at", time, "SELECT group_concat(name) FROM mood ORDER BY name")
  }

  private func goingBack() async throws -> (TestCatalog, warnings: [String]) {
    let catalog = try TestCatalog()
    let warnings = try await importValues(
      [
        ("A", "2026-06-16T12:00:00Z"), ("B", "2026-06-18T12:00:00Z"),
        ("C", "2026-06-17T12:00:00Z"), ("D", "2026-06-19T12:00:00Z"),
      ], into: catalog)
    return (catalog, warnings)
  }

  @Test func aTimeMeansTheEndOfTheLastBatchThatIsNotLater() async throws {
    let (catalog, _) = try await goingBack()
    for (time, found) in [
      ("2026-06-16T12:00:00Z", "A"), ("2026-06-17T11:59:59Z", "A"),
      ("2026-06-17T12:00:00Z", "A,B,C"),
      ("2026-06-18T11:00:00Z", "A,B,C"), ("2026-06-18T12:00:00Z", "A,B,C"),
      ("2026-06-19T12:00:00Z", "A,B,C,D"),
    ] {
      let outcome = await moods(at: time, in: catalog)
      #expect(outcome.lines.last == found, "\(time): \(outcome)")
    }
    let early = await moods(at: "2026-06-16T11:59:59Z", in: catalog)
    #expect(early.status == 1, "\(early)")
    #expect(early.errors.contains("the earliest is of 2026-06-16T12:00:00.000Z"), "\(early)")
  }

  /// As other programs print them.
  @Test func timesArePastedAsTheyAre() async throws {
    let (catalog, _) = try await goingBack()
    for time in [
      "20260617T120000Z", "2026-06-17 12:00:00 +0000", "2026-06-17t14:00:00.5+02:00",
      "2026-06-17T13:00:00+0100", "Wed 2026-06-17 12:00:00 UTC", "2026-06-17 12:00:00",
    ] {
      #expect(await moods(at: time, in: catalog).lines.last == "A,B,C", "\(time)")
      let diff = await catalog.run("diff", time, "live", "--summary")
      #expect(diff.status == 2, "\(time): \(diff)")
      let log = await catalog.run("log", "--since", time, "--until", time)
      #expect(
        log.status == 0 && log.lines.count == (time.contains(".5") ? 0 : 2), "\(time): \(log)")
    }
    for time in ["06/17/2026", "Tue 2026-06-17 12:00:00 UTC", "2026-06-17 12:00 CEST"] {
      let refused = await moods(at: time, in: catalog)
      #expect(refused.status == 64 && refused.errors.contains(time), "\(refused)")
      #expect(refused.errors.contains("a time such as 2026-01-31T12:00:00Z"), "\(refused)")
    }
  }

  @Test func whereTimesGoBackTheCommandNamesBothBatches() async throws {
    let (catalog, _) = try await goingBack()
    let note =
      "times go back in the log: events 4 to 5 of 2026-06-18T12:00:00.000Z are before events 6 to 7 of "
      + "2026-06-17T12:00:00.000Z; this state contains both"
    let query = await moods(at: "2026-06-17T12:00:00Z", in: catalog)
    #expect(query.errors.contains(note), "\(query)")
    let diff = await catalog.run("diff", "2026-06-17T12:00:00Z", "2026-06-18T12:00:00Z")
    #expect(diff.output == "the same\n", "\(diff)")
    #expect(diff.errors.contains("from: \(note)") && !diff.errors.contains("to: times"), "\(diff)")
    let json = await catalog.run(
      "query", "--at", "2026-06-17T12:00:00Z", "SELECT 1", "--format", "json")
    #expect(json.errors == note + "\n", "\(json)")
    for time in ["2026-06-16T12:00:00Z", "2026-06-18T12:00:00Z", "2026-06-19T12:00:00Z"] {
      let plain = await moods(at: time, in: catalog)
      #expect(!plain.errors.contains("times go back"), "\(plain)")
    }
    for command in [
      ["materialize", catalog.folder.file("x.sqlite"), "--at"],
      ["receipt", "--at"],
      ["bisect", "SELECT count(*) > 3 FROM mood", "--good"],
      ["report", catalog.folder.file("x.html"), "--since"],
    ] {
      let outcome = await InProcess.run(
        command + ["2026-06-17T12:00:00Z", "--catalog", catalog.path])
      #expect(outcome.errors.contains(note), "\(command): \(outcome)")
    }
  }

  /// One event of a clock that was wrong hides nothing that follows.
  @Test func anEventOfTheFutureHidesNoLaterOne() async throws {
    let catalog = try TestCatalog()
    try await importValues(
      [
        ("A", "2026-01-01T00:00:00Z"), ("B", "2036-01-01T00:00:00Z"),
        ("C", "2026-02-01T00:00:00Z"), ("D", "2026-03-01T00:00:00Z"),
      ], into: catalog)
    for (time, found) in [
      ("2026-01-31T00:00:00Z", "A"), ("2026-02-28T00:00:00Z", "A,B,C"),
      ("2026-03-31T00:00:00Z", "A,B,C,D"),
    ] {
      #expect(await moods(at: time, in: catalog).lines.last == found, "\(time)")
    }
  }

  @Test func anImportBeforeTheHeadsTimeWarns() async throws {
    let (catalog, warnings) = try await goingBack()
    #expect(warnings.enumerated().filter { !$0.element.isEmpty }.map(\.offset) == [2])
    #expect(
      warnings[2].contains(
        "warning: --at 2026-06-17T12:00:00Z is before 2026-06-18T12:00:00.000Z, the time of events 4 to 5"
      ),
      "\(warnings)")
    let again = await catalog.run(
      "import", catalog.folder.file("A.json"), "--at", "2026-01-01T00:00:00Z")
    #expect(again.status == 0 && again.errors.isEmpty, "nothing is appended: \(again)")
  }

  @Test func doctorListsWhereTimesGoBack() async throws {
    let (catalog, _) = try await goingBack()
    let outcome = await catalog.run("doctor")
    #expect(outcome.status == 0, "it is only for the user to know: \(outcome)")
    #expect(
      outcome.output.contains(
        "timesGoBack  events: times go back: events 4 to 5 of 2026-06-18T12:00:00.000Z are before events 6 "
          + "to 7 of 2026-06-17T12:00:00.000Z"), "\(outcome)")
    #expect(outcome.errors == "0 findings, 1 note\n", "\(outcome)")
    // Each goes back a day.
    let values = (1...12).map { ("X\($0)", "2026-05-\(31 - $0)T00:00:00Z") }
    try await importValues(values, into: catalog)
    let many = await catalog.run("doctor")
    #expect(many.errors == "0 findings, 11 notes\n", "\(many)")
    #expect(many.output.contains("times go back at 3 more batches"), "\(many)")
  }

  /// Each command that takes a moment takes every form of it.
  @Test func everyCommandTakesEveryForm() async throws {
    let (catalog, _) = try await goingBack()
    let log = await catalog.run("log", "--type", "seed.imported", "--format", "json")
    let operations = try log.lines.map {
      try #require(
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])["op"] as? String
    }
    let third = String(try #require(operations[2]).prefix(8))
    let now = Date().formatted(.iso8601.year().month().day())
    for (moment, found) in [
      ("head", "A,B,C,D"), ("HEAD~1", "A,B,C"), ("last~3", "A"), (third, "A,B,C"),
      ("2026-06-16", "A"), ("2026-06-17", "A,B,C"), ("2026-06", "A,B,C,D"), (now, "A,B,C,D"),
      ("yesterday", "A,B,C,D"), ("-1s", "A,B,C,D"), ("now", "A,B,C,D"), ("1 min ago", "A,B,C,D"),
    ] {
      #expect(await moods(at: moment, in: catalog).lines.last == found, "\(moment)")
    }
    #expect(await moods(at: "start", in: catalog).lines.last == "NULL")
    for (number, command) in [
      ["materialize", catalog.folder.file("N.sqlite"), "--at"], ["receipt", "--at"],
      ["bisect", "SELECT count(*) > 3 FROM mood", "--good"],
      ["report", catalog.folder.file("N.html"), "--since"],
      ["history", "count", "SELECT count(*) FROM mood", "--from"],
      ["blame", "mood", "1", "--at"], ["changes"],
      ["log", "--since"], ["log", "--until"], ["event"], ["diff"],
    ].enumerated() {
      for moment in ["head~1", third, "2026-06-17", "now-1s"] {
        // An operation has several events, and an older state nothing after a newer one.
        if command == ["event"], moment == third { continue }
        if command.contains("--good"), moment == "now-1s" { continue }
        let words = command.map { $0.replacing("N.", with: "\(number)-\(moment).") }
        let outcome = await InProcess.run(words + [moment, "--catalog", catalog.path])
        #expect([0, 2].contains(outcome.status), "\(words) \(moment): \(outcome)")
      }
    }
  }

  @Test func rangesAndOperationsStandForBothSides() async throws {
    let (catalog, _) = try await goingBack()
    let heads = try await catalog.head()
    // D was the last import: three events in the fourth batch after the first event.
    for arguments in [
      ["head~1", "head"], ["head~1..head"], ["head~1.."], ["\(heads.sequence)..\(heads.sequence)"],
      ["2026-06-19..2026-06-19"],
    ] {
      for command in ["diff", "changes"] {
        let outcome = await InProcess.run(
          [command] + arguments + ["--format", "json", "--catalog", catalog.path])
        #expect(outcome.status == 2, "\(command) \(arguments): \(outcome)")
        #expect(outcome.output.contains("'D'") && !outcome.output.contains("'B'"), "\(outcome)")
      }
    }
    let show = await catalog.run("show", "head~2..head")
    #expect(show.lines.first?.hasPrefix("2 operations, events ") == true, "\(show)")
    let revert = await catalog.run("revert", "head", "--dry-run")
    #expect(revert.output.contains("D"), "\(revert)")
    let whatIf = await catalog.run("what-if", "head")
    #expect(whatIf.status == 2 && whatIf.output.contains("'D'"), "\(whatIf)")
    let both = await catalog.run("diff", "head~1..head", "live")
    #expect(both.status == 64 && both.errors.contains("is a range already"), "\(both)")
    let before = await catalog.run("query", "--at", "head~9", "SELECT 1")
    #expect(before.status == 1 && before.errors.contains("the log has 5 batches"), "\(before)")
  }

  /// Digits that are no event name the operation whose id begins with them, in every command.
  @Test func digitsNameAnOperation() async throws {
    let catalog = try await TestCatalog.imported()
    var digits: Substring = ""
    var name = ""
    // One in seven ids begins with four digits that could be a number.
    for number in 1...200 where digits.count < 4 {
      name = "Mood \(number)"
      let added = await catalog.run("tag", "add", SampleSeed.id(201), "--mood", name)
      try #require(added.status == 0, "\(added)")
      let last = try await catalog.run("event", "head", "--format", "json").object()
      let id = try #require(last["op"] as? String)
      digits = id.hasPrefix("0") ? "" : id.prefix(4).prefix { $0.isNumber }
    }
    try #require(digits.count == 4)
    let word = String(digits)
    let last = try await catalog.head().sequence
    // Later than the operation, which is not the end of the log then.
    _ = await catalog.run("tag", "add", SampleSeed.id(202), "--mood", "Later")
    let show = await catalog.run("show", word)
    #expect(show.output.hasPrefix("operation \(word)"), "\(show)")
    for command in ["diff", "changes"] {
      let outcome = await catalog.run(command, word)
      #expect(outcome.output.contains(name), "\(command) \(word): \(outcome)")
      #expect(!outcome.output.contains("Later"), "\(command) \(word): \(outcome)")
      #expect(!outcome.errors.contains("holds event \(word)"), "\(outcome)")
    }
    let count = await catalog.run(
      "query", "--at", word, "SELECT count(*) FROM mood WHERE name = 'Later'")
    #expect(count.lines.last == "0", "\(count)")
    let until = await catalog.run("log", "--until", word, "--newest", "--limit", "1")
    #expect(until.output.hasPrefix("\(last)  "), "\(until)")
  }

  /// The event is taken, and the operation is named.
  @Test func digitsOfAnEventCanBeginAnOperation() async throws {
    let catalog = try await SharedCatalogs.starter.value.copy(hasHistory: false)
    let item = try await catalog.run("items", "sfx", "--limit", "1", "--format", "jsonl").object()
    let id = try #require(item["id"] as? String)
    // One in 26 ids begins with the digits of one of the 3,533 events.
    var found: (digits: String, operation: String)?
    for number in 1...600 where found == nil {
      _ = await catalog.run("tag", "add", id, "--mood", "Mood \(number)", "--new")
      let last = try await catalog.run("event", "head", "--format", "json").object()
      let operation = try #require(last["op"] as? String)
      if let digits = Int(operation.prefix(4)), 1_000...3_533 ~= digits {
        found = ("\(digits)", operation)
      }
    }
    let (digits, operation) = try #require(found)
    for command in ["show", "diff", "changes"] {
      let outcome = await catalog.run(command, digits)
      #expect(
        outcome.errors.contains("\(digits) was taken for event \(digits); operations that begin so")
          && outcome.errors.contains(operation), "\(command): \(outcome)")
    }
    let named = await catalog.run("show", operation)
    #expect(named.status == 0 && !named.errors.contains("was taken for"), "\(named)")
  }

  @Test(arguments: [
    ("concert-archive", ["shows", "import", "Concerts/data-v1.0.0"]),
    ("track-library", ["tracks", "import", "Tracks/library.json"]),
  ])
  func importsOfEachKindTakeATime(kind: String, words: [String]) async throws {
    let catalog = try TestCatalog()
    let document = "\(ScratchFolder.repository)/Examples/\(words[2])"
    try #require(await catalog.run("init", "--kind", kind).status == 0)
    let early = await InProcess.run(
      words.dropLast() + [document, "--at", "2026-01-31T12:00:00Z", "--catalog", catalog.path])
    #expect(
      early.status == 0 && early.errors.contains("--at 2026-01-31T12:00:00Z is before"), "\(early)")
    let log = try await catalog.run("log", "--operations", "--format", "json").objects()
    #expect(log.last?["at"] as? String == "2026-01-31T12:00:00.000Z", "\(log)")
    // Of a day its beginning, as of a date.
    for (text, age) in [("yesterday", 1.0...2.0), ("-7d", 7.0...7.1), ("2026-02", 0.0...9_999.0)] {
      let other = try TestCatalog()
      try #require(await other.run("init", "--kind", kind, "--quiet").status == 0)
      let made = await InProcess.run(
        words.dropLast() + [document, "--at", text, "--catalog", other.path])
      #expect(made.status == 0, "\(made)")
      let last = try await other.run("log", "--operations", "--format", "json").objects().last
      let time = try #require(last?["at"] as? String)
      let date = try Date(
        time, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
      #expect(age.contains(-date.timeIntervalSinceNow / 86_400), "\(text): \(time)")
      #expect((text == "-7d") != time.hasSuffix("T00:00:00.000Z"), "\(text): \(time)")
    }
    let sequence = await InProcess.run(
      words.dropLast() + [document, "--at", "3", "--catalog", catalog.path])
    #expect(sequence.status == 64 && sequence.errors.contains("or yesterday"), "\(sequence)")
    #expect(await catalog.run("verify", "--quick").status == 0)
  }

  /// A time that `log` prints names its batch, and not what came after it.
  @Test func aTimeOfTheLogNamesItsOperation() async throws {
    let (catalog, _) = try await goingBack()
    let batches = try await catalog.run("log", "--operations", "--format", "json").objects()
    // The first import made the catalog, in a batch of the same time.
    for batch in batches.dropFirst(2) {
      let (time, first) = (batch["at"] as? String ?? "", batch["firstSequence"] as? Int ?? 0)
      let shown = try await catalog.run("show", time, "--format", "json").object()
      #expect(shown["firstSequence"] as? Int == first && shown["at"] as? String == time)
    }
    let revert = await catalog.run("revert", "2026-06-18T12:00:00.000Z", "--dry-run")
    #expect(revert.output.contains("'B'") && !revert.output.contains("'D'"), "\(revert)")
    let since = try await catalog.run("show", "2026-06-18T11:00:00Z", "--format", "json").object()
    #expect(since["lastSequence"] as? Int == batches.last?["lastSequence"] as? Int)
    // The time of two batches that have another one between them.
    try await importValues(
      [
        ("E", "2026-06-20T12:00:00Z"), ("F", "2026-06-21T12:00:00Z"), ("G", "2026-06-20T12:00:00Z"),
      ],
      into: catalog)
    let both = await catalog.run("show", "2026-06-20T12:00:00Z")
    #expect(both.status == 1 && both.errors.contains("have others between them"), "\(both)")
  }

  @Test func errorsNameTheForms() async throws {
    let (catalog, _) = try await goingBack()
    for command in [
      ["query", "--at", "last monday", "SELECT 1"], ["diff", "last monday", "live"],
      ["changes", "last monday"], ["log", "--since", "last monday"], ["event", "last monday"],
      ["receipt", "--at", "last monday"],
      ["history", "count", "x", "--to", "last monday"],
    ] {
      let outcome = await InProcess.run(command + ["--catalog", catalog.path])
      #expect(outcome.status == 64, "\(command): \(outcome)")
      for form in ["head~3", "yesterday", "-7d", "2026-01-31", "live"] {
        #expect(outcome.errors.contains(form), "\(command): \(outcome)")
      }
    }
    for command in ["revert", "show"] {
      let outcome = await catalog.run(command, "bb0")
      #expect(outcome.status == 64 && outcome.errors.contains("head~3..head"), "\(outcome)")
    }
    let unix = await catalog.run("query", "--at", "1777280400", "SELECT 1")
    #expect(unix.errors.contains("if this is a Unix time, write 2026-04-27T09:00:00.000Z"))
  }
}
