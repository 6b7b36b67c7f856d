import ArgumentParser
import CatalogEngine
import CatalogModel
import EventLog
import Foundation

struct SalvageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "salvage",
    abstract: "Write a new catalog from the intact part of a damaged log.",
    discussion: """
      Reads the log and never changes it. Writes its first part, up to the first gap, unchanged: the same \
      id, events and chain hashes. Missing events are listed, and so are intact events after the first gap. \
      --past-gaps writes those too, to a log with a new id and renumbered events, together with the events \
      in intact frames of damaged batches. Events that contradict the rest are left out and listed. Of a log in PostgreSQL the \
      rows are copied to a temporary folder first.

      If the catalog has a database, it shows what the log should hold: events that it has applied and that \
      the log lacks are listed as missing. Exit status 2 if an event is missing or left out.
      """.examples(
        "\(ProgramName.current) salvage rescued",
        "\(ProgramName.current) salvage --events copy/events --past-gaps rescued",
        "\(ProgramName.current) salvage --events postgresql://db.example/catalogs#shop rescued"))

  @OptionGroup var history: HistoryOptions

  @Flag(name: .long, help: "Continue after gaps, in a log with a new id.")
  var pastGaps = false

  @Argument(
    help: ArgumentHelp(
      "The folder of the new catalog; it must be new or empty.", valueName: "out"),
    completion: .directory)
  var out: String

  func validate() throws {
    if out.isEmpty { throw ValidationError("name a new folder") }
  }

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    let server = try history.serverLog
    let usual = try server == nil ? history.folder : ""
    if history.events == nil { try history.options.directory.requireFolderOrNothing() }
    let (out, isPastGaps) = (self.out, pastGaps)
    let database = try history.live
    let (kinds, places) = try (KnownKinds.current, history.places)
    let catalog = try history.events == nil ? history.options.directory : nil
    let (salvage, written, copy, isOpened, common) = try await Blocking.run {
      let folder = try NewCatalogFolder(out, apartFrom: places)
      let copy = try server.map { try ServerSegments($0, progress: progress.observer) }
      defer { copy?.remove() }
      let salvage = try open(copy?.path ?? usual, of: server, progress.observer)
      let written: CatalogSalvage.Written
      if isPastGaps {
        let kind = try kinds.kind(of: salvage.log, besides: database)
        // That of a process that was killed after its work: the same log is written again, and compared.
        let id =
          try folder.finishedEnd()?.logID
          ?? LogID(bytes: withUnsafeBytes(of: UUID().uuid) { Array($0) })
        written = try salvage.writePastGaps(to: folder, logID: id, kind)
      } else {
        written = try salvage.writePrefix(to: folder)
      }
      let made = EventLogReader(directory: folder.events)
      let common = catalog.flatMap { catalog in
        (try? kinds.kind(of: catalog)).flatMap { salvage.commonEnd(of: catalog, $0) }
      }
      return (salvage, written, copy, try kinds.knownKind(of: made, besides: nil) != nil, common)
    }
    progress.finish()
    let report = SalvageReport(salvage, written, common, isPastGaps: pastGaps, out: out) { text in
      guard let copy, let server else { return text }
      return copy.naming(server, in: text)
    }
    try console.write(history.options.format, json: report, text: report.write(to:))
    if !isOpened {
      console.error(
        "no command of this program opens \(out): the event that describes its tables is lost, or it is of a kind that the program "
          + "does not have; --past-gaps writes the description again that the old catalog.sqlite has; else restore that part of the "
          + "log from a copy, or read the rows of that file with sqlite3"
      )
    }
    if let copy, copy.unread > 0 {
      console.error(
        "the server cannot read \(Count.of(copy.unread, "place")) of its table, a row or a page: the last events may be missing, too"
      )
      throw Exit(status: .findings)
    }
    if !report.isComplete { throw Exit(status: .findings) }
  }

  /// - Parameter server: which has the log; nil if that is in a folder.
  private func open(
    _ events: String, of server: BatchStoreLog?, _ progress: @escaping ProgressObserver
  ) throws -> CatalogSalvage {
    let catalog = history.events == nil ? try history.options.directory : nil
    do {
      return try CatalogSalvage(
        events, of: catalog, named: server?.place ?? events, progress: progress)
    } catch let error as EventLogError where error.code == .io {
      if let server {
        throw EventLogError(
          .io, "no part of the log in \(server.place) can be read; restore it from a copy",
          file: server.place)
      }
      // If there is no log, a database may still tell of one.
      if let catalog, let lost = try LostEvents.find(in: catalog) { throw lost }
      throw error
    }
  }
}

