import CatalogModel
import CatalogTestSupport
import EventLog
import Foundation
import GRDB
import PastViewsTestSupport
import Projections
import Promises
import SoundLibraryTestSupport
import Synchronization
import Testing

@testable import CatalogEngine
@testable import CatalogStore
@testable import SoundLibrary

/// A state of the past that is kept while the log grows and the history is brought up to date, removed, or changed by others.
@Suite(
  .promise(
    "A state of the past that is kept answers the same whatever is appended, and keeps no "
      + "writer waiting",
    by: "the history grows, is removed or made again; on a real kind"),
  .promise(
    "A history that is damaged, changed or of another log is named and made again; any SQL "
      + "is answered as by a replay",
    by: "random damage of bits and pages, on a real kind"),
  .promise(
    "Each view of the inspector has the answer of the command that gives the same, and no "
      + "page keeps another waiting",
    by: "a statement that ends gives back its files, on a real kind"))
struct KeptPastTests {
  /// A log whose history has a part of its batches at first.
  private struct Trial {
    let log: GeneratedHistory
    let history: CatalogHistory
    private let rest: ArraySlice<[SoundEventRecord]>
    private let notes = Notes()

    private final class Notes: Sendable {
      let lines = Mutex<[String]>([])
    }

    init(seed: UInt64, batches count: Int, first: Int) throws {
      var generator = HistoryGenerator(seed: seed)
      let batches = generator.batches(count)
      log = try GeneratedHistory(Array(batches.prefix(first)))
      rest = batches.dropFirst(first)
      history = log.catalogHistory
      try history.make()
    }

    /// Appends the batches that the log lacks.
    func appendRest() throws {
      let writer = try EventLogWriter(directory: log.folder.file("events"), holder: "test")
      defer { writer.close() }
      for records in rest {
        var batch = try writer.makeBatch(expecting: writer.head)
        for record in records {
          try EventEncoder().encode(record).withUnsafeBytes { try batch.append(line: $0) }
        }
        _ = try writer.append(batch)
      }
    }

    var head: UInt64 {
      get throws { try log.log.head()?.sequence ?? 0 }
    }

    var lines: [String] { notes.lines.withLock { $0 } }

    func states(_ history: CatalogHistory? = nil) -> PastStates {
      PastStates(log.log, history: history ?? self.history) { _ in
      } note: { [notes] note in
        notes.lines.withLock { $0.append("\(note)") }
      }
    }

    func past(_ sequence: UInt64) throws -> PastDatabase {
      try PastDatabase(.sequence(sequence), of: states(), live: nil)
    }
  }

  /// All rows of all tables, and what a full-text index finds.
  private static func answers(_ past: PastDatabase) throws -> [String] {
    try SoundLibrarySchema.schema.tables.map {
      "\($0.name): \(try past.sortedAnswer(to: "SELECT * FROM \($0.name)"))"
    } + [
      "\(try past.sortedAnswer(to: "SELECT rowid FROM projection_item_search WHERE projection_item_search MATCH 'a*'"))",
      "\(try past.receipt(of: SoundLibraryKind()).json)",
      "\(try past.conflicts(after: 0).count)",
    ]
  }

  /// Its answers stay the same, through all generations that its tables get meanwhile, and it keeps no other question waiting.
  @Test(arguments: [811, 812] as [UInt64])
  func itAnswersTheSameAfterLaterEvents(seed: UInt64) throws {
    let trial = try Trial(seed: seed, batches: 160, first: 40)
    let moments = try [UInt64(1), trial.head / 2, trial.head].map {
      try trial.log.log.batch(containing: max(1, $0)).lastSequence
    }
    let kept = try moments.map { try trial.past($0) }
    let expected = try kept.map(Self.answers)
    try trial.appendRest()
    if seed == 811 { try trial.history.catchUp() }
    let head = try trial.head
    let later = try trial.past(head)
    #expect(try later.history() != nil, "\(trial.lines)")
    #expect(try kept.map(Self.answers) == expected, "seed \(seed)")
    let replayed = try PastDatabase(.sequence(head), of: PastStates(trial.log.log), live: nil)
    for table in SoundLibrarySchema.schema.tables {
      let sql = "SELECT * FROM \(table.name)"
      #expect(try later.sortedAnswer(to: sql) == replayed.sortedAnswer(to: sql), "\(table.name)")
    }
    // Another process removes the history: it is made again.
    try trial.history.remove()
    #expect(try kept.map(Self.answers) == expected)
    #expect(trial.lines.allSatisfy { $0.contains("was made") }, "\(trial.lines)")
  }

