public import ArgumentParser

/// How a command prints.
public enum OutputFormat: String, CaseIterable, Sendable {
  case text
  case json
}

extension OutputFormat: ExpressibleByArgument {
  /// Reads `text` and `json`; `jsonl` and `csv` are JSON that the console writes in another shape.
  public init?(argument: String) {
    switch argument {
    case "jsonl", "csv": self = .json
    default: self.init(rawValue: argument)
    }
  }

  public static var allValueStrings: [String] { ["text", "json", "jsonl", "csv"] }
}

/// The shape in which a console writes the JSON of a command.
package enum OutputShape: Sendable {
  /// One value over several lines.
  case indented
  /// One line for each member of a list.
  case lines
  /// A table with a header, for programs that read no JSON.
  case csv
}