extension ClosedRange<UInt64> {
  /// What is left of it without other ranges, which ascend.
  fileprivate func without(_ others: [ClosedRange<UInt64>]) -> [ClosedRange<UInt64>] {
    var left: [ClosedRange<UInt64>] = []
    var next = lowerBound
    for other in others where other.upperBound >= next && other.lowerBound <= upperBound {
      if other.lowerBound > next { left.append(next...other.lowerBound - 1) }
      next = other.upperBound + 1
    }
    if next <= upperBound { left.append(next...upperBound) }
    return left
  }
}

/// What `salvage` tells.
private struct SalvageReport: Encodable {
  struct Events: Encodable {
    let firstSequence: UInt64
    let lastSequence: UInt64

    init(_ events: ClosedRange<UInt64>) {
      firstSequence = events.lowerBound
      lastSequence = events.upperBound
    }

    var text: String {
      firstSequence == lastSequence
        ? "event \(firstSequence)" : "events \(firstSequence) to \(lastSequence)"
    }
  }

  struct Stretch: Encodable {
    let firstSequence: UInt64
    let lastSequence: UInt64
    let newFirstSequence: UInt64
  }

  struct LeftOut: Encodable {
    let sequence: UInt64
    let reason: String
  }

  struct TornCopy: Encodable {
    let name: String
    let bytes: UInt64
  }

  let out: String
  let pastGaps: Bool
  let oldLogId: String
  let logId: String
  let events: UInt64
  let sequence: UInt64
  let chain: String
  let findings: [JSONObject]
  let missing: [Events]
  let endKnown: Bool
  /// The last event that the database has applied, where the log lacks it or holds another.
  let lostThrough: UInt64?
  let behind: [Events]
  let ofDamagedBatches: [Events]
  let tornTail: JSONObject?
  let tornCopies: [TornCopy]
  let stretches: [Stretch]
  let leftOut: [LeftOut]
  let firstEventMade: Bool
  let descriptionsMade: [UInt64]
  private let torn: TornTail?
  private let tornFile: String
  private let lines: [String]
  private let lastKnown: UInt64
  private let isReplaced: Bool
  /// The first of the events for which the log holds others; nil if that is not known, or there is none.
  private let firstReplaced: UInt64?
  /// An event up to which the log and the database are the same, in words; empty if none is known, or if that is the last such event.
  private let held: String

  /// Nothing is missing, and nothing was left out.
  var isComplete: Bool {
    missing.isEmpty && endKnown && behind.isEmpty && leftOut.isEmpty && !isReplaced
  }

  private enum CodingKeys: String, CodingKey {
    case out, pastGaps, oldLogId, logId, events, sequence, chain, findings, missing, endKnown
    case lostThrough, behind, ofDamagedBatches
    case tornTail, tornCopies, stretches, leftOut, firstEventMade, descriptionsMade
  }

