import CatalogModel
import CatalogStore
import EventLog
import Foundation
package import Projections
import Support

/// Looks at everything of a catalog and changes nothing: the log, the projection, what work that did
/// not come to its end has left, and the files that the kind keeps.
package struct CatalogDoctor: Sendable {
  private let directory: CatalogDirectory
  private let kind: any CatalogKind
  private let progress: ProgressObserver

  package init(
    _ directory: CatalogDirectory, of kind: any CatalogKind,
    progress: @escaping ProgressObserver = { _ in }
  ) {
    self.directory = directory
    self.kind = kind
    self.progress = progress
  }

  /// - Parameter hashing: whether to read every file that the kind keeps and compare its SHA-256.
  /// - Returns: in the order of the areas; empty where all is well.
  /// - Throws: if there is no catalog, or the system does not let its log be read.
  package func findings(hashing: Bool) throws -> [CatalogFinding] {
    try directory.requireFolderOrNothing()
    return try DatabaseFile.leavingNothing(beside: directory.database) {
      try examined(hashing: hashing)
    }
  }

  private func examined(hashing: Bool) throws -> [CatalogFinding] {
    let hasDatabase = DatabaseFile.isTaken(directory.database)
    let reader = try directory.store()
    let log = CatalogLog(reader, kind)
    var findings: [CatalogFinding] = []
    var head: LogHead?
    do {
      if let report = try check(reader, orThrow: !hasDatabase) {
        findings += try Self.findings(report, in: directory)
        if report.findings.isEmpty { head = report.head }
      }
    } catch let error as EventLogError where error.isSilence && hasDatabase {
      findings.note(
        .log, .unreachable, "events", "\(error)",
        "check the server, or the address and the login if it answers; commands that read show what catalog.sqlite has until then"
      )
    }
    let isSilent = findings.contains { $0.problem == .unreachable }
    if !isSilent, findings.isEmpty || head != nil, let lost = try LostEvents.find(in: directory) {
      findings.note(.log, .lostEvents, "events", "\(lost)", try remedy(of: lost, head))
      findings[findings.endIndex - 1].details = CatalogHistory(directory, log).wordsOfLost()
    }
    let isLost = findings.contains { $0.problem == .lostEvents }
    for index in findings.indices where isLost && findings[index].problem == .torn {
      findings[index].remedy = TornTail.remedy(isLosing: true)
    }
    // Only a log describes some kinds: without it the kind that made the database may not be known.
    let isKnown = !isSilent || isOfKind
    let view =
      isKnown
      ? try projection(hasDatabase, isSilent ? nil : log, isLost ? nil : head, &findings) : nil
    defer { close(view) }
    if let head {
      findings += Self.reversals(in: reader)
      // As long as events are lost the history stays as it is.
      let history = CatalogHistory(directory, log)
      if !isLost, let event = history.lostEvent() {
        findings.note(
          .projection, .historyAhead, "history.sqlite",
          event > head.sequence
            ? "it has events up to \(event), and the log ends at event \(head.sequence)"
            : "the log has another event \(event) than it has",
          "if the log was restored from an older copy, keep a copy of this file and look for a newer log; the next question about "
            + "the past rebuilds it from the log"
        )
        findings[findings.endIndex - 1].details = history.wordsOfLost()
      }
    }
    findings += Leftovers(directory).findings()
    if let view, let kind = kind as? any SelfCheckingKind {
      do {
        findings += try kind.findings(in: directory, by: view, isHashing: hashing)
      } catch let error as StoreError where error.code != .exhausted {
        findings.append(Self.finding(error))
      }
    }
    return findings
  }

  /// Whether the database says that this kind made it, or does not say which one did.
  private var isOfKind: Bool {
    guard case .checkpoint(let checkpoint)? = HeadEvidence.peek(directory.database)?.claim else {
      return true
    }
    return checkpoint.fingerprint == kind.fingerprint
  }

  /// - Parameter head: of what is left of the log, if it can be read.
  private func remedy(of lost: EventLogError, _ head: LogHead?) throws -> ErrorMessage {
    let address = try directory.logAddress()
    let log = address.map { "the log at \($0)" } ?? "the events folder"
    guard lost.sequence != nil else {
      // A server may be another one than it was.
      return address == nil
        ? "restore \(log) from a copy; or move catalog.sqlite away and import again"
        : "check the address, or restore \(log) from a copy"
    }
    var advice: ErrorMessage = "restore \(log) from a copy; "
    let store = try directory.store()
    // Of another log the rows have nothing to do with these events.
    if try LostEvents.checkpoint(in: directory)?.logID == store.logID() {
      // A history that cannot be read says nothing.
      let common = try? CatalogHistory(directory, CatalogLog(store, kind)).commonEnd()?.sequence
      if let common {
        advice =
          advice + "\(do: .showLost(common)) shows the rows that went with the events after it; "
      } else if let head, head.sequence > 0 {
        advice =
          advice
          + "\(do: .showLost(head.sequence)) shows how rows of the database differ from the log's, those that others changed since among them; "
      }
    }
    return advice + LostEvents.replaced
  }

  // MARK: The log

  private func check(_ reader: any LogStore, orThrow isNeeded: Bool) throws -> CheckReport? {
    guard
      try isNeeded || directory.logAddress() != nil
        || FileManager.default.fileExists(atPath: directory.events)
    else { return nil }
    let progress = self.progress
    do {
      return try reader.check { done in
        progress(CatalogProgress(phase: .checking, done: done.bytes, total: done.totalBytes))
      }
    } catch let error as EventLogError where error.code == .io && error.errno == nil {
      // There is none: beside a database that is a loss, which is told of as such.
      guard isNeeded else { return nil }
      _ = try directory.existingLog()
      throw error
    }
  }

  private static func findings(
    _ report: CheckReport, in directory: CatalogDirectory
  ) throws -> [CatalogFinding] {
    let remedy: ErrorMessage =
      try directory.logAddress().map { "restore the log at \($0) from a copy, or \(do: .salvage)" }
      ?? "restore the file from a copy, or \(do: .salvage)"
    var findings = report.findings.map { finding in
      CatalogFinding(
        .log, .damaged, directory.relative(finding.file),
        "\(finding.place): \(finding.problem.rawValue)"
          + (finding.range.map { "; \($0)" } ?? "; no event is missing"),
        finding.properName.map { name in
          // The segment of that name is whole, or a finding of its own.
          FileManager.default.fileExists(atPath: "\(directory.events)/\(name)")
            ? "\(name) has these events: this file is a stray copy; move it out of the folder"
            : "name the file \(name)"
        } ?? remedy)
    }
    if let torn = report.torn {
      findings.note(
        .log, .torn, directory.relative(torn.file),
        "offset \(torn.offset), sequence \(torn.sequence): \(torn.length) bytes of a write that a "
          + "crash interrupted",
        TornTail.remedy(isLosing: false))
    }
    return findings
  }

  /// How many places are listed at which the times of the log go back.
  private static let listedReversals = 10

  /// Where a moment that is named by its time means a state with later batches in it.
  private static func reversals(in log: any LogStore) -> [CatalogFinding] {
    // An event that cannot be read is a finding of the rows that lack it.
    let reversals = (try? TimeReversal.all(in: log)) ?? []
    var findings = reversals.prefix(listedReversals).map { reversal in
      CatalogFinding(
        .log, .timesGoBack, "events", "times go back: \(reversal.words)",
        "nothing to do: a time names the last batch of the log that is not later; name states here by their sequences"
      )
    }
    let more = reversals.count - listedReversals
    if more > 0 {
      findings.note(
        .log, .timesGoBack, "events",
        "times go back at \(CountWords.of(more, "more batch"))",
        "nothing to do; name states there by their sequences")
    }
    return findings
  }

  // MARK: The projection

  /// The projection if its rows can be read.
  ///
  /// - Parameter log: that it is compared with; nil if that cannot be reached.
  /// - Throws: `StoreError` with `exhausted`: nothing is known of the database then.
  private func projection(
    _ isThere: Bool, _ log: CatalogLog?, _ head: LogHead?,
    _ findings: inout [CatalogFinding]
  ) throws -> ProjectionView? {
    func note(_ problem: CatalogFinding.Problem, _ message: ErrorMessage, _ remedy: ErrorMessage) {
      findings.note(.projection, problem, "catalog.sqlite", message, remedy)
    }
    if DatabaseFile.isOnFullVolume(directory.database) {
      note(
        .volume, "the disk is full",
        "free space on it; until then commands that change the catalog fail, and others may replay the log"
      )
    }
    guard isThere else {
      note(.noDatabase, "there is no database", "the next command that reads rebuilds it")
      return nil
    }
    do {
      let view = try ProjectionView(path: directory.database, migrations: kind.migrations)
      if let damage = try view.damage() {
        note(.notADatabase, "SQLite finds damage: \(damage)", "\(do: .rebuild)")
        return nil
      }
      let witnesses = try view.witnesses()
      switch witnesses.claim {
      case .none:
        if head == nil || log.map({ noteUnreadableEvent($0, &findings) }) != true {
          note(.behind, "the database is empty", "the next command that reads fills it")
        }
        return nil
      case .unmarked:
        note(
          .unmarked, "it has rows and no checkpoint: it was changed by hand",
          "\(do: .rebuildKeepingOld)")
        return nil
      case .unreadable:
        note(
          .checkpointChanged, "its checkpoint is invalid: it was changed by hand",
          "\(do: .rebuildKeepingOld)")
        return nil
      case .checkpoint: break
      }
      guard let log else {
        try inspect(view, &findings)
        return view
      }
      guard let head else { return nil }
      switch try ProjectionStanding(witnesses, in: log.reader, for: kind.fingerprint) {
      case .stale(let checkpoint):
        note(
          .stale,
          kind.isEarlier(checkpoint.fingerprint)
            ? "it was made for an earlier description of the tables"
            : "another version of the program created it, or its digests were removed",
          "\(do: .rebuild)")
        return nil
      case .edited:
        note(
          .checkpointChanged,
          "its checkpoint names an event that the log does not have at that sequence: it was changed by hand",
          "\(do: .rebuildKeepingOld)")
      case .within(let checkpoint):
        if checkpoint.sequence < head.sequence, !noteUnreadableEvent(log, &findings) {
          note(
            .behind,
            "it has applied event \(checkpoint.sequence), the log ends at event \(head.sequence)",
            "the next command that reads applies the rest")
        }
      // The loss is a finding of the log.
      case .ahead, .untouched, .unmarked, .withoutLog: break
      }
      try inspect(view, &findings)
      return view
    } catch let error as StoreError where error.code == .exhausted {
      throw error
    } catch let error as StoreError {
      findings.append(Self.finding(error))
    } catch {
      if let error = StoreError(ofSQLite: error) {
        findings.append(Self.finding(error))
      } else {
        note(.notADatabase, "\(error)", "\(do: .rebuild)")
      }
    }
    return nil
  }

  /// Whether the log holds an event at which every replay stops; it is noted then.
  private func noteUnreadableEvent(
    _ log: CatalogLog, _ findings: inout [CatalogFinding]
  ) -> Bool {
    do {
      _ = try ProjectionRebuild(log, progress: progress).fold()
      return false
    } catch {
      findings.note(
        .log, .unreadableEvent, "events", "\(error)",
        "use the release that wrote it; \(do: .salvagePastGaps) makes a log without it")
      return true
    }
  }

  /// What in the rows and the schema is not as the projector made it, and which events changed nothing.
  private func inspect(
    _ view: ProjectionView, _ findings: inout [CatalogFinding]
  ) throws {
    let inspection = try view.inspect()
    func note(_ problem: CatalogFinding.Problem, _ message: ErrorMessage, _ remedy: ErrorMessage) {
      findings.note(.projection, problem, "catalog.sqlite", message, remedy)
    }
    for difference in inspection.schema {
      note(.schemaChanged, "\(difference)", "\(do: .rebuildKeepingOld)")
    }
    for drift in inspection.drifted {
      note(.drifted, ErrorMessage(drift.message), "\(do: .rebuildKeepingOld)")
    }
    if inspection.isSound {
      for problem in try view.fullTextProblems() {
        note(.drifted, ErrorMessage(problem), "\(do: .rebuildKeepingOld)")
      }
    }
    for reference in inspection.isSound ? try view.danglingReferences(limit: 100) : [] {
      findings.note(
        .log, .danglingReference, "events", "\(reference)",
        "nothing to do: the rows are those of the log; a later change may add the missing row")
    }
    for conflict in inspection.conflicts {
      findings.note(
        .log, .conflict, "events",
        "event \(conflict.sequence), \(conflict.type), changes nothing: \(conflict.message)",
        "nothing to do: every replay skips it; \(do: .showEvent(conflict.sequence)) shows it")
    }
    if inspection.moreConflicts > 0 {
      findings.note(
        .log, .conflict, "events",
        inspection.moreConflicts == 1
          ? "1 more event changes nothing"
          : "\(inspection.moreConflicts) more events change nothing",
        "nothing to do; \(do: .listContradictions) lists all")
    }
  }

  /// The meaning of an error of the database, and its remedy.
  private static func finding(_ error: StoreError) -> CatalogFinding {
    let (problem, remedy): (CatalogFinding.Problem, ErrorMessage) =
      switch error.code {
      case .busy: (.locked, "end the other program, or wait for it")
      case .volume: (.volume, "free space on its volume, or check that for errors, and look again")
      case .notAFile: (.notAFile, "\(do: .rebuild)")
      case .readOnly: (.notPermitted, "copy the catalog to a folder that can be written")
      case .notPermitted:
        (.notPermitted, "let this user read and write the file and its folder, or work on a copy")
      case .drifted: (.drifted, "\(do: .rebuildKeepingOld)")
      default: (.notADatabase, "\(do: .rebuild)")
      }
    return CatalogFinding(.projection, problem, "catalog.sqlite", error.explanation, remedy)
  }

  private func close(_ view: ProjectionView?) {
    // It was only read; SQLite gives its locks back with the process at the latest.
    try? view?.close()
  }
}

extension TornTail {
  /// The remedy.
  ///
  /// - Parameter isLosing: whether the log lacks events that the database has applied.
  package static func remedy(isLosing: Bool) -> ErrorMessage {
    isLosing
      ? "leave it: no command moves it while acknowledged events are missing"
      : "the next command that writes moves it to a file of its own and continues"
  }
}

extension CatalogDirectory {
  /// A path as seen from the catalog's folder, where it is in it.
  package func relative(_ path: String) -> String {
    path.hasPrefix(self.path + "/") ? String(path.dropFirst(self.path.count + 1)) : path
  }
}

extension LogFinding {
  /// Where in the file.
  package var place: String { "offset \(offset), sequence \(error.sequence ?? 0)" }

  /// Which events are missing here, for a person; nil if none is.
  package var range: String? {
    guard let firstSequence else { return nil }
    if isRestUnread { return "event \(firstSequence) is damaged, and those after it were not read" }
    guard let lastSequence else { return "events from \(firstSequence) on are missing" }
    return firstSequence == lastSequence
      ? "event \(firstSequence) is missing"
      : "events \(firstSequence) to \(lastSequence) are missing"
  }
}
