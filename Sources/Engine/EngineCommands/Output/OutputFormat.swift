public import ArgumentParser

/// How a command prints.
public enum OutputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  case text
  case json
}
