import CatalogTestSupport
import Foundation
import Synchronization

/// A PostgreSQL server of the test process's own, on a Unix socket in a temporary folder. It ends with the process.
package final class PostgresCluster: Sendable {
  /// The folder of the socket.
  package let folder: String
  private static let count = Mutex(0)

  /// The server that all tests share, each with logs of its own names.
  package static let shared = Result { try PostgresCluster() }

  /// Whether a server can be made here; a test that needs one is skipped, and says so, if not.
  package static var isInstalled: Bool {
    let versions =
      (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    return !versions.isEmpty
  }

  /// - Parameters:
  ///   - primary: the server whose standby this is; nil if it is one by itself.
  ///   - settings: of the server, such as `fsync=off`.
  package init(following primary: PostgresCluster? = nil, settings: [String] = []) throws {
    // The path of a socket has a hundred bytes at most.
    folder = "/tmp/catalog-postgres-\(UUID().uuidString.prefix(8))"
    let process = Process()
    process.executableURL = URL(
      fileURLWithPath: ScratchFolder.repository + "/Tools/postgres-cluster")
    process.arguments =
      [folder, "\(ProcessInfo.processInfo.processIdentifier)"]
      + (primary.map { ["--follows", $0.folder] } ?? []) + settings
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard line == "ready\n" else { throw NoCluster(line: line) }
  }

  package struct NoCluster: Error {
    let line: String
  }

  /// The address of a log that no other test has.
  package func address(_ name: String) -> String {
    let number = Self.count.withLock { count in
      count += 1
      return count
    }
    return "postgresql://postgres@/postgres?host=\(folder)#\(name)-\(number)"
  }

  /// Bytes of what the server has logged.
  package func logLength() throws -> Int { try logged().utf8.count }

  /// The lines that the server has logged after some bytes.
  package func logged(after length: Int = 0) throws -> String {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/server.log"))
    return String(decoding: bytes.dropFirst(length), as: UTF8.self)
  }

  /// Carries out SQL as the server's own tool does.
  @discardableResult
  package func sql(_ text: String, in database: String = "postgres") throws -> String {
    let run = try Program(
      "psql", "-X", "-v", "ON_ERROR_STOP=1", "-h", folder, "-U", "postgres", "-d", database, "-Atc",
      text)
    guard run.status == 0 else { throw Refused(message: run.errors) }
    return run.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Sets a setting of the server, and waits until new connections have it: the server reads its file some time after
  /// `pg_reload_conf` has returned.
  package func set(_ setting: String, to value: String) async throws {
    try sql("ALTER SYSTEM SET \(setting) = '\(value)'")
    try sql("SELECT pg_reload_conf()")
    try await Wait.until("\(setting) = \(value)") {
      try sql("SELECT current_setting('\(setting)')") == value
    }
  }

  /// Has each commit wait for a standby, and waits until one does. A process of the server's own begins that, some time
  /// after new connections have the setting.
  package func waitForStandby(named name: String) async throws {
    try await set("synchronous_standby_names", to: name)
    while true {
      let commit = Process()
      commit.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      commit.arguments = [
        "psql", "-X", "-h", folder, "-U", "postgres", "-Atqc",
        "SELECT pg_logical_emit_message(true, 'test', '')",
      ]
      commit.standardOutput = FileHandle.nullDevice
      commit.standardError = FileHandle.nullDevice
      try commit.run()
      while commit.isRunning {
        guard try cancelWaits() else {
          try await Task.sleep(for: .milliseconds(10))
          continue
        }
        commit.waitUntilExit()
        return
      }
    }
  }

  /// Cuts off all waits for a standby.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  package func cancelWaits() throws -> Bool {
    try !sql(
      "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    ).isEmpty
  }

  package struct Refused: Error {
    package let message: String
  }
}
