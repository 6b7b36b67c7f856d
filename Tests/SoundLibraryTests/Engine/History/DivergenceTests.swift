import CatalogModel
import CatalogTestSupport
import EventLog
import Projections
import Promises
import SoundLibraryTestSupport
import Testing

@testable import CatalogEngine
@testable import CatalogStore
@testable import SoundLibrary

/// The first difference of two catalogs, compared with the batches that two logs were made of, and with rows that replays
/// make.
@Suite(
  .promise(
    "The first batch at which two catalogs differ is found, with its first row",
    by: "generated logs with another continuation, compared with models; on a real kind"))
struct DivergenceTests {
  /// A log that was copied, and went on in another way on either side.
  @Test(arguments: [701, 702, 703, 704, 705, 706] as [UInt64])
  func logsThatPartAreFoundWithTheirFirstRow(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var generator = HistoryGenerator(seed: seed)
    let batches = generator.batches(60)
    let common = 1 + random.below(50)
    let (one, other) = (
      try GeneratedHistory(batches),
      try GeneratedHistory(Self.batches(batches.prefix(common), continuedWith: seed + 1_000))
    )
    let found = try Self.divergence(one, other)
    let last = try #require(batches[common - 1].last).sequence
    #expect(found.verdict == .log && found.isSameLog, "seed \(seed)")
    #expect(found.sameThrough == last && found.commonEvents == last, "seed \(seed)")
    for (side, log) in [(found.one, one), (found.other, other)] {
      let batch = try #require(side.batch)
      let expected = log.batches[common]
      #expect(batch.range.firstSequence == last + 1)
      #expect(batch.range.lastSequence == expected.last?.sequence)
      #expect(batch.event.operation == expected[0].operation && batch.event.by == expected[0].by)
      #expect(batch.types == EventCounts(of: expected.map(\.event.type)))
    }
    let expected = try Self.firstDifference(
      one, found.one.batch?.range.lastSequence, other, found.other.batch?.range.lastSequence)
    #expect(Self.place(found.row) == expected, "seed \(seed)")
  }

  /// A catalog and its older copy, in both orders, and a catalog and itself.
  @Test func aPartOfALogIsTheSameAsFarAsItGoes() throws {
    var generator = HistoryGenerator(seed: 711)
    let batches = generator.batches(30)
    let (whole, part) = (
      try GeneratedHistory(batches), try GeneratedHistory(Array(batches.prefix(12)))
    )
    let end = try #require(batches[11].last).sequence
    for (one, other) in [(whole, part), (part, whole), (part, part)] {
      let found = try Self.divergence(one, other)
      #expect(found.verdict == .same && found.sameThrough == end && found.row == nil)
      #expect(found.one.batch == nil && found.other.batch == nil)
    }
  }

  // MARK: Models

  /// Batches, and others after them than those that the generator would have made.
  private static func batches(
    _ beginning: some Collection<[SoundEventRecord]>, continuedWith seed: UInt64
  ) -> [[SoundEventRecord]] {
    var generator = HistoryGenerator(seed: seed)
    var sequence = UInt64(beginning.joined().count)
    return Array(beginning)
      + generator.batches(20).dropFirst().map { batch in
        batch.map { record in
          sequence += 1
          var record = record
          record.sequence = sequence
          return record
        }
      }
  }

  private static func divergence(
    _ one: GeneratedHistory, _ other: GeneratedHistory
  ) throws -> Divergence {
    func history(_ log: GeneratedHistory) throws -> CatalogHistory {
      CatalogHistory(CatalogDirectory(log.folder.path), log.log)
    }
    return try Divergence(history(one), history(other))
  }

  /// The first row that differs between two states that replays make.
  private static func firstDifference(
    _ one: GeneratedHistory, _ oneEnd: UInt64?, _ other: GeneratedHistory, _ otherEnd: UInt64?
  ) throws -> String? {
    let (left, right) = (
      try one.past(#require(oneEnd)), try other.past(#require(otherEnd))
    )
    return try left.read { left in
      try right.read { right in
        for table in one.log.kind.schema.tables {
          var first: String?
          try RowComparison.compare(table, live: left, expected: right) { difference in
            first = first ?? difference.place
          }
          if let first { return first }
        }
        return nil
      }
    }
  }

  private static func place(_ row: Divergence.FirstRow?) -> String? {
    row.map { row in
      let key = zip(row.table.key, row.key).map { place, value in
        let text =
          switch value {
          case .integer(let integer): "\(integer)"
          case .id(let id): "'\(id)'"
          case .text(let text): "'\(text)'"
          default: "?"
          }
        return "\(row.table.columns[place].name)=\(text)"
      }
      return "\(row.table.name)[\(key.joined(separator: ", "))]"
    }
  }
}
