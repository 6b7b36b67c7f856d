import Projections

/// How many values one vocabulary had.
package struct VocabularyGrowth: Sendable {
  package struct Step: Hashable, Sendable {
    /// The event that changed the number, or the last one of a batch.
    package let sequence: UInt64
    /// Behind it.
    package let count: Int
  }

  /// What the vocabulary is called.
  package let name: String
  /// Before the range.
  package internal(set) var start = 0
  /// Within the range.
  package internal(set) var added = 0
  /// Within the range: values that are gone because others stand for them.
  package internal(set) var merged = 0
  /// The events of the range that changed the number.
  package internal(set) var steps: [Step] = []
  /// The batches of the range that changed it.
  package internal(set) var batches: [Step] = []

  /// Behind the range.
  package var end: Int { steps.last?.count ?? start }
}

/// Folds the events that make and merge values.
struct VocabularyCounter {
  private(set) var vocabularies: [VocabularyGrowth]
  /// By vocabulary, the ids that have a row. Ids, not a count: an event that is applied again changes
  /// nothing.
  private var ids: [Set<Int64>]

  init(_ names: [String]) {
    vocabularies = names.map { VocabularyGrowth(name: $0) }
    ids = names.map { _ in [] }
  }

  mutating func apply(_ change: VocabularyChange, of sequence: UInt64, isInRange: Bool) {
    let place = change.vocabulary
    if change.isAdded {
      guard ids[place].insert(change.id).inserted else { return }
      if isInRange { vocabularies[place].added += 1 }
    } else {
      guard ids[place].remove(change.id) != nil else { return }
      if isInRange { vocabularies[place].merged += 1 }
    }
    if isInRange {
      vocabularies[place].steps.append(
        VocabularyGrowth.Step(sequence: sequence, count: ids[place].count))
    } else {
      vocabularies[place].start = ids[place].count
    }
  }

  /// Notes the numbers behind a batch of the range.
  mutating func endBatch(_ sequence: UInt64) {
    for place in vocabularies.indices {
      let growth = vocabularies[place]
      guard (growth.batches.last?.count ?? growth.start) != ids[place].count else { continue }
      vocabularies[place].batches.append(
        VocabularyGrowth.Step(sequence: sequence, count: ids[place].count))
    }
  }
}
