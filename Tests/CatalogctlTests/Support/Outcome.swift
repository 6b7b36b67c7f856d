import CatalogControl
import CatalogTestSupport
import EngineCommands
import Foundation
import Synchronization

/// What a run of a program did.
struct Outcome: Sendable, CustomStringConvertible {
  /// The exit status; 128 and the signal where one ended it.
  var status: Int32
  var output: String
  var errors: String

  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// Standard output as JSON.
  func json() throws -> Any {
    try JSONSerialization.jsonObject(with: Data(output.utf8), options: .fragmentsAllowed)
  }

  /// Standard output as a JSON object.
  func object() throws -> [String: Any] {
    guard let object = try json() as? [String: Any] else { throw NoObject(text: output) }
    return object
  }

  /// Standard output as an array of JSON objects.
  func objects() throws -> [[String: Any]] {
    guard let objects = try json() as? [[String: Any]] else { throw NoObject(text: output) }
    return objects
  }

  /// The errors that `--format json` prints on standard error, a line each, without lines that are text.
  func failures() throws -> [[String: Any]] {
    try errors.split(separator: "\n").filter { $0.hasPrefix("{") }.map { line in
      try Outcome(status: status, output: String(line), errors: "").object()
    }
  }

  var description: String { "status \(status)\nout: \(output)\nerr: \(errors)" }
}

struct NoObject: Error {
  let text: String
}

/// Runs commands of `catalogctl` within this process, what they print captured.
enum InProcess {
  static func run(_ arguments: [String]) async -> Outcome {
    precondition(NoCatalog.isDefault, "CATALOG_HOME cannot be set")
    let text = Captured()
    let console = Console(
      output: { line in text.value.withLock { $0.output += line } },
      errors: { line in text.value.withLock { $0.errors += line } })
    let status = await CatalogControl.program.status(of: arguments, console: console)
    return text.value.withLock {
      Outcome(status: status, output: $0.output, errors: $0.errors)
    }
  }

  private final class Captured: Sendable {
    let value = Mutex((output: "", errors: ""))
  }
}
