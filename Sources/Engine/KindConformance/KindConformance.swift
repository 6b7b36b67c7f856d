public import CatalogEngine
import CatalogStore
import EventLog
import Foundation

/// Tries whether a kind of catalog keeps what the engine promises of all of them.
///
/// For the tests of whoever writes a kind, with whatever library these are made:
///
/// ```swift
/// let findings = try await KindConformance(Bookshelf(), batches: batches).findings()
/// #expect(findings.isEmpty, "\(findings)")
/// ```
public struct KindConformance<Kind: CatalogKind>: Sendable {
  let kind: Kind
  let batches: [[Kind.Event]]
  private let program: String?
  private let revertedOperations: Int

  /// - Parameters:
  ///   - batches: a history of a catalog, event by event, with every type of event in it; some may contradict
  ///     earlier ones. What the history does not show is not tried.
  ///   - program: the path of a program with the commands of the engine that knows the kind. It replays the history
  ///     in processes of its own: only these show whether rows depend on the order of a dictionary, a set, the
  ///     language or the time zone. Nil where that is not tried.
  ///   - revertedOperations: how many batches are taken back, one at a time, at most.
  public init(
    _ kind: Kind, batches: [[Kind.Event]], program: String? = nil, revertedOperations: Int = 40
  ) {
    self.revertedOperations = revertedOperations
    self.kind = kind
    self.batches = batches
    self.program = program
  }

  /// What the kind does not keep; empty where all is well.
  ///
  /// - Throws: if the trial itself cannot be carried out: no room for files, a history without events.
  public func findings() async throws -> [ConformanceFinding] {
    guard batches.contains(where: { !$0.isEmpty }) else {
      throw CatalogError(.verification, "the history has no events; add some")
    }
    return try await Blocking.run {
      var findings = try encodingFindings() + applyingFindings()
      // Whatever else is wrong would follow from these.
      guard findings.isEmpty else { return findings }
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      let trial = try TrialCatalog(kind, acceptedBatches(), in: folder.path)
      findings += try trial.replayFindings()
      guard findings.isEmpty else { return findings }
      findings += try trial.historyFindings() + trial.omissionFindings()
      findings += trial.referenceFindings()
      findings += try trial.revertFindings(limit: revertedOperations)
      findings += try trial.foreignFindings()
      findings += try trial.tamperedFindings()
      if let program { findings += try trial.findings(of: program) }
      return findings
    }
  }
}

/// A promise that a kind, or a store, does not keep.
public struct ConformanceFinding: Hashable, Sendable, CustomStringConvertible {
  public enum Promise: String, Sendable {
    /// An event that is written is read as the same event, whichever way it is read.
    case encoding
    /// An event has an outcome on any rows: it changes them, or it contradicts them and changes nothing.
    case outcome
    /// The same log makes the same rows, in memory, row by row, and half in either way.
    case replay
    /// The history has the rows that the database had after each batch.
    case history
    /// Without any one batch all other events have an outcome, and it is that of a replay which leaves the batch out.
    case omission
    /// The same log makes the same rows in another process, with another language and time zone.
    case processes
    /// No row refers to a row which does not exist, after any batch.
    case references
    /// After a revert the rows that the operation alone changed are as before it, and what later events changed stays; the
    /// revert of the revert gives the rows of before.
    case revert
    /// A log of another kind, an unknown type or a newer version stops a replay with the event's number.
    case foreign
    /// Whatever somebody changes in the database, a rebuild makes the rows again.
    case tampering

    /// A store gives each batch that it acknowledged, as it was, to all who ask.
    case batches
    /// A store knows its heads, and no others.
    case heads
    /// A store tells a batch that is appended again from another one in its place.
    case retries
    /// If several writers append at the same moment, one does, and the others learn it.
    case writers
    /// A log that is copied to a store and back has the same chain.
    case copies
    /// A batch of the largest size is kept, and a larger one is refused.
    case limits
  }

  public let promise: Promise
  public let message: String

  public var description: String { "\(promise.rawValue): \(message)" }
}

extension ConformanceFinding {
  init(_ promise: Promise, _ message: String) {
    self.init(promise: promise, message: message)
  }
}

extension [ConformanceFinding] {
  mutating func note(_ promise: ConformanceFinding.Promise, _ message: String) {
    append(ConformanceFinding(promise, message))
  }
}
