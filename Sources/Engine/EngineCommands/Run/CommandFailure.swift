import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog
import Projections
import Support

import struct Foundation.CocoaError

/// An error that ended a command: lines for people, and objects for programs.
struct CommandFailure {
  var status: ExitStatus
  /// The error first, and what belongs to it. The name of the program is not in them.
  var lines: [String]
  /// The error's code, or `usage`, `system` or `failed` if it has none; stable as the codes are.
  private(set) var code: String
  /// Commands that bring everything in order again.
  private var recovery: [String] = []
  /// Sentences after the lines, for people alone: programs have the commands in `recovery`.
  private(set) var advice: [String] = []
  private var document: DocumentError?

  /// Whether the log lacks events that the database has applied.
  var isLoss: Bool { code == Self.name(of: .lostEvents) }

  /// Whether the lines are faults of a document.
  var isOfDocument: Bool { document != nil }

  init(_ status: ExitStatus, _ code: String, _ lines: [String]) {
    self.status = status
    self.code = code
    self.lines = lines
  }

  /// The failure of any error but wrong usage.
  init(_ error: any Error) {
    switch error {
    case let error as EventLogError:
      self.init(
        error.isDamage ? .damaged : .error, Self.name(of: error.code), explaining: error)
      if let advice = LostEvents.advice(on: error) {
        lines.append("\(advice)")
        recovery += Self.commands(advice.recoveries)
      }
    case let error as StoreError:
      self.init(
        error.code == .drifted ? .findings : .error, error.code.rawValue, explaining: error)
    case let error as ProjectionError:
      self.init(
        error.code == .drifted ? .findings : .error, error.code.rawValue, explaining: error)
    case let error as CatalogError:
      self.init(.error, error.code.rawValue, explaining: error)
    case let error as ReplayProcesses.Failure:
      self.init(error.isDamage ? .damaged : .error, "replayFailed", ["\(error)"])
    case let error as DocumentError:
      self.init(.error, error.code.rawValue, error.lines)
      document = error
    case let error as CocoaError: self.init(.error, "system", [error.words])
    case let error as any RecoverableError: self.init(.error, "failed", explaining: error)
    default: self.init(.error, "failed", ["\(error)"])
    }
  }

  private init(
    _ status: ExitStatus, _ code: String, explaining error: some RecoverableError
  ) {
    self.init(status, code, ["\(error)"])
    recovery = Self.commands(error.recoveries)
  }

  private static func commands(_ recoveries: [Recovery]) -> [String] {
    recoveries.compactMap {
      if case .command(let command) = RecoveryWords.current.word(for: $0) { command } else { nil }
    }
  }

  /// Adds sentences that name commands.
  mutating func add(_ advice: [String], naming commands: [String]) {
    self.advice += advice
    recovery += commands
  }

  /// `damaged` for each kind of damage, as the messages of errors tell them apart.
  private static func name(of code: EventLogError.Code) -> String {
    if case .damaged = code { "damaged" } else { "\(code)" }
  }

  /// An object for the error; of a document one for each fault that is listed, the last of which says how many are not.
  var objects: [JSONObject] {
    guard let document else {
      return [
        [
          "error": code, "message": lines.joined(separator: "\n"), "recovery": recovery,
          "status": Int(status.rawValue),
        ]
      ]
    }
    let faults = document.all
    return faults.enumerated().map { place, fault in
      [
        "error": fault.code.rawValue, "message": fault.message, "recovery": [String](),
        "status": Int(status.rawValue), "file": fault.file, "path": fault.path,
        "line": fault.line, "column": fault.column, "offset": fault.offset, "value": fault.value,
        "advice": fault.advice,
        "unlisted": place == faults.count - 1 && document.unlistedFaults > 0
          ? document.unlistedFaults : nil,
      ]
    }
  }
}
