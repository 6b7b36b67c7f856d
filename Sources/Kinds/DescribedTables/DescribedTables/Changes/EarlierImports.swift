package import CatalogEngine
import CatalogModel
import EventLog
import Projections

extension TableImportReport {
  /// Bytes of a log up to which it is searched for earlier imports, which takes a tenth of a second then.
  private static let searched = 4 << 20

  /// Adds a remark for each document that changes rows and was imported before: an old file may have been taken for a new one, and
  /// what came since is overwritten.
  ///
  /// A log over 4 MiB, and one on a server, is not searched: the catalog's history answers if there is one.
  ///
  /// - Parameters:
  ///   - kind: of the catalog.
  ///   - takesReverted: whether the caller knows that the documents were imported before, and were reverted.
  package mutating func noteEarlierImports(
    in directory: CatalogDirectory, _ kind: DescribedKind, takesReverted: Bool
  ) throws {
    do {
      try addEarlierImports(in: directory, kind, takesReverted)
    } catch {
      if report.outcome == .planned { throw error }
      // What was appended is in the log, whatever can be read afterwards.
      remarks.append("earlier imports of the same documents cannot be looked for: \(error)")
    }
  }

  private mutating func addEarlierImports(
    in directory: CatalogDirectory, _ kind: DescribedKind, _ takesReverted: Bool
  ) throws {
    guard [.planned, .imported, .appended, .reverted].contains(report.outcome),
      let last = report.sequence
    else { return }
    let before = last - (report.outcome == .planned ? 0 : UInt64(report.eventCount))
    let documents = report.documents.filter { document in
      !document.isKnown && document.format != TableDocument.databaseFormat
        && document.tables.contains { $0.changed + $0.removed > 0 }
    }
    guard !documents.isEmpty else { return }
    let search = try EarlierReads(
      in: directory, kind, through: before, isSmall: 1...Self.searched ~= directory.logBytes)
    for document in documents {
      let isReverted = report.outcome == .reverted
      guard let earlier = try search.last(of: document),
        earlier.later > 0 || !takesReverted && !isReverted
      else { continue }
      remarks.append(
        "\(document.file) was imported before, by event \(earlier.sequence)"
          + (earlier.later > 0
            ? ", and \(CountWords.of(earlier.later, "import")) came after it" : "")
          + ": rows that changed since \(isReverted ? "would be" : "are") as they were then")
    }
  }
}

/// Finds when a document was read before.
private struct EarlierReads {
  /// The events of a small log; nil if the history is asked.
  private let reads: [DescribingEvent]?
  private let kind: DescribedKind
  private let states: PastStates
  private let last: UInt64

  init(
    in directory: CatalogDirectory, _ kind: DescribedKind, through last: UInt64, isSmall: Bool
  ) throws {
    let log = CatalogLog(try directory.store(), kind)
    (self.kind, self.last) = (kind, last)
    states = PastStates(log, history: CatalogHistory(directory, log))
    reads =
      isSmall
      ? try DescribingEvent.all(in: log.reader.cursor(), of: TableEventType.sourceRead.rawValue)
        .filter { $0.sequence <= last } : nil
  }

  /// The last event that read the bytes of a document, and how many imports came after it.
  func last(
    of document: TableImportReport.Document
  ) throws -> (sequence: UInt64, later: Int)? {
    if let reads {
      let own = reads.filter { event in
        document.tables.contains { event.data["tables"]?[$0.name] != nil }
      }
      let place = own.lastIndex { $0.data["sha256"] == .string(document.sha256) }
      return place.map { (own[$0].sequence, own[($0 + 1)...].count) }
    }
    let sources = kind.program.sources.description
    guard let hash = sources.index(of: "sha256"), let count = sources.index(of: "reads") else {
      return nil
    }
    for table in document.tables {
      let steps = try states.knownSteps(of: sources, key: [.text(table.name)]).filter {
        $0.event.sequence <= last
      }
      let place = steps.lastIndex { $0.change.after?[hash] == .text(document.sha256) }
      guard let place else { continue }
      // A change of the description removes the row, and the count begins again.
      let later = steps[(place + 1)...].count { step in
        step.change.after.map { $0[count] != step.change.before?[count] } ?? false
      }
      return (steps[place].event.sequence, later)
    }
    return nil
  }
}
