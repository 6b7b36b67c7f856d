import Support

/// Something about a catalog that a person should know, or do something about.
package struct CatalogFinding: Hashable, Sendable {
  /// Where it was looked. A kind names the areas of its own files.
  package struct Area: Hashable, Sendable {
    package let name: String

    package init(_ name: String) {
      self.name = name
    }

    package static let log = Area("log")
    package static let projection = Area("projection")
    package static let leftovers = Area("leftovers")
  }

  /// An entity of the kind that a finding is about.
  package struct Subject: Hashable, Sendable {
    /// The key of its id in JSON: `packId`.
    package let key: String
    package let id: String

    package init(_ key: String, _ id: String) {
      self.key = key
      self.id = id
    }
  }

  package enum Problem: String, Sendable, CaseIterable {
    // The log.
    /// Bytes of the log are not what was written.
    case damaged
    /// The log lacks events that the database has applied.
    case lostEvents
    /// The log ends with a write that a crash interrupted.
    case torn
    /// The log is whole, and holds an event that this release cannot read.
    case unreadableEvent
    /// The server that has the log cannot be reached.
    case unreachable
    // The projection.
    case noDatabase
    case notADatabase
    /// This user may not read or write the database or its folder.
    case notPermitted
    /// Another program holds the database for itself.
    case locked
    /// The volume of the database has no free space, or fails.
    case volume
    /// Rows without a checkpoint.
    case unmarked
    /// Made by another version of the projector, or without digests of this version.
    case stale
    /// The log has events that the database lacks.
    case behind
    /// The checkpoint is not one that the log has.
    case checkpointChanged
    /// A table, an index or a trigger is not as the projector made it.
    case schemaChanged
    /// Rows are not what the projector wrote, or a part is missing.
    case drifted
    /// An event of the log changed nothing, because it contradicts earlier ones. For a person to know; there is
    /// nothing to do about it.
    case conflict
    /// A row of the log refers to a row which does not exist. No replay can mend it; a person should know.
    case danglingReference
    /// A batch of the log has an earlier time than the one before it. For a person to know.
    case timesGoBack
    /// The history has events that the log does not have any more. For a person to know.
    case historyAhead
    // Leftovers.
    /// A file of work that did not come to its end.
    case unfinishedFile
    /// The bytes of a torn tail that was cut off.
    case tornCopy
    /// A database that could not be used, and was moved aside.
    case keptAside
    // Files that a kind keeps. The database may not be a file, too.
    case missing
    case notAFile
    case wrongSize
    case wrongHash
    case unfinished
    case stray
    case unusable
  }

  package var area: Area
  package var problem: Problem
  /// Nil where it is about none.
  package var subject: Subject?
  /// Relative to the catalog's folder; nil if it is of none.
  package var path: String?
  /// What is wrong, for a person.
  package var message: ErrorMessage
  /// Its parts, a line each: the batches that a log lost.
  package var details: [String] = []
  /// What to do about it: a command, or in words.
  package var remedy: ErrorMessage

  /// Whether the log is damaged or lost acknowledged events: nothing is written any more.
  package var isDamage: Bool { problem == .damaged || problem == .lostEvents }

  /// Whether it is only for a person to know: it changes no exit status. A database without the last events, or without any,
  /// is one of these: the next command that reads updates it. So is a file that an interruption left: the next one that writes removes it.
  package var isNote: Bool {
    [
      .behind, .conflict, .danglingReference, .noDatabase, .timesGoBack, .historyAhead,
      .unfinishedFile,
    ].contains(problem)
  }

  package init(
    _ area: Area, _ problem: Problem, _ path: String?, _ message: ErrorMessage,
    _ remedy: ErrorMessage
  ) {
    self.area = area
    self.problem = problem
    self.path = path
    self.message = message
    self.remedy = remedy
  }
}

extension [CatalogFinding] {
  mutating func note(
    _ area: CatalogFinding.Area, _ problem: CatalogFinding.Problem, _ path: String,
    _ message: ErrorMessage, _ remedy: ErrorMessage
  ) {
    append(CatalogFinding(area, problem, path, message, remedy))
  }
}
