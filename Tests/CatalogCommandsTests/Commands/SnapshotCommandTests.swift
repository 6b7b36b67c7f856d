import CatalogTestSupport
import Foundation
import Testing

/// `snapshot make`, `list` and `remove`, and what other commands make of snapshots.
@Suite struct SnapshotCommandTests {
  /// A catalog, and its head behind the import, before the last batch and behind it.
  private func catalog() async throws -> (TestCatalog, first: Int, before: Int, head: Int) {
    let catalog = try await TestCatalog.imported()
    var heads = [try await catalog.head().sequence]
    for mood in ["Spooky", "Grim", "Merry"] {
      _ = await catalog.run("tag", "add", SampleSeed.id(201), "--mood", mood)
      heads.append(try await catalog.head().sequence)
    }
    return (catalog, heads[0], heads[2], heads[3])
  }

  private func file(_ sequence: Int, _ catalog: TestCatalog) -> String {
    let digits = String(sequence)
    return catalog.path + "/snapshots/" + String(repeating: "0", count: 20 - digits.count) + digits
      + ".sqlite.zst"
  }

  @Test func snapshotsAreMadeListedUsedAndRemoved() async throws {
    let (catalog, first, before, head) = try await catalog()
    let made = await catalog.run("snapshot", "make", "--at", "\(first)", "--at", "\(before)")
    #expect(made.status == 0, "\(made)")
    #expect(
      made.lines.map { $0.split(separator: "  ")[0] } == ["event \(first)", "event \(before)"])
    let listed = try await catalog.run("snapshot", "list", "--format", "json").objects()
    #expect(listed.map { $0["sequence"] as? Int } == [first, before])
    #expect(
      listed.map { $0["file"] as? String } == [file(first, catalog), file(before, catalog)])

    let moods = "SELECT count(*) FROM mood"
    let asked = await catalog.run(
      "query", "--no-history", "--at", "\(head)", moods, "--format", "json")
    #expect(asked.errors.isEmpty)
    let verified = try await catalog.program("verify", "--thorough")
    #expect(verified.status == 0 && verified.errors.isEmpty, "\(verified)")

    // The one that lies nearest is damaged: it is named, and the answer is the same.
    var bytes = try Data(contentsOf: URL(filePath: file(before, catalog)))
    bytes[bytes.count / 2] ^= 4
    try bytes.write(to: URL(filePath: file(before, catalog)))
    for command in [
      ["query", "--no-history", "--at", "\(head)", moods],
      ["diff", "--no-history", "\(head)", "live"],
    ] {
      let outcome = await InProcess.run(command + ["--catalog", catalog.path])
      #expect(outcome.status == 0, "\(outcome)")
      #expect(
        outcome.errors.contains("warning: the snapshot \(file(before, catalog)) is not used"))
    }
    #expect(
      await catalog.run("query", "--no-history", "--at", "\(head)", moods, "--format", "json")
        .output
        == asked.output)
    let verifiedAgain = try await catalog.program("verify", "--thorough")
    #expect(verifiedAgain.status == 0)
    #expect(verifiedAgain.errors.contains("is not used"), "\(verifiedAgain)")

    try bytes.prefix(7).write(to: URL(filePath: file(before, catalog)))
    let found = await catalog.run("snapshot", "list")
    #expect(found.status == 2 && found.output.contains("not usable: it is not a snapshot"))
    #expect(await catalog.run("snapshot", "remove").output == "removed 1 snapshot\n")
    #expect(await catalog.run("snapshot", "remove", "\(first)").output == "removed 1 snapshot\n")
    #expect(try ScratchFolder.contents(catalog.path + "/snapshots").isEmpty)
  }

  /// Only a verify that looks into a snapshot finds this: its database was changed, and its hash with it.
  @Test(arguments: [false, true])
  func verifyFindsASnapshotThatTellsAnotherStory(another isNearer: Bool) async throws {
    let (catalog, first, before, _) = try await catalog()
    let sequence = isNearer ? first : before
    _ = await catalog.run("snapshot", "make", "--at", "\(first)", "--at", "\(before)")
    try await forge(file(sequence, catalog), catalog)
    let outcome = try await catalog.program("verify", "--thorough")
    #expect(outcome.status == 2)
    #expect(
      outcome.output.contains(
        "replay: the snapshot \(file(sequence, catalog)) is not what the log makes: rows of library_item"
      ),
      "\(outcome)")
    #expect(outcome.output.contains("`catalogctl snapshot remove \(sequence)`"), "\(outcome)")
  }

  /// Its digests were removed, too: nothing proves its rows.
  @Test func verifyFindsASnapshotWithoutDigests() async throws {
    let (catalog, first, before, _) = try await catalog()
    _ = await catalog.run("snapshot", "make", "--at", "\(first)", "--at", "\(before)")
    try await forge(file(first, catalog), catalog, "DELETE FROM projection_digest")
    let outcome = try await catalog.program("verify", "--thorough")
    #expect(outcome.status == 2)
    #expect(outcome.output.contains("the running digests"), "\(outcome)")
  }

  private func forge(
    _ snapshot: String, _ catalog: TestCatalog, _ more: String = "SELECT 1"
  ) async throws {
    let forged = try await Program.run(
      "python3",
      [
        "-c",
        """
        import hashlib, json, sqlite3, struct, subprocess
        path, plain = "\(snapshot)", "\(catalog.folder.file("plain.sqlite"))"
        stored = open(path, "rb").read()
        length = struct.unpack("<I", stored[4:8])[0]
        header = json.loads(stored[8:8 + length])
        open(plain, "wb").write(subprocess.run(["zstd", "-dcq", path], capture_output=True).stdout)
        database = sqlite3.connect(plain)
        database.execute("UPDATE library_item SET title = 'Forged' WHERE id = '\(SampleSeed.id(201))'")
        database.execute("\(more)")
        database.commit()
        database.close()
        data = open(plain, "rb").read()
        packed = subprocess.run(["zstd", "-cq"], input=data, capture_output=True).stdout
        header.update(bytes=len(data), sha256=hashlib.sha256(packed).hexdigest())
        text = json.dumps(header).encode().ljust(length - 1) + bytes([10])
        open(path, "wb").write(stored[:4] + struct.pack("<I", len(text)) + text + packed)
        """,
      ])
    #expect(forged.status == 0, "\(forged.errors)")
  }

  @Test(arguments: [
    (["make", "--count", "0"], "1 to 1000"), (["make", "--at", "live"], "sequences or times"),
    (["make", "--budget", "12X"], "--budget"), (["make", "--budget", "-1"], "--budget"),
    (["make", "--budget", "99999999999999999999G"], "--budget"),
    (["remove", "3", "--all"], "--all"), (["remove", "three"], "three"),
  ])
  func wrongUseIsSaid(arguments: [String], message: String) async throws {
    let (catalog, _, _, _) = try await catalog()
    let outcome = await InProcess.run(["snapshot"] + arguments + ["--catalog", catalog.path])
    #expect(outcome.status == 64 && outcome.errors.contains(message), "\(outcome)")
    #expect(!FileManager.default.fileExists(atPath: catalog.path + "/snapshots"))
  }

  /// What `list` calls unusable is what other commands pass over and what `remove` removes.
  @Test func damageDeepInsideIsListedAndRemoved() async throws {
    let (catalog, first, before, head) = try await catalog()
    _ = await catalog.run("snapshot", "make", "--at", "\(first)", "--at", "\(before)")
    var bytes = try Data(contentsOf: URL(filePath: file(before, catalog)))
    bytes[bytes.count - 100] ^= 1
    try bytes.write(to: URL(filePath: file(before, catalog)))
    let folder = file(head, catalog)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let listed = await catalog.run("snapshot", "list")
    #expect(listed.status == 2)
    #expect(
      listed.output.contains("event \(before)") && listed.output.contains("do not match its hash"))
    #expect(
      listed.output.contains("\(folder)  0 B  not usable: it is not a regular file"), "\(listed)")
    let removed = await catalog.run("snapshot", "remove")
    #expect(removed.status == 1 && removed.output == "removed 1 snapshot\n", "\(removed)")
    #expect(removed.errors.contains("cannot remove \(folder)"))
    #expect(!FileManager.default.fileExists(atPath: file(before, catalog)))
    // Something else in the place of the folder keeps nobody from looking back.
    try FileManager.default.removeItem(atPath: catalog.path + "/snapshots")
    try Data().write(to: URL(filePath: catalog.path + "/snapshots"))
    let asked = await catalog.run("query", "--no-history", "--at", "\(head)", "SELECT 1")
    #expect(asked.status == 0 && asked.errors.contains("no snapshot is used"), "\(asked)")
  }

  @Test func whatCannotBeDoneIsSaid() async throws {
    let (catalog, _, _, head) = try await catalog()
    let missing = await catalog.run("snapshot", "remove", "7")
    #expect(missing.status == 1 && missing.errors.contains("no snapshot of event 7"))
    let beyond = await catalog.run("snapshot", "make", "--at", "\(head + 1)")
    #expect(beyond.status == 1 && beyond.errors.contains("events 1 to \(head)"))
    let small = await catalog.run("snapshot", "make", "--budget", "1K")
    #expect(small.status == 1 && small.errors.contains("the budget is 1024"), "\(small)")
    #expect(try ScratchFolder.contents(catalog.path + "/snapshots").isEmpty)
    let nowhere = await InProcess.run(["snapshot", "make", "--catalog", catalog.folder.file("no")])
    #expect(nowhere.status == 1 && nowhere.errors.contains("there is no catalog"))
  }
}
