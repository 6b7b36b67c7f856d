import Foundation

/// A new folder for one test, gone when the test is.
package final class ScratchFolder: Sendable {
  package let path: String

  package init() throws {
    let url = FileManager.default.temporaryDirectory.appending(
      path: "sound-catalog-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit {
    // A leftover in the temporary folder fails no test.
    try? FileManager.default.removeItem(atPath: path)
  }

  package func file(_ name: String) -> String {
    path + "/" + name
  }

  /// The repository's root, for resources and scripts that tests share.
  package static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
}

/// Runs a program to its end.
package struct Program: Sendable {
  package let status: Int32
  package let output: String
  package let errors: String

  /// - Parameter arguments: looked up on PATH where the first is no path.
  package init(_ arguments: String..., in folder: String? = nil) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    // Files, not pipes: a program that fills one pipe while the other is read would stop for ever.
    let scratch = try ScratchFolder()
    let out = scratch.file("out")
    let err = scratch.file("err")
    for path in [out, err] { _ = FileManager.default.createFile(atPath: path, contents: nil) }
    process.standardOutput = FileHandle(forWritingAtPath: out)
    process.standardError = FileHandle(forWritingAtPath: err)
    try process.run()
    process.waitUntilExit()
    status = process.terminationStatus
    output = try String(contentsOfFile: out, encoding: .utf8)
    errors = try String(contentsOfFile: err, encoding: .utf8)
  }
}
