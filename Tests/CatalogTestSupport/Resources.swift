import Foundation

/// Suites of texts and of JSON that others published.
package enum Resources {
  private static let directory = URL(filePath: ScratchFolder.repository)
    .appending(path: "Tests/CatalogModelTests/Resources")

  package static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: directory.appending(path: name)))
  }

  /// Names of the JSONTestSuite cases with a prefix, in order.
  package static func jsonCases(_ prefix: String) throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(
      atPath: directory.appending(path: "JSONTestSuite").path)
    return names.filter { $0.hasPrefix(prefix) }.sorted()
  }

  package static func jsonCase(_ name: String) throws -> [UInt8] {
    try bytes("JSONTestSuite/\(name)")
  }

  package static func naughtyStrings() throws -> [String] {
    try JSONDecoder().decode([String].self, from: Data(bytes("blns.json")))
  }

  /// Text of a gzip file.
  package static func unzipped(_ name: String) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/gzip")
    process.arguments = ["-dc", directory.appending(path: name).path]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }
}
