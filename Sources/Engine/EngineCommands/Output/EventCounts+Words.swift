package import CatalogEngine

extension EventCounts {
  /// `277 item.upserted`, the most frequent type first.
  package var wordsByFrequency: [String] { Self.words(byFrequency) }

  /// `277 item.upserted`, in the order of the types' names.
  package var wordsByName: [String] { Self.words(byName) }

  private static func words(_ counts: [Element]) -> [String] {
    counts.map { "\(Count.grouped($0.count)) \($0.type)" }
  }
}
