/// Why the log could not be read or written: what, where, and what to do.
package struct EventLogError: Error, Sendable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    /// Another writer holds the lock.
    case locked
    /// The log has another head than the caller expected.
    case headMoved
    /// Bytes of the log are not what was written.
    case damaged(Damage)
    /// The log lacks events that were acknowledged, or holds others in their place.
    case lostEvents
    /// It cannot be known whether the batch is on disk; open the log anew and append it again.
    case outcomeUnknown
    /// An earlier failure made this writer unusable; open the log anew.
    case poisoned
    /// The batch itself cannot be written: empty, too long, a line feed within a line.
    case invalidBatch
    /// The system refused a file call.
    case io
  }

  /// What kind of damage.
  package enum Damage: String, Hashable, Sendable {
    case headerCRC = "header CRC"
    case frameTableCRC = "frame table CRC"
    case frameCRC = "frame CRC"
    case frame = "frame content"
    case header = "header fields"
    case version = "format version"
    case eventCount = "event count"
    case chain = "chain hash"
    case sequence = "sequence"
    case logID = "log id"
    case seal = "seal"
    case incomplete = "incomplete"
    case segments = "segments"
  }

  package let code: Code
  package let message: String
  /// Path of the file.
  package let file: String?
  package let offset: UInt64?
  package let sequence: UInt64?
  package let errno: Int32?

  package init(
    _ code: Code, _ message: String, file: String? = nil, offset: UInt64? = nil,
    sequence: UInt64? = nil, errno: Int32? = nil
  ) {
    self.code = code
    self.message = message
    self.file = file
    self.offset = offset
    self.sequence = sequence
    self.errno = errno
  }

  init(_ failure: FileFailure, doing action: String, file: String) {
    self.init(
      .io, "cannot \(action) \(file): \(RealFileCalls.text(of: failure.errno))", file: file,
      errno: failure.errno)
  }

  static func damaged(
    _ damage: Damage, _ what: String, _ file: String, _ offset: UInt64, _ sequence: UInt64
  ) -> EventLogError {
    EventLogError(
      .damaged(damage),
      "the log is damaged (\(damage.rawValue)): \(what), at \(file) offset \(offset), "
        + "sequence \(sequence); restore this file from a copy. Nothing was changed",
      file: file, offset: offset, sequence: sequence)
  }

  package static func lostEvents(_ message: String) -> EventLogError {
    EventLogError(.lostEvents, message)
  }

  /// Damage or loss: what no retry mends.
  package var isDamage: Bool {
    switch code {
    case .damaged, .lostEvents: true
    default: false
    }
  }

  package var description: String { message }
}
