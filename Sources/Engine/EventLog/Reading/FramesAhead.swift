import Support

/// Decodes the frames of a sealed segment on a thread of its own, ahead of the one that reads what they hold, and
/// recomputes the chain hashes of batches that share a frame: the table of frames has the hash that each begins
/// with.
///
/// At most two frames of the segment are there that nobody has taken. (With a thread for decompressing and one for
/// hashing, a scan took as long, and two frames more of memory.)
final class FramesAhead {
  /// Buffers for the next frames, also those of the next segment: the system clears memory that is new.
  typealias Spent = BoundedQueue<FrameBuffer>

  private struct Frame: Sendable {
    let buffer: FrameBuffer
    /// False ends the thread: who takes frames reads this one again and says what is wrong with it, if it is
    /// wrong again.
    let isRight: Bool
  }

  private let frames = BoundedQueue<Frame>(capacity: 1)
  private let spent: Spent
  private let work: BackgroundWork<Void>
  /// The frame that comes next.
  private(set) var next: Int

  /// - Parameters:
  ///   - first: the frame that is decoded first.
  ///   - offset: where it stands in the file.
  ///   - chainLimit: how many chain hashes of a frame's batches are kept.
  /// - Throws: if the system gives no thread.
  init(
    _ header: SealHeader, from first: Int, of file: LogFile, at offset: UInt64, chainLimit: Int,
    into spent: Spent
  ) throws {
    next = first
    self.spent = spent
    work = try BackgroundWork { [frames, spent] in
      var walk: Walk
      do {
        walk = try Walk(header, from: first, of: file, at: offset, chainLimit: chainLimit)
      } catch {
        // Who waits for a frame decodes it with a decoder of its own.
        _ = frames.put(Frame(buffer: FrameBuffer(), isRight: false))
        return
      }
      for frame in header.frames[first...] {
        let buffer = spent.poll() ?? FrameBuffer()
        let isRight = walk.decode(frame, into: buffer)
        guard frames.put(Frame(buffer: buffer, isRight: isRight)), isRight else { break }
      }
    }
  }

  deinit {
    frames.cancel()
    work.wait()
  }

  /// The next frame's plain text, for a buffer that is not needed any more; nil if it has to be read anew.
  func take(for buffer: FrameBuffer) -> FrameBuffer? {
    next += 1
    guard let frame = frames.take(), frame.isRight else { return nil }
    spent.offer(buffer)
    return frame.buffer
  }

  /// What the thread knows of the place that it has come to.
  private struct Walk {
    private let header: SealHeader
    private let file: LogFile
    private let decoder: FrameDecoder
    private let chainLimit: Int
    private var offset: UInt64
    /// The batch that begins or goes on in the next frame.
    private var batch: Int
    /// Of the log before that batch.
    private var head: LogHead
    /// Whether that batch, which has frames of its own, was begun in a frame before.
    private var isWithinBatch: Bool

    init(
      _ header: SealHeader, from first: Int, of file: LogFile, at offset: UInt64, chainLimit: Int
    ) throws {
      self.header = header
      self.file = file
      self.offset = offset
      self.chainLimit = chainLimit
      decoder = try FrameDecoder()
      let place = header.lastBoundary { $0.frame <= first }
      batch = place.batch
      head = place.head
      isWithinBatch = place.frame != first
    }

    /// False where it is not right, or not what the tables say.
    mutating func decode(_ frame: SealHeader.Frame, into buffer: FrameBuffer) -> Bool {
      buffer.chains.removeAll(keepingCapacity: true)
      buffer.head = nil
      let length = Int(frame.entry.plainLength)
      guard
        decoder.isRight(frame.entry, of: file, at: offset, into: buffer.room(for: length)),
        batch < header.batches.count
      else { return false }
      offset += UInt64(frame.entry.storedLength)
      if !isWithinBatch, header.batches[batch].plainLength <= UInt64(length) {
        buffer.head = head
        let end = min(batch + Int(frame.batchesEnded), header.batches.count)
        let extent = FrameChains.compute(
          of: header.batches[batch..<end],
          in: UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<length]), after: head,
          into: &buffer.chains, limit: chainLimit)
        guard extent.isWhole(frame), extent.head.chain == frame.chain else { return false }
        head = extent.head
        batch = end
      } else if frame.batchesEnded == 0 {
        isWithinBatch = true
      } else {
        head = LogHead(
          sequence: head.sequence + header.batches[batch].eventCount, chain: frame.chain)
        batch += 1
        isWithinBatch = false
      }
      return true
    }
  }
}