  /// A question that takes long sees its state to its end, and the writer does not wait for it.
  @Test func aLongQuestionBlocksNoWriter() throws {
    let trial = try Trial(seed: 821, batches: 40, first: 20)
    let first = try trial.head
    let long = try trial.states().openHistory(through: first)
    let rows = "SELECT count(*) FROM history_batch"
    func count() throws -> Int64? {
      try long.read { database in
        let statement = try PreparedStatement(database, rows)
        return try statement.step() ? statement.integer(0) : nil
      }
    }
    #expect(try count() == 20)
    try trial.appendRest()
    let other = trial.log.catalogHistory
    try other.catchUp()
    let past = try PastDatabase(.sequence(trial.head), of: trial.states(other), live: nil)
    #expect(try past.history() != nil && trial.lines.isEmpty, "\(trial.lines)")
    #expect(try count() == 20)
    // While a part of the write-ahead log is held, the rows are known to be right all the same.
    #expect(KeptStamp(of: other.path).isKept(try #require(DatabaseStamp.now(of: other.path))))
  }

  /// SQLite alone opens and closes the file: a descriptor of another kind would take all locks of the process with it.
  @Test func aQuestionTakesNoLockFromAnother() throws {
    let trial = try Trial(seed: 831, batches: 10, first: 10)
    let long = try trial.states().openHistory(through: trial.head)
    for _ in 0..<2 {
      let other = trial.log.catalogHistory
      #expect(try other.openAsItIs() != nil)
      guard case .within = try other.standing() else {
        Issue.record("the history is of no use")
        return
      }
      try FileManager.default.removeItem(atPath: other.path + "-proved")
    }
    // The last connection to close removes the write-ahead log. The program is not the last one.
    _ = try SQLiteShell.rows(of: trial.history.path, "UPDATE history_event SET type = type")
    #expect(FileManager.default.fileExists(atPath: trial.history.path + "-wal"))
    try long.read { _ in }
  }

  /// Whatever is changed in the file, a question has the answer of a replay.
  @Test(arguments: [841, 842, 843] as [UInt64])
  func aChangedHistoryAnswersNoQuestion(seed: UInt64) throws {
    let trial = try Trial(seed: seed, batches: 60, first: 60)
    let path = trial.history.path
    let whole = try Data(contentsOf: URL(filePath: path))
    let pages = whole.count / 4_096
    let moment = try trial.log.log.batch(containing: trial.head / 2).lastSequence
    let expected = try Self.answers(
      PastDatabase(.sequence(moment), of: PastStates(trial.log.log), live: nil))
    var random = SplitMix(seed: seed)
    for number in 0..<12 {
      var bytes = whole
      let place = random.below(pages) * 4_096
      switch number % 4 {
      case 0:
        let bit = random.below(bytes.count * 8)
        bytes[bit / 8] ^= UInt8(1 << (bit % 8))
      case 1:
        for offset in 0..<16 { bytes[place + 2_048 + offset] = UInt8(random.below(256)) }
      case 2:
        let other = random.below(pages) * 4_096
        let page = bytes[place..<place + 4_096]
        bytes.replaceSubrange(place..<place + 4_096, with: bytes[other..<other + 4_096])
        bytes.replaceSubrange(other..<other + 4_096, with: page)
      default: bytes.replaceSubrange(place..<place + 4_096, with: Data(count: 4_096))
      }
      guard bytes != whole else { continue }
      // In place: the file is the same one.
      let file = try FileHandle(forWritingTo: URL(filePath: path))
      try file.truncate(atOffset: UInt64(bytes.count))
      try file.seek(toOffset: 0)
      try file.write(contentsOf: bytes)
      try file.close()
      let history = trial.log.catalogHistory
      let past = try PastDatabase(
        .sequence(moment), of: trial.states(history), live: nil)
      // One receipt names the projector's own columns, which a replay has, too.
      #expect(try Self.answers(past) == expected, "seed \(seed), damage \(number)")
    }
    #expect(!trial.lines.isEmpty && trial.lines.allSatisfy { $0.contains("again, because") })
  }

