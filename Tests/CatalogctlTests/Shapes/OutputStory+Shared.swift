import CatalogTestSupport
import PostgresTestSupport
import Testing

/// The commands of a log that several machines share.
extension OutputStory {
  func shared() async throws {
    let address = try PostgresCluster.shared.get().address("shapes")
    let (first, second) = (try TestCatalog(), try TestCatalog())
    try await run("init", "--kind", "sound-library", "--log", address, in: first)
    try await run("init", "--log", address, in: second)
    try await run("init", "--log", "postgresql://a:b@h/d#x", status: 1, in: try TestCatalog())
    try await run("follow", "--for", "0.01", in: second)
    try await run("follow", "--every", "0", status: 64, in: second)
    try await run("copy", first.folder.file("archive"), in: first)
    try await run("copy", address, first.folder.file("archive"), in: first)
    try await run("copy", status: 64, in: first)
    try await run("doctor", in: first)
    try await run("status", in: first)
  }
}
