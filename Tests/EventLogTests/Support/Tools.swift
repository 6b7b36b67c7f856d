import CatalogTestSupport
import Foundation

/// Programs that the tests hold our readers against.
enum Tools {
  static let repository = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  static let resources = repository.appending(path: "Tests/EventLogTests/Resources")

  struct Result {
    var status: Int32
    var output: [UInt8]
  }

  static func run(_ arguments: [String]) throws -> Result {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = Python.command(arguments)
    process.environment = Python.environment
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Result(status: process.terminationStatus, output: [UInt8](data))
  }

  /// The head that the second reader finds: sequence and chain hash; nil if it refuses.
  static func secondReader(_ directory: String) throws -> (sequence: UInt64, chain: String)? {
    let result = try run(
      ["python3", repository.appending(path: "Tools/logreader.py").path, directory])
    guard result.status == 0 else { return nil }
    struct Head: Decodable {
      let sequence: UInt64
      let chain: String
    }
    let head = try JSONDecoder().decode(Head.self, from: Data(result.output))
    return (head.sequence, head.chain)
  }
}