  /// A fault of the disk that changed no time of the file is found by the question that reads it, and the next one makes the
  /// history again.
  @Test func damageThatNoTimeShowsIsMendedByTheNextQuestion() throws {
    let trial = try Trial(seed: 851, batches: 30, first: 30)
    let path = trial.history.path
    let head = try trial.head
    let kept = try trial.past(head)
    let sql = "SELECT * FROM library_item ORDER BY id"
    let expected = try kept.sortedAnswer(to: sql)
    let root = try SQLiteShell.rows(
      of: path,
      "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name LIKE 'g%_library_item'")
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    for page in try root.map({ try #require(UInt64($0)) }) {
      try file.seek(toOffset: (page - 1) * 4_096)
      try file.write(contentsOf: Data(repeating: 0xFF, count: 4_096))
    }
    try file.close()
    KeptStamp(of: path).keepSettled(try #require(DatabaseStamp.now(of: path)))
    let history = trial.log.catalogHistory
    let other = try PastDatabase(.sequence(head), of: trial.states(history), live: nil)
    let error = #expect(throws: (any Error).self) {
      try other.readTables { try PreparedStatement($0, sql).all { $0.integer(0) } }
    }
    #expect("\(try #require(error))".contains("the next question about the past makes it again"))
    #expect(trial.lines.isEmpty, "\(trial.lines)")
    #expect(try other.sortedAnswer(to: sql) == expected)
    #expect(trial.lines.count == 1 && trial.lines[0].contains("again, because"), "\(trial.lines)")
    #expect(try kept.sortedAnswer(to: sql) == expected)
  }

  /// A statement with a mistake is put into words without a replay.
  @Test func aMistakeReplaysNothing() throws {
    let trial = try Trial(seed: 861, batches: 10, first: 10)
    let phases = Mutex<[String]>([])
    let states = PastStates(
      trial.log.log, history: trial.history,
      progress: { progress in phases.withLock { $0.append("\(progress.phase)") } })
    let past = try PastDatabase(.sequence(trial.head), of: states, live: nil)
    for (sql, words) in [
      ("SELECT titel FROM library_item", "no such column: titel"),
      ("SELECT * FROM library_items", "no such table: library_items"),
      ("SELEKT 1", "syntax error"),
    ] {
      let answer = try past.sortedAnswer(to: sql)
      #expect(answer.count == 1 && answer[0].contains(words), "\(answer)")
    }
    #expect(phases.withLock { $0.isEmpty }, "\(phases.withLock { $0 })")
    #expect(try past.sortedAnswer(to: "SELECT max(rowid) > 0 FROM library_item").last == "[1]")
  }

  /// A statement's alarm, which is set for much later, does not keep the file open.
  @Test func aStatementThatEndsGivesItsFilesBack() throws {
    let trial = try Trial(seed: 871, batches: 10, first: 10)
    for sql in ["SELECT count(*) FROM mood", "SELECT titel FROM mood", "SELECT rowid FROM mood"] {
      weak var history: HistoryDatabase?
      do {
        let past = try trial.past(trial.head)
        history = try past.history()?.0
        #expect(history != nil)
        try? past.forEachRow(of: sql, until: TimeLimit(.seconds(3_600)), begin: { _ in }, { _ in })
      }
      #expect(history == nil, "\(sql)")
      // Nothing is left beside it.
      #expect(!FileManager.default.fileExists(atPath: trial.history.path + "-wal"))
    }
  }
}
