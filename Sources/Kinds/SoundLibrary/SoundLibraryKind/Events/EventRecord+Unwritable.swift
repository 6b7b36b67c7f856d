package import CatalogModel

extension EventRecord {
  /// Why the event is not written; nil if it is. Narrower than `excess`: what is in a log already keeps its rows.
  package var unwritable: String? {
    excess
      ?? counts.first { $0.number > NumberRules.greatest }.map {
        "\($0.key) is \($0.number), not a whole number from 0 to \(NumberRules.greatest)"
      }
  }

  /// What the event counts, by key.
  private var counts: [(key: String, number: Int64)] {
    let counts: [(String, Int64?)] =
      switch event {
      case .seedImported(let data): [("revision", data.revision)]
      case .packUpserted(let data): [("version", data.version)]
      case .manifestApplied(let data):
        [("version", data.version), ("totalBytes", data.totalBytes), ("assets", data.assets)]
      case .packDownloadStarted(let data):
        [
          ("version", data.version), ("bytesTotal", data.bytesTotal),
          ("bytesDownloaded", data.bytesDownloaded),
        ]
      case .packDownloadProgressed(let data): [("bytesDownloaded", data.bytesDownloaded)]
      case .packDownloadCompleted(let data):
        [("version", data.version), ("bytesTotal", data.bytesTotal)]
          + data.assets.flatMap {
            [
              ("assets.bytes", $0.bytes), ("assets.sampleRate", $0.sampleRate),
              ("assets.channels", $0.channels),
            ]
          }
      default: []
      }
    return counts.compactMap { key, number in number.map { (key, $0) } }
  }
}
