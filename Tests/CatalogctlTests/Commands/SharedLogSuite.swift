import CatalogTestSupport
import PostgresTestSupport
import Testing

/// A name for a log in the server of this process.
struct SharedLog {
  let cluster: PostgresCluster
  let address: String

  init() throws {
    cluster = try PostgresCluster.shared.get()
    address = cluster.address("commands")
  }
}

/// Commands of folders that have their log in a server.
protocol SharedLogSuite: Sendable {
  var log: SharedLog { get }
}

extension SharedLogSuite {
  var cluster: PostgresCluster { log.cluster }
  var address: String { log.address }

  /// A new folder of a sound library, which begins the log or gets it.
  func joined() async throws -> TestCatalog {
    let catalog = try TestCatalog()
    let outcome = await catalog.run("init", "--kind", "sound-library", "--log", address)
    try #require(outcome.status == 0, "\(outcome)")
    return catalog
  }
}
