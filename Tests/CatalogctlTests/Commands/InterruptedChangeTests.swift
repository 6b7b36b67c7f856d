import CatalogTestSupport
import Foundation
import GRDB
import Promises
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Ctrl-C while a change is made, with real signals in real processes: the program says what of it was done.
@Suite(
  .promise(
    "A change that a signal stops says which part of it is in the log, and leaves nothing "
      + "half done",
    by: "real signals: while it waits, and between append and database"))
struct InterruptedChangeTests {
  enum Change: String, CaseIterable {
    case sounds, shows, tracks, tag, playlist, create

    var kind: String? {
      switch self {
      case .sounds, .tag: "sound-library"
      case .shows: "concert-archive"
      case .tracks, .playlist: "track-library"
      case .create: nil
      }
    }

    func arguments(_ catalog: TestCatalog) throws -> [String] {
      let examples = ScratchFolder.repository + "/Examples/"
      return switch self {
      case .sounds:
        ["import", try catalog.folder.write(SampleSeed.text(revision: 2), to: "2.json")]
      case .shows: ["shows", "import", examples + "Concerts/data-v1.0.0"]
      case .tracks: ["tracks", "import", examples + "Tracks/library.json"]
      case .tag: ["tag", "add", SampleSeed.id(101), "--mood", "New"]
      case .playlist: ["tracks", "playlist", "create", "Evening"]
      case .create: ["init"]
      }
    }
  }

  /// Another process has the log: nothing was appended, and nothing is.
  @Test(arguments: Change.allCases, [SIGINT, SIGTERM])
  func whileItWaits(_ change: Change, number: Int32) async throws {
    let catalog = try TestCatalog()
    if let kind = change.kind {
      #expect(await catalog.run("init", "--kind", kind).status == 0)
    }
    try FileManager.default.createDirectory(
      atPath: catalog.events, withIntermediateDirectories: true)
    let segments = try FileManager.default.contentsOfDirectory(atPath: catalog.events)
    let lock = try HeldLock(folder: catalog.events)
    let run = try Program.interruptible(
      change.arguments(catalog) + ["--wait", "60", "--catalog", catalog.path])
    try await run.untilItOpens(catalog.events)
    kill(run.process.processIdentifier, number)
    let outcome = try await run.finish()
    lock.release()
    #expect(outcome.status == 130, "\(outcome)")
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors == "catalogctl: interrupted: nothing was appended\n")
    let after = try FileManager.default.contentsOfDirectory(atPath: catalog.events)
    #expect(Set(after) == Set(segments))
  }

  @Test(arguments: [
    ("rebuild", "the database is as it was"), ("seal", "the log is as it was"),
  ])
  func whileMaintenanceWaits(command: String, words: String) async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let before = try catalog.eventBytes()
    let lock = try HeldLock(folder: catalog.events)
    let run = try Program.interruptible([command, "--wait", "60", "--catalog", catalog.path])
    try await run.untilItOpens(catalog.events)
    kill(run.process.processIdentifier, SIGINT)
    let outcome = try await run.finish()
    lock.release()
    #expect(outcome.status == 130 && outcome.output.isEmpty, "\(outcome)")
    #expect(outcome.errors == "catalogctl: interrupted: \(words)\n")
    #expect(try catalog.eventBytes() == before)
    #expect(try await catalog.program("verify").status == 0)
  }

  /// The change is in the log and in the database; its report waits for a reader of a pipe that is full.
  @Test func onceItIsApplied() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let before = try await catalog.head()
    let file = try catalog.folder.write(SampleSeed.text(revision: 2), to: "2.json")
    let blocked = """
      import fcntl, os, signal, sys
      reading, writing = os.pipe()
      fcntl.fcntl(writing, fcntl.F_SETFL, os.O_NONBLOCK)
      try:
        while True: os.write(writing, b"x" * 4096)
      except BlockingIOError: pass
      try:
        while True: os.write(writing, b"x")
      except BlockingIOError: pass
      fcntl.fcntl(writing, fcntl.F_SETFL, 0)
      os.set_inheritable(reading, True)
      os.dup2(writing, 1)
      signal.pthread_sigmask(signal.SIG_SETMASK, [])
      for number in (signal.SIGINT, signal.SIGTERM): signal.signal(number, signal.SIG_DFL)
      os.execv(sys.argv[1], sys.argv[1:])
      """
    let run = try Program.started(
      "python3", ["-c", blocked, Program.catalogctl, "import", file, "--catalog", catalog.path])
    var head = before
    while head == before, run.process.isRunning {
      try await Task.sleep(for: .milliseconds(10))
      head = try await catalog.head()
    }
    // The process gives the log back once the change is applied.
    try await Wait.until("the lock") { (try? HeldLock(folder: catalog.events).release()) != nil }
    kill(run.process.processIdentifier, SIGINT)
    let outcome = try await run.finish()
    #expect(outcome.status == 130, "\(outcome)")
    #expect(head.sequence > before.sequence)
    #expect(
      outcome.errors == "catalogctl: interrupted: appended and applied, head \(head.sequence)\n",
      "\(outcome)")
    #expect(try await catalog.program("verify").status == 0)
    #expect(try await catalog.head() == head)
  }

  /// The events of the second document are durable, and another program has the database for itself. The first document
  /// is done: its report is printed.
  @Test func onceItIsAppended() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let before = try await catalog.head()
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    // Else opening the pool would have to write.
    configuration.journalMode = .wal
    let holder = try DatabaseQueue(path: catalog.database, configuration: configuration)
    try await holder.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    let first = try catalog.folder.write(SampleSeed.text(), to: "1.json")
    // So many events that they are rehearsed in memory, and only the database's replacement waits for the other program.
    let second = try catalog.folder.write(
      SampleSeed.text(revision: 2, sounds: 5_000), to: "2.json")
    let run = try Program.interruptible(
      ["import", first, second, "--format", "json", "--catalog", catalog.path])
    var head = before
    while head.sequence == before.sequence, run.process.isRunning {
      try await Task.sleep(for: .milliseconds(10))
      head = try await catalog.head()
    }
    kill(run.process.processIdentifier, SIGINT)
    let outcome = try await run.finish()
    try await holder.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    try holder.close()
    #expect(outcome.status == 130, "\(outcome)")
    #expect(
      outcome.errors
        == "catalogctl: interrupted: appended, head \(head.sequence); the next command applies it\n"
    )
    let documents = try outcome.object()["documents"] as? [[String: Any]]
    #expect(documents?.map { $0["outcome"] as? String } == ["unchanged"])
    #expect(head.sequence == before.sequence + 10_016)
    #expect(await catalog.run("items", "music").status == 0)
    #expect(try await catalog.program("verify").status == 0)
    #expect(try await catalog.head() == head)
  }
}
