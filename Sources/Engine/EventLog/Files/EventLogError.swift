public import Support

/// Why the log could not be read or written: what, where, and what to do.
public struct EventLogError: RecoverableError, Sendable {
  public enum Code: Hashable, Sendable {
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
    /// The batch is larger than the store takes.
    case tooLarge
    /// The store does not keep what it acknowledges, or acknowledged something that it may lose.
    case notDurable
    /// A server that keeps the log does not answer, or refuses.
    case unavailable
    /// The batch itself cannot be written: empty, too long, a line feed within a line.
    case invalidBatch
    /// The system refused a file call.
    case io
  }

  /// What kind of damage; each has a word for people, and its case's name is for programs.
  public enum Damage: String, Hashable, Sendable, CaseIterable {
    /// The fixed part of a batch's or a segment's header.
    case headerCRC = "header CRC"
    /// The tables behind it: of frames, or of a sealed segment's batches.
    case frameTableCRC = "frame table CRC"
    /// The stored bytes of a data frame.
    case frameCRC = "frame CRC"
    /// A data frame that cannot be decompressed to the length that was recorded.
    case frame = "frame content"
    /// A header that is intact and contradicts itself.
    case header = "header fields"
    /// The name of a segment's file is not that of its first event.
    case name = "segment name"
    case version = "format version"
    /// Another number of lines than the header says.
    case eventCount = "event count"
    case chain = "chain hash"
    /// A batch stands where another one is due.
    case sequence = "sequence"
    /// Of another log.
    case logID = "log id"
    /// The tables of a sealed segment do not fit its frames, or it does not end with its seek table.
    case seal = "seal"
    /// The file ends within a batch, or is empty, and no crash can have left it so.
    case incomplete = "incomplete"
    /// A segment is missing, or one is there that has no place.
    case segments = "segments"
    /// Something else than a regular file has a segment's name.
    case notAFile = "not a regular file"
  }

  public let code: Code
  public let explanation: ErrorMessage
  public var message: String { explanation.description }
  /// Path of the file.
  public let file: String?
  public let offset: UInt64?
  public let sequence: UInt64?
  public let errno: Int32?
  /// Whether a server could not be reached, or did not answer. It has refused nothing.
  package let isSilence: Bool

  package init(
    _ code: Code, _ explanation: ErrorMessage, file: String? = nil, offset: UInt64? = nil,
    sequence: UInt64? = nil, errno: Int32? = nil, isSilence: Bool = false
  ) {
    self.code = code
    self.isSilence = isSilence
    self.explanation = explanation
    self.file = file
    self.offset = offset
    self.sequence = sequence
    self.errno = errno
  }

  /// The error with more words at its end.
  package func adding(_ words: ErrorMessage) -> EventLogError {
    EventLogError(
      code, explanation + words, file: file, offset: offset, sequence: sequence, errno: errno,
      isSilence: isSilence)
  }

  /// Does something with a file, and says what that was if the system refuses it.
  ///
  /// - Throws: `io` in the place of `FileFailure`.
  static func doing<Result>(
    _ action: String, _ file: String, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let failure as FileFailure {
      throw EventLogError(
        .io, "cannot \(action) \(file): \(RealFileCalls.text(of: failure.errno))", file: file,
        errno: failure.errno)
    }
  }

  static func damaged(
    _ damage: Damage, _ what: String, _ file: String, _ offset: UInt64, _ sequence: UInt64
  ) -> EventLogError {
    EventLogError(
      .damaged(damage),
      """
      the log is damaged (\(damage.rawValue)): \(what), at \(file) offset \(offset), sequence \(sequence); restore \
      this file from a copy, or write what is good to a new catalog with \(do: .salvage). Nothing was changed
      """,
      file: file, offset: offset, sequence: sequence)
  }

  /// The kind of damage; nil if the error is of another code.
  var damage: Damage? {
    if case .damaged(let damage) = code { damage } else { nil }
  }

  /// Damage or loss: what no retry mends.
  public var isDamage: Bool {
    switch code {
    case .damaged, .lostEvents: true
    default: false
    }
  }
}
