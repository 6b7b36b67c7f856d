import CatalogTestSupport
import EventLog
import Foundation
import Promises
import Testing

/// A reader follows what other processes append, seal and begin anew.
@Suite(
  .promise(
    "A reader beside a writer sees each batch once, over recovery, rollover and sealing",
    by: "other processes append, seal and start again"))
struct FollowTests {
  @Test(.timeLimit(.minutes(10))) func aFollowerSeesWhatOtherProcessesAppend() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let reader = EventLogReader(directory: catalog.events)
    let start = try #require(try reader.head())
    let following = Task {
      var seen: [BatchInfo] = []
      for try await element in reader.follow(after: start) {
        #expect(element.lines.count == Int(element.batch.eventCount))
        seen.append(element.batch)
        if seen.count == 3 { break }
      }
      return seen
    }
    for revision in 2...4 {
      let seed = try catalog.folder.write(
        SampleSeed.text(revision: revision), to: "seed-\(revision).json")
      #expect(try await catalog.program("import", seed).status == 0)
      // The file under the follower is replaced: it goes on with the old one, then the next.
      if revision == 2 { #expect(try await catalog.program("seal").status == 0) }
    }
    let seen = try await following.value
    #expect(seen.map(\.previousChain) == [start.chain] + seen.dropLast().map(\.chain))
    #expect(try reader.head() == seen.last?.head)
  }

