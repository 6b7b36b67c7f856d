import CatalogModel
import DescribedTables
import EngineCommands

/// The result of an import of all versions of files.
struct GitImportReport {
  private let history: GitHistory
  private var versions: [(version: GitHistory.Version, report: TableImportReport)] = []
  /// The time of the log's last batch.
  var time: Timestamp?
  /// Whether a version was refused, so that those after it were not read.
  var isStopped = false
  /// How many versions were refused and passed over.
  var skipped = 0
  /// How many versions have a time before that of the batch before.
  private(set) var backwards = 0

  init(_ history: GitHistory) {
    self.history = history
  }

  mutating func add(_ report: TableImportReport, of version: GitHistory.Version) {
    versions.append((version, report))
    guard report.eventCount > 0, [.imported, .appended].contains(report.outcome) else { return }
    if let time, version.time < time { backwards += 1 }
    time = version.time
  }

  /// Versions that changed something.
  private var changing: Int { versions.count { $0.report.eventCount > 0 } }

  /// - Throws: `Exit` if the database does not have the last version yet.
  func throwExitStatus() throws { try versions.last?.report.outcome.throwExitStatus() }

  var json: JSONObject {
    [
      "repository": history.repository.path, "commit": history.tip,
      "versions": versions.map {
        [
          "commit": $0.version.commit, "time": $0.version.time.description,
          "import": $0.report.json,
        ] as JSONObject
      },
      "skipped": skipped, "sequence": versions.last?.report.sequence,
      "chain": versions.last?.report.chain,
    ]
  }

  /// `29 versions: 28 with changes`
  fileprivate var sentences: [String] {
    guard let last = versions.last?.report else {
      if skipped > 0 { return ["\(Count.of(skipped, "version")) passed over, none imported"] }
      if isStopped { return [] }
      return ["nothing new: no version was imported, the branch is at commit \(history.tip)"]
    }
    let count =
      "\(Count.of(versions.count, "version")): \(Count.grouped(changing)) with changes"
      + (skipped > 0 ? ", \(Count.grouped(skipped)) more passed over" : "")
    guard let sequence = last.sequence, let chain = last.chain else { return [count] }
    return [count, "head \(sequence) \(chain)"]
  }
}

extension Console {
  func writeEnd(of report: GitImportReport) {
    for sentence in report.sentences { write(sentence) }
  }
}
