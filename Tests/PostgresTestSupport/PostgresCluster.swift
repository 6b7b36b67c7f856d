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

  /// Carries out SQL as the server's own tool does.
  @discardableResult
  package func sql(_ text: String) throws -> String {
    let run = try Program(
      "psql", "-X", "-v", "ON_ERROR_STOP=1", "-h", folder, "-U", "postgres", "-Atc", text)
    guard run.status == 0 else { throw Refused(message: run.errors) }
    return run.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  package struct Refused: Error {
    package let message: String
  }
}
