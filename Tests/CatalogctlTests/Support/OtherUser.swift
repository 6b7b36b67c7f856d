import CatalogTestSupport
import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A user other than root, since root may read and write every file, and a copy of the program for that user.
struct OtherUser {
  static let canBe =
    getuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")
  static let need: Comment = "needs root and setpriv, to become somebody else"

  static let id: UInt32 = 65_534
  private let program: String
  private let temporary: String

  /// - Parameter folder: one that everybody reaches.
  init(in folder: ScratchFolder) async throws {
    // The package may lie in a folder that root closed.
    program = folder.file("catalogctl")
    // By another process: one that this process starts meanwhile would inherit the open file, and until it closes it the
    // program could not be run ("text file busy").
    let copied = try await Program.run("install", ["-m", "755", Program.catalogctl, program])
    try #require(copied.status == 0, "\(copied)")
    temporary = folder.file("temporary")
    try FileManager.default.createDirectory(
      atPath: temporary, withIntermediateDirectories: true,
      attributes: [.ownerAccountID: Self.id])
    if try await run(["--version"]).status != 0 {
      try Test.cancel("the libraries of the toolchain are not for everybody here")
    }
  }

  func run(_ arguments: [String]) async throws -> Outcome {
    try await Program.run(
      "setpriv",
      ["--reuid=\(Self.id)", "--regid=\(Self.id)", "--clear-groups", program] + arguments,
      environment: ["TMPDIR": temporary])
  }
}
