import Dispatch
import GRDB
import Recoveries
import Synchronization

/// Stops a statement that takes too long, and tells of SQL that is wrong in words of ours.
struct StatementLimit {
  private let timeout: Duration?
  private let interrupt: @Sendable () -> Void

  init(_ timeout: Duration?, interrupting interrupt: @escaping @Sendable () -> Void) {
    self.timeout = timeout
    self.interrupt = interrupt
  }

  /// - Throws: `CatalogError` with `sqlRefused` for SQL that is wrong, that writes, or that takes longer.
  func run<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      guard let timeout else { return try body() }
      // On a thread of its own: the statement may keep every thread of the concurrency pool.
      let alarm = DispatchWorkItem { [interrupt] in interrupt() }
      DispatchQueue.global().asyncAfter(
        deadline: .now() + .milliseconds(Int(timeout / .milliseconds(1))), execute: alarm)
      defer { alarm.cancel() }
      return try body()
    } catch let error as DatabaseError {
      switch error.resultCode {
      case .SQLITE_INTERRUPT:
        throw CatalogError(
          .sqlRefused, "the statement took longer than \(do: .allowMoreTime) and was stopped")
      case .SQLITE_READONLY:
        throw CatalogError(
          .sqlRefused,
          "the statement writes; only statements that read are allowed: \(error.message ?? "")")
      case .SQLITE_MISUSE:
        throw CatalogError(.sqlRefused, "this is more than one statement; run them one by one")
      default:
        throw CatalogError(.sqlRefused, "SQLite says: \(error.message ?? error.description)")
      }
    }
  }
}
