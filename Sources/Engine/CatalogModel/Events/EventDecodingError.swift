/// Why a line of the log is no event that this release understands. A replay stops at it.
public struct EventDecodingError: Error, Sendable {
  public enum Code: String, CaseIterable, Hashable, Sendable {
    /// The line is no JSON, or JSON that is refused everywhere (duplicate keys, U+0000 …).
    case invalidJSON
    /// The envelope lacks a key, has one too many, or one of the wrong type.
    case malformedEnvelope
    case wrongSequence
    case unknownType
    /// Newer than this release knows, or older with no upcaster.
    case unknownVersion
    /// An upcaster refused the payload.
    case upcastFailed
    /// The payload is not what its type and version promise.
    case malformedPayload
  }

  public var code: Code
  /// The sequence number that was expected here.
  public var sequence: UInt64
  /// As the line spells it, if it got that far.
  public var type: String?
  public var version: Int64?
  /// JSON path within the line, or nil.
  public var path: String?
  /// Byte offset within the line where the JSON goes wrong.
  public var offset: Int?
  public var message: String
  /// The start of the payload, or of the line if there is no payload, made printable.
  public var excerpt: String
  /// What an upcaster threw.
  public var cause: (any Error)?
}

extension EventDecodingError: CustomStringConvertible {
  public var description: String {
    var text = "event \(sequence)"
    if let type { text += " (\(JSONExcerpt.printable(type))" }
    if type != nil, let version { text += " version \(version)" }
    if type != nil { text += ")" }
    text += ": "
    if let path { text += "\(path): " }
    text += message
    if let offset { text += " (byte \(offset) of the line)" }
    if let cause { text += ": \(cause)" }
    return text + "; it reads \(excerpt)"
  }
}
