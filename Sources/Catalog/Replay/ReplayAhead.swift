import CatalogModel
import EventLog

/// Reads and decodes a log on another thread, some thousand events ahead of the thread that takes them.
///
/// What comes out is what `EventReplay` gives, in the same order, errors too: a batch counts when
/// `nextBatch` returns it, after its chain hash was checked. The replay belongs to
/// the other thread alone; everything between the two goes through the queue.
final class ReplayAhead {
  private enum Step {
    case events([EventRecord])
    case batch(BatchInfo)
    case end
    case failure(any Error)
  }

  private let queue = BoundedQueue<Step>(capacity: 16)
  private var work: BackgroundWork<Void>?

  /// Events that are handed over at once.
  private static let blockLength = 512

  /// - Parameter item: events about one other item are passed over.
  init(_ replay: EventReplay, about item: EntityID? = nil) {
    let replay = Transferred(replay)
    work = BackgroundWork { [queue] in Self.read(replay.value, about: item, into: queue) }
  }

  deinit {
    close()
  }

  /// Ends the other thread and waits for its end.
  func close() {
    queue.cancel()
    work?.wait()
    work = nil
  }

  /// Hands over the events of the next batch, in order, and returns the batch; nil at the end.
  func nextBatch(_ body: (EventRecord) throws -> Void) throws -> BatchInfo? {
    while true {
      switch queue.take() {
      case .events(let events): for event in events { try body(event) }
      case .batch(let batch): return batch
      case .failure(let error): throw error
      case .end, nil: return nil
      }
    }
  }

  private static func read(
    _ replay: EventReplay, about item: EntityID?, into queue: BoundedQueue<Step>
  ) {
    var block: [EventRecord] = []
    /// Whether the other side still wants more.
    func hand(_ last: Step?) -> Bool {
      if !block.isEmpty {
        let full = block
        block = []
        guard queue.put(.events(full)) else { return false }
      }
      return last.map { queue.put($0) } ?? true
    }
    do {
      while let batch = try replay.nextBatch(
        about: item,
        { record in
          if block.capacity == 0 { block.reserveCapacity(blockLength) }
          block.append(record)
          if block.count == blockLength, !hand(nil) { throw Cancelled() }
        })
      {
        guard hand(.batch(batch)) else { return }
      }
      _ = hand(.end)
    } catch is Cancelled {
      return
    } catch {
      _ = hand(.failure(error))
    }
  }

  private struct Cancelled: Error {}

  /// Given away: who made it does not touch it any more.
  private struct Transferred: @unchecked Sendable {
    let value: EventReplay

    init(_ value: EventReplay) {
      self.value = value
    }
  }
}
