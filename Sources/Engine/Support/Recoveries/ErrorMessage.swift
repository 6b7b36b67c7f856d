/// What an error says: text, and within it what brings things in order again, which each program words for itself.
///
/// ```swift
/// let message: ErrorMessage = "the log has everything: \(do: .rebuild) rebuilds the database"
/// message.recoveries   // [.rebuild]
/// "\(message)"         // in a command: the log has everything: `shelfctl rebuild` rebuilds the database
/// ```
public struct ErrorMessage: Hashable, Sendable {
  enum Part: Hashable, Sendable {
    case text(String)
    case recovery(Recovery)
  }

  private(set) var parts: [Part]

  public init(_ text: String) {
    parts = [.text(text)]
  }

  init(_ parts: [Part]) {
    self.parts = parts
  }

  /// What the message proposes, in its order; empty if nothing can be done, or where the text says it all.
  public var recoveries: [Recovery] {
    parts.compactMap { part in
      if case .recovery(let recovery) = part { recovery } else { nil }
    }
  }

  /// The message as one text.
  public func worded(_ words: RecoveryWords) -> String {
    // What is nothing but a command is to be typed as it is.
    let mark = parts.count == 1 ? "" : "`"
    return parts.reduce(into: "") { text, part in
      switch part {
      case .text(let part): text += part
      case .recovery(let recovery):
        switch words.word(for: recovery) {
        case .command(let command): text += mark + command + mark
        case .phrase(let phrase): text += phrase
        }
      }
    }
  }

  /// This message, and more behind it.
  public static func + (message: ErrorMessage, more: ErrorMessage) -> ErrorMessage {
    ErrorMessage(message.parts + more.parts)
  }
}

extension ErrorMessage: ExpressibleByStringInterpolation {
  public init(stringLiteral text: String) {
    self.init(text)
  }

  public init(stringInterpolation: StringInterpolation) {
    parts = stringInterpolation.parts
  }

  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []

    public init(literalCapacity: Int, interpolationCount: Int) {}

    public mutating func appendLiteral(_ literal: String) {
      if !literal.isEmpty { parts.append(.text(literal)) }
    }

    public mutating func appendInterpolation(_ value: some Any) {
      parts.append(.text("\(value)"))
    }

    /// What another error says, with what it proposes.
    public mutating func appendInterpolation(_ error: some RecoverableError) {
      parts += error.explanation.parts
    }

    /// What another message says, with what it proposes.
    public mutating func appendInterpolation(_ message: ErrorMessage) {
      parts += message.parts
    }

    /// What brings things in order: each program has words for it.
    public mutating func appendInterpolation(do recovery: Recovery) {
      parts.append(.recovery(recovery))
    }
  }
}

extension ErrorMessage: CustomStringConvertible {
  /// In the words of the program that runs in this task.
  public var description: String { worded(RecoveryWords.current) }
}

extension ErrorMessage {
  /// The message, in all places, about a database whose rows or schema no projector wrote, and what to do about it. The
  /// changed database is evidence, so it is kept.
  package static let changedByHand: ErrorMessage =
    "the database was changed by hand; \(do: .verify) shows what differs, \(do: .rebuildKeepingOld) keeps a copy and "
    + "rebuilds it"
}

/// An error of the engine, or of a kind of catalog.
public protocol RecoverableError: Error, CustomStringConvertible {
  /// Everything that the error says: what, where, and what to do.
  var explanation: ErrorMessage { get }
}

extension RecoverableError {
  /// What brings things in order again; empty if that depends on more than the engine knows.
  public var recoveries: [Recovery] { explanation.recoveries }

  public var description: String { explanation.description }
}
