import CatalogModel
import EventLog
import Projections

/// Finds the last event that names the key of a row: the best guess if no event wrote the row in this program, since another
/// program made it.
struct LastEventByKey {
  /// The texts and ids of a key, or its numbers if it has no other values.
  private struct Names: Hashable {
    var names: Set<[UInt8]>

    init?(_ key: [Value]) {
      func bytes(_ texts: [String]) -> Set<[UInt8]> { Set(texts.map { Array($0.utf8) }) }
      let texts = key.compactMap { value -> String? in
        switch value {
        case .text(let text): text
        case .id(let id): id.description
        case .time(let time): time.description
        case .integer, .real, .null, .blob: nil
        }
      }
      let numbers = key.compactMap { value -> String? in
        if case .integer(let number) = value { String(number) } else { nil }
      }
      names = bytes(texts.isEmpty ? numbers : texts)
      if names.isEmpty { return nil }
    }
  }

  /// - Parameter rows: few; every event is searched for the keys of all of them.
  static func find(
    _ rows: Set<RowAddress>, in log: CatalogLog, through last: UInt64
  ) throws -> [RowAddress: EventEnvelope] {
    var wanted: [[UInt8]: [(row: RowAddress, names: Names)]] = [:]
    for row in rows {
      guard let names = Names(row.key) else { continue }
      for name in names.names { wanted[name, default: []].append((row, names)) }
    }
    if wanted.isEmpty { return [:] }
    let lengths = Set(wanted.keys.map(\.count))
    var found: [RowAddress: EventEnvelope] = [:]
    var decoder = EnvelopeDecoder()
    let cursor = try log.cursor()
    while let batch = try cursor.nextBatch(), batch.firstSequence <= last {
      try log.limit?.check()
      try cursor.forEachLine { line, sequence in
        var named: Set<[UInt8]> = []
        PayloadTokens.forEach(in: line) { token in
          guard lengths.contains(token.count) else { return }
          let bytes = Array(token)
          if wanted[bytes] != nil { named.insert(bytes) }
        }
        guard !named.isEmpty else { return }
        let event = try decoder.decode(line: line, expecting: sequence)
        for name in named {
          for (row, names) in wanted[name] ?? [] where names.names.isSubset(of: named) {
            found[row] = event
          }
        }
      }
    }
    return found
  }
}

/// The texts and numbers of an event's payload, as the line has them.
enum PayloadTokens {
  private static let payload = Array("\"data\":".utf8)
  private static let ends = Array(",]}".utf8)

  static func forEach(
    in line: UnsafeRawBufferPointer, _ body: (Slice<UnsafeRawBufferPointer>) -> Void
  ) {
    var place = line.firstRange(of: payload)?.upperBound ?? 0
    while place < line.count {
      switch line[place] {
      case UInt8(ascii: "\""):
        let start = place + 1
        place = start
        while place < line.count, line[place] != UInt8(ascii: "\"") {
          place += line[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        body(line[start..<min(place, line.count)])
        place += 1
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        let start = place
        while place < line.count, !Self.ends.contains(line[place]) { place += 1 }
        body(line[start..<place])
      default: place += 1
      }
    }
  }
}
