import Synchronization

/// Places in the open segment that this program has read, from where the next walk may begin.
///
/// A catalog that stays open looks for the log's end several times a change. Without this, each time would read the
/// headers of all batches of the open segment: thousands, or a million that an earlier release left. A place is where a walk begins, and no
/// proof: the batch there must follow the head there, whose chain hash stands for everything before it. Where it does
/// not, the file was replaced, and the walk begins at the segment's first batch.
package final class VerifiedOffsets: Sendable {
  /// Where a batch begins.
  struct Place: Sendable {
    let segment: UInt64
    let logID: LogID
    let offset: UInt64
    let plainLength: UInt64
    let batchCount: Int
    /// Of the log before that batch.
    let head: LogHead
  }

  private struct Lists {
    var walked: [Place] = []
    /// Every stored byte of the segment before them was compared with its CRC.
    var checked: [Place] = []
  }

  private static let most = 8
  private let lists = Mutex(Lists())

  package init() {}

  /// The last of them, of the batches that begin before or with an event.
  func last(
    in segment: UInt64, of logID: LogID, before sequence: UInt64 = .max, isChecked: Bool
  ) -> Place? {
    lists.withLock { lists in
      (isChecked ? lists.checked : lists.walked).last {
        $0.segment == segment && $0.logID == logID && $0.head.sequence < sequence
      }
    }
  }

  /// Remembers a place where a batch begins that is there.
  func note(_ place: Place, isChecked: Bool) {
    func add(_ place: Place, to list: inout [Place]) {
      list.removeAll {
        $0.segment != place.segment || $0.logID != place.logID || $0.offset >= place.offset
      }
      list.append(place)
      if list.count > Self.most { list.removeFirst() }
    }
    lists.withLock { lists in
      add(place, to: &lists.walked)
      if isChecked { add(place, to: &lists.checked) }
    }
  }
}