  /// - Parameters:
  ///   - common: an event up to which the log and the database are the same, and whether it is the last one; nil if none is known.
  ///   - shown: changes a text in which a file of the log is named.
  init(
    _ salvage: CatalogSalvage, _ written: CatalogSalvage.Written,
    _ common: (sequence: UInt64, isLast: Bool)?,
    isPastGaps: Bool, out: String, as shown: (String) -> String
  ) {
    let log = salvage.log
    self.out = out
    pastGaps = isPastGaps
    oldLogId = log.logID.description
    logId = written.logID.description
    events = written.head.sequence
    sequence = written.head.sequence
    chain = written.head.chain.hex
    findings = log.findings.map { $0.json(as: shown) }
    lastKnown = log.lastKnown
    isReplaced = log.acknowledged == .replaced
    lostThrough = log.acknowledged.flatMap { $0 == .held ? nil : salvage.applied?.sequence }
    var lacking = log.missing.flatMap { $0.without(written.ofDamagedBatches) }
    held = common.flatMap { $0.isLast ? nil : " after event \($0.sequence)" } ?? ""
    if let common, common.isLast, let lostThrough, common.sequence < min(lastKnown, lostThrough) {
      let common = common.sequence
      firstReplaced = common + 1
      let replaced = common + 1...lostThrough
      lacking = lacking.flatMap { $0.without([replaced]) }
      lacking.insert(
        replaced, at: lacking.firstIndex { $0.lowerBound > common } ?? lacking.endIndex)
    } else {
      firstReplaced = nil
    }
    missing = lacking.map(Events.init)
    ofDamagedBatches = written.ofDamagedBatches.map(Events.init)
    endKnown = !log.isEndUnknown
    behind = isPastGaps ? [] : log.behind.map(Events.init)
    torn = log.torn
    tornTail = torn?.json(as: shown)
    tornFile = shown(torn?.file ?? "")
    tornCopies = log.kept.map { TornCopy(name: $0.name, bytes: $0.bytes) }
    stretches = written.stretches.map {
      Stretch(
        firstSequence: $0.old.lowerBound, lastSequence: $0.old.upperBound,
        newFirstSequence: $0.newFirst)
    }
    leftOut = written.leftOut.map { LeftOut(sequence: $0.sequence, reason: $0.reason) }
    firstEventMade = written.isFirstMade
    descriptionsMade = written.madeDescriptions
    lines = log.findings.map { "damaged  \(shown($0.line))" }
  }

  func write(to console: Console) {
    for line in lines { console.write(line) }
    for range in missing {
      var words = ""
      if range.firstSequence == firstReplaced {
        words = ": the database has applied them, the log holds others"
      } else if range.lastSequence > lastKnown {
        words = ": the database has applied them"
      }
      console.write("missing  \(range.text)\(words)")
    }
    if isReplaced, firstReplaced == nil, let lostThrough {
      console.write(
        "missing  events up to \(lostThrough)\(held): the database has applied them, the log holds others"
      )
    }
    if let lostThrough, !isReplaced, firstReplaced == nil, lostThrough > lastKnown {
      console.write(
        "missing  perhaps some before these\(held), too, if others continued an earlier state of the log; a history that has them shows that"
      )
    }
    if !endKnown { console.write("missing  perhaps more after these: unknown") }
    for range in behind {
      console.write("intact   \(range.text), after a gap: --past-gaps writes them too")
    }
    if let torn {
      console.write(
        "torn     \(tornFile)  offset \(torn.offset), sequence \(torn.sequence): "
          + "\(torn.length) bytes of an interrupted write, "
          + (torn.sequence <= lostThrough ?? 0 ? "" : "never acknowledged, ") + "not used")
    }
    for copy in tornCopies {
      console.write("torn     \(copy.name): \(copy.bytes) bytes that recovery saved, not used")
    }
    for range in ofDamagedBatches {
      console.write("part     \(range.text), in whole frames of a damaged batch")
    }
    for event in leftOut { console.write("left out  event \(event.sequence): \(event.reason)") }
    if pastGaps {
      for stretch in stretches {
        let events = Events(stretch.firstSequence...stretch.lastSequence).text
        console.write(
          stretch.newFirstSequence == stretch.firstSequence
            ? "kept     \(events)" : "renumbered  \(events) from \(stretch.newFirstSequence) on")
      }
      if firstEventMade { console.write("created  event 1, which names the new log") }
      for sequence in descriptionsMade {
        console.write(
          "created  event \(sequence) again, which describes the tables as the old catalog.sqlite has them"
        )
      }
    }
    console.write("\(out): \(Count.of(events, "event")), log \(logId)")
    console.write("head \(sequence) \(chain)")
  }
}