  /// Commands of other processes append while `changes --follow` runs. What it printed is compared with what `changes` lists of
  /// each of their batches afterwards.
  @Test(arguments: ["", "--no-history"])
  func changesAreListedAsOthersAppendThem(history: String) async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let outcome = try await Program.shell(
      Self.following + """
        head() { "$CTL" head --catalog "$C" | cut -d' ' -f1; }
        heads=($(head))
        "$CTL" changes $heads --follow $HISTORY --format jsonl --every 0.02 --for 500 --catalog "$C" >"$OUT" 2>"$OUT.errors" &
        for mood in One Two Three; do
          "$CTL" tag add "$ITEM" --mood "$mood" --catalog "$C" >"$OUT.said"; heads+=($(head))
        done
        "$CTL" seal --catalog "$C" >"$OUT.said"
        "$CTL" import "$SEED" --catalog "$C" >"$OUT.said"; heads+=($(head))
        "$CTL" tag add "$ITEM" --mood Four --catalog "$C" >"$OUT.said"; heads+=($(head))
        for place in 0 1 2 3 4; do
          "$CTL" changes ${heads[place]} ${heads[place + 1]} --rows 1000000 --format jsonl --catalog "$C" --quiet
        done >"$OUT.all"
        until_lines "$OUT" "$(wc -l <"$OUT.all")"
        # Lists that end have no event to continue at.
        sed -E 's/"resume":"[0-9]+:[0-9a-f]{64}",//' "$OUT" | cmp - "$OUT.all" && echo "same $(wc -l <"$OUT")"
        """,
      [
        "CTL": Program.catalogctl, "C": catalog.path, "OUT": catalog.folder.file("changes"),
        "ITEM": SampleSeed.id(201), "HISTORY": history,
        "SEED": try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed-2.json"),
      ])
    let words = outcome.output.split(separator: " ")
    #expect(words.first == "same", "\(outcome)")
    #expect(words.count == 2 && Int(words[1].dropLast()) ?? 0 > 8, "\(outcome)")
  }

  /// A reader is ended after any line, and continues at the event that the line names: it misses nothing, and repeats a batch at most.
  @Test func aReaderThatWasEndedMissesNothing() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy()
    let seed = try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed-2.json")
    try #require(await catalog.run("import", seed).status == 0)
    try #require(await catalog.run("tag", "add", SampleSeed.id(201), "--mood", "One").status == 0)
    /// The lines after an event, of a list that ends.
    func lines(after event: UInt64) async -> [String] {
      let list = await catalog.run(
        "changes", "\(event)", "--rows", "1000000", "--format", "jsonl")
      return list.lines
    }
    /// So many lines of one that is continued from an event or a head.
    func lines(from start: String, following count: Int) async throws -> [String] {
      let outcome = try await Program.shell(
        Self.following + """
          "$CTL" changes $START --follow --format jsonl --every 0.02 --for 500 --catalog "$C" >"$OUT" 2>"$OUT.errors" &
          until_lines "$OUT" $COUNT
          cat "$OUT"
          """,
        [
          "CTL": Program.catalogctl, "C": catalog.path, "OUT": catalog.folder.file("changes"),
          "START": start, "COUNT": "\(count)",
        ])
      return outcome.lines
    }
    struct Line: Decodable {
      struct Event: Decodable { let sequence: UInt64 }
      let resume: String
      let event: Event

      /// The event of `resume`.
      var reached: UInt64 { UInt64(resume.prefix { $0 != ":" }) ?? 0 }
    }
    let count = await lines(after: 1).count
    let all = try await lines(from: "1", following: count)
    let parsed = try all.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    let head = UInt64(try await catalog.head().sequence)
    let end = try await catalog.head()
    #expect(parsed.count == count && parsed.last?.resume == "\(end.sequence):\(end.chain)")
    let resumes = parsed.map(\.reached)
    #expect(Set(resumes).count >= 3 && resumes == resumes.sorted())
    for resume in Set(resumes) {
      let left = await lines(after: resume).count
      // The lines that say so are read again with it, but for the last one of the batch before.
      let places = resumes.indices.filter { resumes[$0] == resume }
      for place in places {
        #expect(left >= count - place - 1, "line \(place) of \(count) says \(resume)")
        #expect(left <= count - places[0], "line \(place) of \(count) says \(resume)")
      }
    }
    let second = try #require(parsed.first { $0.resume != parsed[0].resume }?.resume)
    let left = await lines(after: resumes.first { $0 != resumes[0] } ?? 0).count
    #expect(try await lines(from: second, following: left) == all.suffix(left))
    // An event within a batch, as a reader has it that keeps the events of lines.
    let within = try #require(parsed.first { $0.event.sequence < head }?.event.sequence)
    #expect(try await lines(from: "\(within)", following: count) == all)
  }

  /// A service that is started again sees that its log was restored and continued with other events, of which there may be more.
  @Test func aReaderOfARestoredLogIsToldSo() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy()
    let before = try catalog.copy()
    for mood in ["One", "Two"] {
      try #require(
        await catalog.run("tag", "add", SampleSeed.id(201), "--mood", mood).status == 0)
    }
    let end = try await catalog.head()
    for mood in ["A", "B", "C", "D"] {
      try #require(
        await before.run("tag", "add", SampleSeed.id(202), "--mood", mood, "--new").status == 0)
    }
    #expect(try await before.head().sequence > end.sequence)
    let resume = "\(end.sequence):\(end.chain)"
    for (folder, status) in [(catalog, 0), (before, 3)] as [(TestCatalog, Int32)] {
      let outcome = await folder.run(
        "changes", resume, "--follow", "--format", "jsonl", "--for", "1")
      #expect(outcome.status == status && outcome.output.isEmpty, "\(outcome)")
    }
    // The head before the first event names the log.
    let id = try await catalog.head().logID
    let empty = LogHead.empty(try #require(LogID(id)))
    let begin = await catalog.run(
      "changes", "0:\(empty.chain.hex)", "--follow", "--format", "jsonl", "--for", "1")
    #expect(begin.status == 0, "\(begin)")
    let other = await catalog.run("changes", "0:\(end.chain)", "--follow", "--for", "1")
    #expect(other.status == 3 && other.output.isEmpty, "\(other)")
  }

  /// A copy that another program keeps of a table, by the changes alone, is the table.
  @Test func plainValuesMakeACopyOfATable() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy()
    let seed = try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed-2.json")
    try #require(await catalog.run("import", seed).status == 0)
    let listed = await catalog.run(
      "changes", "start", "--table", "library_item", "--rows", "1000000", "--values", "plain",
      "--format", "jsonl")
    try #require(listed.status == 2, "\(listed)")
    func object(_ line: some StringProtocol) throws -> [String: Any] {
      try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    var rows: [String: NSDictionary] = [:]
    for line in listed.lines {
      let change = try object(line)
      let id = try #require((change["key"] as? [String: Any])?["id"] as? String)
      let after = change["after"] as? [String: Any]
      switch change["change"] as? String {
      case "added": rows[id] = after as NSDictionary?
      case "changed":
        let row = rows[id] as? [String: Any] ?? [:]
        rows[id] = row.merging(after ?? [:]) { $1 } as NSDictionary
      default: rows[id] = nil
      }
    }
    let asked = await catalog.run("query", "SELECT * FROM library_item", "--format", "json")
    let answer = try object(asked.output)
    let columns = try #require(answer["columns"] as? [String])
    let wanted = try #require(answer["rows"] as? [[Any]])
    #expect(wanted.count == rows.count && wanted.count > 20)
    for values in wanted {
      let row = Dictionary(uniqueKeysWithValues: zip(columns, values))
      #expect(rows[row["id"] as? String ?? ""] == row as NSDictionary)
    }
    for words in [["--values", "plain"], ["--values", "plain", "--summary", "--json"]] {
      let refused = await InProcess.run(
        ["changes", "1", "--catalog", catalog.path] + words)
      #expect(refused.status == 64 && refused.errors.contains("--values is about"), "\(refused)")
    }
    #expect(await catalog.run("changes", "1", "--json", "--values", "hex").status == 64)
  }

  /// A copy of an earlier state takes the log's place.
  @Test func aFollowerOfChangesSaysThatItsLogWasReplaced() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let outcome = try await Program.shell(
      Self.following + """
        cp -r "$C/events" "$C/earlier"
        "$CTL" tag add "$ITEM" --mood One --catalog "$C" >"$OUT.said"
        "$CTL" changes 1 --follow --format jsonl --every 0.02 --for 500 --catalog "$C" >"$OUT" 2>"$OUT.errors" &
        follower=$!
        until_lines "$OUT" "$("$CTL" changes 1 --rows 1000000 --format jsonl --catalog "$C" --quiet | wc -l)"
        # Both at once: without a log for a moment the follower may end with another error.
        python3 -c 'import ctypes, sys
        ends = [name.encode() for name in sys.argv[1:]]
        sys.exit(ctypes.CDLL(None).renameat2(-100, ends[0], -100, ends[1], 2))' "$C/events" "$C/earlier"
        # By number: the shell forgets a job that has ended, and %1 is then no job.
        wait "$follower"; echo "status $?"; cat "$OUT.errors"
        """,
      [
        "CTL": Program.catalogctl, "C": catalog.path, "OUT": catalog.folder.file("changes"),
        "ITEM": SampleSeed.id(201),
      ])
    #expect(outcome.output.contains("status 3"), "\(outcome)")
    #expect(outcome.output.contains("lost events"), "\(outcome)")
  }

  /// Ends the jobs that it started, which have the usual signals blocked, and waits for a file to have as many lines.
  static let following = """
    set -m
    trap 'kill -KILL %1 2>/dev/null' EXIT
    until_lines() {
      for attempt in $(seq 5000); do
        [ "$(wc -l <"$1")" -ge "$2" ] && return
        sleep 0.02
      done
      echo "only $(wc -l <"$1") of $2 lines"; cat "$1.errors"
    }

    """

  @Test func aFollowerEndsOnAnInterruptionOrAfterItsTime() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let words = ["--follow", "--every", "60", "--catalog", catalog.path]
    // The last look is at the end of the time, and not a whole interval before it.
    for command in [["changes", "head"], ["follow"]] {
      let words = command.count == 1 ? Array(words.dropFirst()) : words
      let begun = ContinuousClock.now
      let timed = try await Program.catalogctl(command + ["--for", "1"] + words)
      #expect(timed.status == 0 && begun.duration(to: .now) >= .seconds(1), "\(timed)")
    }
    let run = try Program.interruptible(["changes", "1", "--no-history"] + words)
    try await Wait.until("the first change") { try !Data(contentsOf: run.output).isEmpty }
    run.process.interrupt()
    #expect(try await run.finish().status == 130)
    for option in ["--every", "--for"] {
      let refused = await catalog.run("changes", "1", option, "3")
      #expect(refused.status == 64 && refused.errors.contains("--follow"), "\(refused)")
    }
  }

  @Test(arguments: [
    (["1", "head"], "has no end"), (["1..3"], "has no end"), (["1", "--rows", "5"], "--rows"),
    (["1", "--summary"], "--summary"), (["head", "--table", "packs"], "did you mean"),
    (["1", "--format", "json"], "jsonl"),
    (["1", "--format", "csv"], "jsonl"), (["1", "--every", "0"], "--every"),
  ])
  func whatAListWithoutAnEndCannotHaveIsRefused(words: [String], named: String) async throws {
    let catalog = try await SharedCatalogs.sample.value
    let outcome = await InProcess.run(["changes", "--follow", "--catalog", catalog.path] + words)
    #expect(outcome.status == 64 && outcome.errors.contains(named), "\(outcome)")
  }
}
