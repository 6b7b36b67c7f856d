import Foundation

/// A directory for one test, removed with its last reference.
package final class TemporaryDirectory: Sendable {
  package let path: String

  package init() throws {
    // In memory where that is: recoveries sync three times each, and tests make thousands of them.
    let memory = "/dev/shm"
    let base =
      FileManager.default.isWritableFile(atPath: memory)
      ? memory : FileManager.default.temporaryDirectory.path
    path = base + "/catalog-test-\(UUID().uuidString)"
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
