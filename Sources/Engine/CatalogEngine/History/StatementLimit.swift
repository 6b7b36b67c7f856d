import CatalogStore
import Dispatch
package import GRDB
import GRDBSQLite
import Support
import Synchronization

/// Interrupts what a connection does from a moment on, until its work is over.
///
/// SQLite forgets an interruption that comes while no statement runs: before the first step, or between two statements.
private final class StatementTimeout: Sendable {
  /// Nil once the work is over: an alarm that is set lives until its time, and would keep the connection open.
  private let interrupt: Mutex<(@Sendable () -> Void)?>
  /// A serial queue has a thread of its own: on Linux, statements may keep all that concurrent queues have.
  private static let queue = DispatchQueue(label: "catalog.statement-alarm")

  init(_ interrupt: @escaping @Sendable () -> Void) {
    self.interrupt = Mutex(interrupt)
  }

  func set(after time: Duration) {
    Self.queue.asyncAfter(deadline: .now() + .milliseconds(Int(time / .milliseconds(1)))) {
      [self] in ring()
    }
  }

  /// Interrupts the connection now, and again until the work is over.
  func ring() {
    interrupt.withLock { interrupt in
      guard let interrupt else { return }
      interrupt()
      set(after: .milliseconds(20))
    }
  }

  /// Afterwards nothing is interrupted.
  func end() {
    interrupt.withLock { $0 = nil }
  }
}

extension StandingRule {
  /// Runs the rule's SQL on a connection whose transaction goes on, and stops it after its time.
  ///
  /// - Throws: what `body` throws; `CatalogError` with `sqlRefused` if it was stopped.
  package func bounding<Result>(_ database: Database, _ body: () throws -> Result) throws -> Result
  {
    // The connection is open until the work is over, and the alarm ends with it.
    nonisolated(unsafe) let connection = database.sqliteConnection
    let isOver = Mutex(false)
    let alarm = StatementTimeout {
      isOver.withLock { $0 = true }
      sqlite3_interrupt(connection)
    }
    alarm.set(after: .seconds(seconds))
    defer { alarm.end() }
    do {
      return try body()
    } catch  where isOver.withLock({ $0 }) {
      throw stopped
    }
  }
}

/// Stops a statement that takes too long or too much memory, and words what is wrong with SQL.
struct StatementLimit {
  private let time: TimeLimit?
  private let memory: MemoryLimit
  private let interrupt: @Sendable () -> Void

  init(
    _ time: TimeLimit?, _ memory: MemoryLimit,
    interrupting interrupt: @escaping @Sendable () -> Void
  ) {
    self.time = time
    self.memory = memory
    self.interrupt = interrupt
  }

  /// - Throws: `CatalogError` with `sqlRefused` for SQL that is wrong or writes, and for a limit that is reached.
  func run<Result>(in database: Database, _ body: () throws -> Result) throws -> Result {
    do {
      return try memory.applied(to: database) {
        guard let time else { return try body() }
        try time.check()
        let alarm = StatementTimeout(interrupt)
        alarm.set(after: time.remaining)
        defer { alarm.end() }
        return try time.stop.calling({ alarm.ring() }, while: body)
      }
    } catch let error as DatabaseError {
      throw refusal(error)
    }
  }

  /// The row on which a statement is.
  ///
  /// - Throws: `CatalogError` with `sqlRefused` for a row that is too long.
  func row(of statement: Statement) throws -> [StoredValue] {
    // Between rows nothing of SQLite runs that an interruption would stop.
    try time?.check()
    guard let row = try StoredValue.row(of: statement, limit: memory.row) else { throw tooLong }
    return row
  }

  private var tooLong: CatalogError {
    CatalogError(
      .sqlRefused,
      "a value or a row of the answer has more than \(memory.row) bytes; ask for parts of it, for example with substr()"
    )
  }

  private func refusal(_ error: DatabaseError) -> CatalogError {
    switch error.resultCode {
    case .SQLITE_INTERRUPT where time?.stop.isStopped == true: WorkStop.stopped
    case .SQLITE_INTERRUPT: TimeLimit.exceeded
    case .SQLITE_TOOBIG: tooLong
    case .SQLITE_NOMEM:
      CatalogError(
        .sqlRefused,
        "the statement needs more than the \(memory.heap) bytes of memory that SQLite may use; ask for less at a time"
      )
    case .SQLITE_READONLY:
      CatalogError(
        .sqlRefused,
        "the statement writes; only statements that read are allowed: \(error.message ?? "")")
    case .SQLITE_MISUSE:
      CatalogError(.sqlRefused, "this is more than one statement; run them one by one")
    default:
      CatalogError(.sqlRefused, "SQLite says: \(error.message ?? error.description)")
    }
  }
}
