/// How far a check has come, in stored bytes.
package struct CheckProgress: Sendable {
  package let bytes: Int
  package let totalBytes: Int
}

/// What a check of the whole log found.
package struct CheckReport: Sendable {
  package struct Segment: Sendable {
    package let name: String
    package let isSealed: Bool
    package fileprivate(set) var batches = 0
    package fileprivate(set) var events: UInt64 = 0
    package fileprivate(set) var plainBytes: UInt64 = 0
    package fileprivate(set) var storedBytes: UInt64 = 0
  }

  package fileprivate(set) var logID: LogID?
  /// The end of what is whole.
  package fileprivate(set) var head = LogHead(
    sequence: 0, chain: ChainHash(bytes: Array(repeating: 0, count: 32)))
  package fileprivate(set) var segments: [Segment] = []
  package fileprivate(set) var torn: TornTail?
  /// What is damaged, one finding a segment at most: behind the first damage within a segment
  /// nothing can be placed, so reading goes on with the next segment.
  package fileprivate(set) var damage: [EventLogError] = []
}

/// Reads every byte of a log and checks it.
struct LogCheck {
  private let folder: LogFolder
  private let limits: LogLimits

  init(_ folder: LogFolder, limits: LogLimits) {
    self.folder = folder
    self.limits = limits
  }

  func run(progress: (CheckProgress) -> Void) throws -> CheckReport {
    var report = CheckReport()
    let firsts: [UInt64]?
    do {
      firsts = try folder.segments()
    } catch let error as EventLogError where error.isDamage {
      report.damage.append(error)
      return report
    }
    guard let firsts, !firsts.isEmpty else {
      throw EventLogError(
        .io, "there is no event log in \(folder.path); name the catalog with --catalog",
        file: folder.path)
    }
    var sizes: [String: UInt64] = [:]
    for first in firsts {
      let name = LogFolder.name(first)
      let file = try LogFile(folder.path(name), .read, folder.calls)
      let isSealed = try SealHeader.begins(file)
      sizes[name] = try file.size()
      var segment = CheckReport.Segment(name: name, isSealed: isSealed)
      segment.storedBytes = sizes[name] ?? 0
      report.segments.append(segment)
    }
    let total = Int(sizes.values.reduce(0, +))
    var done = 0
    var current = ""
    var cursor = LogCursor(folder, limits: limits)
    var restart: UInt64?
    while true {
      do {
        if let restart { try cursor.move(toSegment: restart) }
        while let batch = try cursor.nextBatch() {
          while try cursor.nextLines() != nil {}
          if let known = report.logID, let id = cursor.id, id != known {
            throw EventLogError.damaged(
              .logID, "the segment belongs to another log", folder.path(batch.segment),
              batch.offset, batch.firstSequence)
          }
          if batch.segment != current {
            done += Int(sizes[current] ?? 0)
            current = batch.segment
          }
          report.count(batch)
          report.logID = cursor.id
          if report.damage.isEmpty { report.head = batch.head }
          progress(CheckProgress(bytes: done + Int(batch.offset), totalBytes: total))
        }
        report.torn = cursor.torn
        return report
      } catch let error as EventLogError where error.isDamage {
        report.damage.append(error)
        // What the damaged segment ends with is not known: the next one is taken at its word.
        guard let damaged = error.file.flatMap({ LogFolder.firstSequence(LogFolder.fileName($0)) }),
          let next = firsts.first(where: { $0 > damaged })
        else { return report }
        restart = next
        cursor = LogCursor(folder, limits: limits)
      }
    }
  }
}

extension CheckReport {
  fileprivate mutating func count(_ batch: BatchInfo) {
    guard let index = segments.lastIndex(where: { $0.name == batch.segment }) else { return }
    segments[index].batches += 1
    segments[index].events += batch.eventCount
    segments[index].plainBytes += batch.plainLength
  }
}
