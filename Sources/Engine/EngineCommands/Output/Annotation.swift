import ArgumentParser
import CatalogEngine

/// How findings are printed.
enum FindingsFormat: String, ExpressibleByArgument {
  case text
  case json
  /// Workflow commands that GitHub shows as annotations.
  case github

  /// Reads the words of `OutputFormat`, and `github`.
  init?(argument: String) {
    if argument == "github" {
      self = .github
    } else if let format = OutputFormat(argument: argument) {
      self = format == .text ? .text : .json
    } else {
      return nil
    }
  }

  static var allValueStrings: [String] { OutputFormat.allValueStrings + ["github"] }

  /// Lets a command do its work. An error that ends it is an annotation, too.
  func annotating<Result>(
    _ title: String, _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await body()
    } catch {
      // A status that a command ends with is no error: its findings are written.
      if self == .github, !(error is Exit), !(error is ExitCode) {
        let advice = LostEvents.advice(on: error).map { "; \($0)" } ?? ""
        Console.current.write(Annotation(.error, title: title, "\(error)\(advice)").line)
      }
      throw error
    }
  }

  /// The format of a command that writes annotations by itself.
  var plain: OutputFormat { self == .json ? .json : .text }
}

/// A line of output that a GitHub workflow shows beside a commit.
///
/// Source: docs.github.com, "Workflow commands for GitHub Actions".
struct Annotation {
  enum Level: String {
    case notice
    case error
  }

  let line: String

  init(_ level: Level, title: String, _ message: String, file: String? = nil) {
    var properties = ["title=\(Self.escaped(title, isProperty: true))"]
    if let file { properties.insert("file=\(Self.escaped(file, isProperty: true))", at: 0) }
    line =
      "::\(level.rawValue) \(properties.joined(separator: ","))::"
      + Self.escaped(message, isProperty: false)
  }

  /// What would end a property, or the line, is written as the runner reads it back.
  private static func escaped(_ text: String, isProperty: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": escaped += "%25"
      case "\r": escaped += "%0D"
      case "\n": escaped += "%0A"
      case ":" where isProperty: escaped += "%3A"
      case "," where isProperty: escaped += "%2C"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
