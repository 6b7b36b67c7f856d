import Catalog
import CatalogStore
import Foundation

/// Runs replays in processes of their own, side by side, each in surroundings of its own.
struct ReplayProcess {
  /// The two differ in everything that must not matter.
  private static func environment(of mode: ReplayCommand.Mode) -> [String: String] {
    var environment = ProcessInfo.processInfo.environment
    switch mode {
    case .memory:
      environment["SWIFT_DETERMINISTIC_HASHING"] = "1"
      environment["LC_ALL"] = "C"
      environment["TZ"] = "Pacific/Kiritimati"
    case .incremental:
      environment["SWIFT_DETERMINISTIC_HASHING"] = nil
      environment["LC_ALL"] = "tr_TR.UTF-8"
      environment["TZ"] = "America/St_Johns"
    case .snapshot:
      environment["SWIFT_DETERMINISTIC_HASHING"] = nil
      environment["LC_ALL"] = "ja_JP.UTF-8"
      environment["TZ"] = "Africa/Monrovia"
    }
    return environment
  }

  /// - Parameters:
  ///   - warn: takes what a replay that did its work wrote to standard error.
  ///   - waiting: called ten times a second while the replays run.
  /// - Returns: what each replay made, in the order of `modes`.
  static func run(
    _ modes: [ReplayCommand.Mode], catalog: String, through sequence: UInt64, in folder: String,
    warn: (String) -> Void, waiting: () -> Void
  ) throws -> [Verification.Replay] {
    var started: [Started] = []
    do {
      for mode in modes { started.append(try Started(mode, catalog, sequence, folder)) }
      return try started.map { try $0.finish(warn, waiting) }
    } catch {
      for other in started where other.process.isRunning { other.process.terminate() }
      throw error
    }
  }

  /// A replay that did not come to its end.
  struct Failure: Error, CustomStringConvertible {
    let mode: ReplayCommand.Mode
    let status: Int32
    /// What it wrote to standard error.
    let message: String

    /// Whether it found the log damaged, or without events that were acknowledged.
    var isDamage: Bool { status == ExitStatus.damaged.rawValue }

    var description: String { "the \(mode.rawValue) replay failed: \(message)" }
  }

  private struct Started {
    let mode: ReplayCommand.Mode
    let process = Process()
    let output = Pipe()
    let errors = Pipe()
    let path: String

    init(
      _ mode: ReplayCommand.Mode, _ catalog: String, _ sequence: UInt64, _ folder: String
    ) throws {
      self.mode = mode
      path = "\(folder)/\(mode.rawValue).sqlite"
      guard let program = Bundle.main.executableURL else {
        throw CatalogError(.verification, "cannot find this program to start its replays")
      }
      process.executableURL = program
      process.arguments = [
        "replay", "--catalog", catalog, "--mode", mode.rawValue, "--through", String(sequence),
        "--batches-per-transaction", mode == .incremental ? "7" : "1", "--out", path,
      ]
      process.environment = ReplayProcess.environment(of: mode)
      process.standardOutput = output
      process.standardError = errors
      try process.run()
    }

    func finish(_ warn: (String) -> Void, _ waiting: () -> Void) throws -> Verification.Replay {
      // Receipts and messages are far below a pipe's capacity: no replay waits for a reader.
      while process.isRunning {
        waiting()
        Thread.sleep(forTimeInterval: 0.1)
      }
      let receipt = try output.fileHandleForReading.readToEnd() ?? Data()
      let message = try errors.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      guard process.terminationStatus == 0, process.terminationReason == .exit else {
        throw Failure(
          mode: mode, status: process.terminationReason == .exit ? process.terminationStatus : -1,
          message: String(decoding: message, as: UTF8.self).trimmingCharacters(in: .newlines))
      }
      if !message.isEmpty { warn(String(decoding: message, as: UTF8.self)) }
      return Verification.Replay(
        name: mode.rawValue, receipt: try RecordedReceipt(json: receipt), path: path)
    }
  }
}
