import CatalogEngine
import CatalogStore
import Foundation
import Recoveries

/// Replays in processes of their own, side by side, each in surroundings of its own. Those that still run end with
/// this.
final class ReplayProcesses {
  /// No two have the same of anything that must not matter.
  private static func environment(of mode: ReplayCommand.Mode) -> [String: String] {
    var environment = ProcessInfo.processInfo.environment
    environment["SWIFT_DETERMINISTIC_HASHING"] = mode == .memory ? "1" : nil
    (environment["LC_ALL"], environment["TZ"]) =
      switch mode {
      case .memory: ("C", "Pacific/Kiritimati")
      case .carried: ("de_CH.UTF-8", "Asia/Kathmandu")
      case .incremental: ("tr_TR.UTF-8", "America/St_Johns")
      case .snapshot: ("ja_JP.UTF-8", "Africa/Monrovia")
      case .again: ("sv_SE.UTF-8", "Pacific/Apia")
      }
    return environment
  }

  private var started: [Started] = []

  /// Begins them.
  ///
  /// - Throws: if one cannot be begun.
  init(
    _ modes: [ReplayCommand.Mode], catalog: String, through sequence: UInt64, in folder: String
  ) throws {
    for mode in modes { started.append(try Started(mode, catalog, sequence, folder)) }
  }

  /// Waits for them.
  ///
  /// - Parameters:
  ///   - warn: takes what a replay that did its work wrote to standard error.
  ///   - progress: hears how far the first has come that still runs.
  /// - Returns: what each replay made, in the order of the modes.
  func finish(
    _ warn: (String) -> Void, progress: ProgressObserver
  ) throws -> [Verification.Replay] {
    try started.map { try $0.finish(warn, progress) }
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
    /// Its standard input is never written to: it ends with this process, and the replay with it.
    let process: ChildProcess
    let path: String

    init(
      _ mode: ReplayCommand.Mode, _ catalog: String, _ sequence: UInt64, _ folder: String
    ) throws {
      self.mode = mode
      path = "\(folder)/\(mode.rawValue).sqlite"
      guard let program = Bundle.main.executablePath else {
        throw CatalogError(.verification, "cannot find this program to start its replays")
      }
      process = try ChildProcess(
        program,
        [
          "replay", "--catalog", catalog, "--mode", mode.rawValue, "--through", String(sequence),
          "--out", path, "--with-parent",
        ], environment: ReplayProcesses.environment(of: mode))
    }

    func finish(
      _ warn: (String) -> Void, _ progress: ProgressObserver
    ) throws -> Verification.Replay {
      // Receipts are far below a pipe's capacity: no replay waits for a reader of them.
      var said = ReplayProgress.Reader()
      while case let bytes = process.errors.read(), !bytes.isEmpty {
        if let told = said.read(Data(bytes)) { progress(told) }
      }
      let receipt = Data(process.output.readToEnd())
      let message = said.message
      let end = process.wait()
      guard end == .exit(0) else {
        let said = message.trimmingCharacters(in: .newlines)
        let status: Int32
        var signal = ""
        switch end {
        case .exit(let code): status = code
        case .signal(let number): (status, signal) = (-1, "ended by signal \(number)")
        }
        throw Failure(
          mode: mode, status: status,
          message: [said, signal].filter { !$0.isEmpty }.joined(separator: "; "))
      }
      if !message.isEmpty { warn(message) }
      return Verification.Replay(
        name: mode.rawValue, receipt: try RecordedReceipt(json: receipt), path: path,
        isByteForByte: mode == .again, problems: said.problems)
    }
  }
}
