import Support
import Synchronization

/// Batches in the memory of this process, for tests.
package final class MemoryBatches: BatchStore {
  private let batches = Mutex<[StoredBatch]>([])
  package let place: String
  package let largestBatch: Int?

  package init(place: String = "memory", largestBatch: Int? = nil) {
    self.place = place
    self.largestBatch = largestBatch
  }

  package func durability() -> LogDurability { .memory }
  package func last() -> StoredBatch? { batches.withLock { $0.last } }

  package func batches(from first: UInt64) -> [StoredBatch] {
    batches.withLock { batches in
      let place = Self.place(at: first, in: batches)
      return batches[place...].first?.firstSequence == first ? Array(batches[place...]) : []
    }
  }

  package func batch(at sequence: UInt64) -> StoredBatch? {
    batches.withLock { batches in
      sequence == .max ? batches.last : batches[..<Self.place(at: sequence + 1, in: batches)].last
    }
  }

  package func add(_ batch: StoredBatch) -> Bool {
    batches.withLock { batches in
      guard (batches.last?.lastSequence ?? 0) + 1 == batch.firstSequence else { return false }
      batches.append(batch)
      return true
    }
  }

  /// The place of the first batch whose number is not smaller.
  private static func place(at sequence: UInt64, in batches: [StoredBatch]) -> Int {
    BinarySearch.first(of: batches.count) { batches[$0].firstSequence >= sequence }
  }
}

/// A log in the memory of this process, for tests. Nothing of it survives the process.
package typealias MemoryLog = BatchStoreLog

extension BatchStoreLog {
  package convenience init(place: String = "memory", largestBatch: Int? = nil) {
    self.init(MemoryBatches(place: place, largestBatch: largestBatch))
  }
}
