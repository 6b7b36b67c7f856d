import CatalogTestSupport
import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A pgbouncer of the test process's own before a server, on a Unix socket in a temporary folder.
package final class PostgresPooler {
  private let folder: String
  private let process = Process()

  /// Whether there is one here; a test that needs it is skipped, and says so, if not.
  package static var isInstalled: Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/sbin/pgbouncer")
  }

  /// - Parameter settings: of the section `pgbouncer`, such as `pool_mode = transaction`.
  package init(before cluster: PostgresCluster, settings: [String]) async throws {
    folder = "/tmp/catalog-pooler-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o777])
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
    let own = [
      "unix_socket_dir = \(folder)", "listen_port = 5432", "auth_type = any",
      "pidfile = \(folder)/pid", "ignore_startup_parameters = extra_float_digits",
    ]
    let text =
      "[databases]\n* = host=\(cluster.folder) user=postgres\n[pgbouncer]\n"
      + (own + settings).joined(separator: "\n") + "\n"
    try text.write(toFile: folder + "/pgbouncer.ini", atomically: true, encoding: .utf8)
    // It refuses to run as root, as the server does.
    let isRoot = NSUserName() == "root"
    let prefix =
      isRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = prefix + ["/usr/sbin/pgbouncer", "-q", folder + "/pgbouncer.ini"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    while !FileManager.default.fileExists(atPath: folder + "/.s.PGSQL.5432") {
      guard process.isRunning else { throw NoPooler() }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  package struct NoPooler: Error {}

  /// The address of a log by way of it.
  package func address(_ name: String) -> String {
    "postgresql://postgres@/postgres?host=\(folder)#\(name)"
  }

  package func end() {
    // Threads of a pool block other signals, and so does a program that they start.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    try? FileManager.default.removeItem(atPath: folder)
  }
}
