import Foundation

/// Files beside these tests, found through this file's own path.
enum Resources {
  static let directory = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Resources")

  static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: directory.appending(path: name)))
  }

  /// Names of the JSONTestSuite cases with a prefix, in order.
  static func jsonCases(_ prefix: String) throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(
      atPath: directory.appending(path: "JSONTestSuite").path)
    return names.filter { $0.hasPrefix(prefix) }.sorted()
  }

  static func jsonCase(_ name: String) throws -> [UInt8] {
    try bytes("JSONTestSuite/\(name)")
  }

  static func naughtyStrings() throws -> [String] {
    try JSONDecoder().decode([String].self, from: Data(bytes("blns.json")))
  }

  /// Text of a gzip file.
  static func unzipped(_ name: String) throws -> String {
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
