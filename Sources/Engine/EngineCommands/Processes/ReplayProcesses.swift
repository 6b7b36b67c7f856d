import CatalogEngine
import CatalogStore
import Foundation
import Support

/// Replays in processes of their own, side by side, each in surroundings of its own. Those that still run end with
/// this.
final class ReplayProcesses {
  private var started: [Started] = []

  /// Begins a replay in each mode.
  ///
  /// - Throws: if one cannot be begun.
  init(catalog: String, through sequence: UInt64, isThorough: Bool, in folder: String) throws {
    for mode in ReplayMode.allCases {
      started.append(try Started(mode, catalog, sequence, isThorough, folder))
    }
  }

  /// Waits for them.
  ///
  /// - Parameters:
  ///   - warn: takes the warnings of a replay that did its work.
  ///   - progress: receives the progress of the first replay that still runs.
  /// - Returns: what each replay made, in the order of the modes.
  func finish(
    _ warn: (String) -> Void, progress: ProgressObserver
  ) throws -> [Verification.Replay] {
    try started.map { try $0.finish(warn, progress) }
  }

  /// A replay that did not come to its end.
  struct Failure: Error, CustomStringConvertible {
    let mode: ReplayMode
    let status: Int32
    /// What it wrote to standard error.
    let message: String

    /// Whether it found the log damaged, or without events that were acknowledged.
    var isDamage: Bool { status == ExitStatus.damaged.rawValue }

    var description: String { "the \(mode.rawValue) replay failed: \(message)" }
  }

  private struct Started {
    let mode: ReplayMode
    /// Its standard input is never written to: it ends with this process, and the replay with it.
    let process: ChildProcess
    let path: String

    init(
      _ mode: ReplayMode, _ catalog: String, _ sequence: UInt64, _ isThorough: Bool,
      _ folder: String
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
        ] + (isThorough ? ["--thorough"] : []), environment: mode.environment)
    }

    func finish(
      _ warn: (String) -> Void, _ progress: ProgressObserver
    ) throws -> Verification.Replay {
      var messages = ReplayMessage.Reader()
      var last: ReplayMessage?
      let errors = try process.read { bytes in
        for message in try messages.read(bytes) {
          if let reached = message.progress { progress(reached) }
          last = message
        }
      }
      let text = String(decoding: errors, as: UTF8.self)
      let end = process.wait()
      guard end == .exit(0), case .result(let receipt) = last else {
        // It is this program, which names itself at the beginning of its errors.
        let own = "\(ProgramName.current): "
        let said = text.trimmingCharacters(in: .newlines).split(separator: "\n").map {
          String($0.hasPrefix(own) ? $0.dropFirst(own.count) : $0)
        }.joined(separator: "\n")
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
      if !text.isEmpty { warn(text) }
      return Verification.Replay(
        name: mode.rawValue, receipt: try RecordedReceipt(json: Data(receipt.utf8)), path: path)
    }
  }
}

extension ReplayMode {
  /// Gives the processes different surroundings: nothing of them may change a replay.
  fileprivate var environment: [String: String] {
    var environment = ProcessInfo.processInfo.environment
    switch self {
    case .memory:
      environment["SWIFT_DETERMINISTIC_HASHING"] = "1"
      (environment["LC_ALL"], environment["TZ"]) = ("C", "Pacific/Kiritimati")
    case .carried:
      environment["SWIFT_DETERMINISTIC_HASHING"] = nil
      (environment["LC_ALL"], environment["TZ"]) = ("tr_TR.UTF-8", "Asia/Kathmandu")
    }
    return environment
  }
}
