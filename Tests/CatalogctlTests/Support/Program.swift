import CatalogTestSupport
import Foundation

/// Runs programs: the real `catalogctl`, and the tools that tests look at its files with.
enum Program {
  /// `catalogctl` as it was built with these tests.
  static let catalogctl = BuiltProgram.path("catalogctl")

  /// The folder of the package.
  static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  /// Runs a program to its end.
  ///
  /// What it prints goes to files, so that no pipe can fill up.
  ///
  /// - Parameters:
  ///   - program: a name on the search path, or a path.
  ///   - environment: set on top of this process's; an empty value removes the name.
  static func run(
    _ program: String, _ arguments: [String], environment: [String: String] = [:],
    input: String? = nil
  ) async throws -> Outcome {
    try await started(program, arguments, environment: environment, input: input).finish()
  }

  static func shell(_ script: String, _ environment: [String: String] = [:]) async throws -> Outcome
  {
    try await run("/bin/bash", ["-c", script], environment: environment)
  }

  static func catalogctl(
    _ arguments: [String], environment: [String: String] = [:]
  ) async throws -> Outcome {
    try await run(catalogctl, arguments, environment: environment)
  }

  static func started(
    _ program: String, _ arguments: [String], environment: [String: String] = [:],
    input: String? = nil
  ) throws -> Running {
    try Running(program, arguments, environment, input)
  }

  /// Starts the program so that signals end it: a program that is started from a test has them blocked.
  static func interruptible(_ arguments: [String]) throws -> Running {
    let unblocked = """
      import os, signal, sys
      signal.pthread_sigmask(signal.SIG_SETMASK, [])
      for number in (signal.SIGINT, signal.SIGTERM): signal.signal(number, signal.SIG_DFL)
      os.execv(sys.argv[1], sys.argv[1:])
      """
    return try started("python3", ["-c", unblocked, catalogctl] + arguments)
  }
}

/// A program that was started.
final class Running {
  let process = Process()
  private let folder: ScratchFolder
  /// The file that gets what the program prints.
  var output: URL { URL(filePath: folder.file("out")) }
  private let ended: AsyncStream<Void>

  fileprivate init(
    _ program: String, _ arguments: [String], _ environment: [String: String], _ input: String?
  ) throws {
    folder = try ScratchFolder()
    process.executableURL = URL(filePath: program.hasPrefix("/") ? program : "/usr/bin/env")
    process.arguments =
      program.hasPrefix("/") ? arguments : Python.command([program] + arguments)
    var all = Python.environment
    for (name, value) in environment { all[name] = value.isEmpty ? nil : value }
    process.environment = all
    let out = folder.file("out")
    let err = folder.file("err")
    for file in [out, err] { try Data().write(to: URL(filePath: file)) }
    var handles = try [out, err].map { try FileHandle(forWritingTo: URL(filePath: $0)) }
    // The child has its own. Foundation keeps a process, and these with it, for ever.
    defer { for handle in handles { try? handle.close() } }
    process.standardOutput = handles[0]
    process.standardError = handles[1]
    if let input {
      try Data(input.utf8).write(to: URL(filePath: folder.file("in")))
      handles.append(try FileHandle(forReadingFrom: URL(filePath: folder.file("in"))))
      process.standardInput = handles[2]
    } else {
      process.standardInput = FileHandle.nullDevice
    }
    let (ended, end) = AsyncStream<Void>.makeStream()
    self.ended = ended
    process.terminationHandler = { _ in end.finish() }
    try process.run()
  }

  /// Returns when the program has a file open.
  ///
  /// - Throws: if it ends before.
  func untilItOpens(_ path: String) async throws {
    let real = URL(filePath: path).resolvingSymlinksInPath().path
    let folder = "/proc/\(process.processIdentifier)/fd"
    try await until {
      let open = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return open.contains {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == real
      }
    }
  }

  /// Returns when the program has printed this many lines.
  ///
  /// - Throws: if it ends before.
  func untilItPrints(lines count: Int) async throws {
    try await until {
      let printed = FileManager.default.contents(atPath: self.folder.file("out")) ?? Data()
      return printed.count { $0 == UInt8(ascii: "\n") } >= count
    }
  }

  private func until(_ isSo: () throws -> Bool) async throws {
    while try !isSo() {
      guard process.isRunning else { throw Ended() }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  struct Ended: Error {}

  func finish() async throws -> Outcome {
    for await _ in ended {}
    func text(_ name: String) throws -> String {
      String(decoding: try Data(contentsOf: URL(filePath: folder.file(name))), as: UTF8.self)
    }
    // How long a run takes, and so whether it tells of its progress, is up to the machine.
    let errors = try text("err").split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("progress: ") }.joined(separator: "\n")
    return Outcome(
      status: process.terminationReason == .exit
        ? process.terminationStatus : 128 + process.terminationStatus,
      output: try text("out"), errors: errors)
  }
}
