import ArgumentParser

/// How findings are printed.
enum FindingsFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case json
  /// Workflow commands that GitHub shows as annotations.
  case github
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
