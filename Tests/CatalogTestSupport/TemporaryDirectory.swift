import Foundation

/// A directory for one test, removed with its last reference.
package final class TemporaryDirectory: Sendable {
  package let path: String

  package init() throws {
    path = FileManager.default.temporaryDirectory.path + "/catalog-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // A directory that cannot be removed spoils no test.
    try? FileManager.default.removeItem(atPath: path)
  }

  package func path(_ name: String) -> String {
    path + "/" + name
  }
}
