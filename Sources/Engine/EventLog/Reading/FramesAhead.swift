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
  ///   - starts: of the header's frames.
  ///   - first: the frame that is decoded first.
  ///   - chainLimit: how many chain hashes of a frame's batches are kept.
  /// - Throws: if the system gives no thread.
  init(
    _ header: SealHeader, _ starts: [SealHeader.FrameStart], from first: Int, of file: LogFile,
    chainLimit: Int, into spent: Spent
  ) throws {
    next = first
    self.spent = spent
    work = try BackgroundWork { [frames, spent] in
      // If there is no decoder, the thread that waits for a frame decodes it with one of its own.
      let decoder = try? FrameDecoder()
      for (frame, start) in zip(header.frames, starts).dropFirst(first) {
        let buffer = spent.poll() ?? FrameBuffer()
        let length = Int(frame.entry.plainLength)
        let isDecoded = decoder?.isRight(
          frame.entry, of: file, at: start.offset, into: buffer.room(for: length))
        let isRight =
          isDecoded == true
          && Self.computeChains(of: frame, at: start, header, into: buffer, limit: chainLimit)
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

  /// Recomputes the chain hashes of the batches that share a frame; false if they are not what the tables say.
  private static func computeChains(
    of frame: SealHeader.Frame, at start: SealHeader.FrameStart, _ header: SealHeader,
    into buffer: FrameBuffer, limit: Int
  ) -> Bool {
    buffer.chains.removeAll(keepingCapacity: true)
    buffer.head = nil
    let length = Int(frame.entry.plainLength)
    guard start.batch < header.batches.count else { return false }
    // A batch with frames of its own is hashed as its lines are given out.
    guard start.isBoundary, header.batches[start.batch].plainLength <= UInt64(length) else {
      return true
    }
    buffer.head = start.head
    let end = start.batch + Int(frame.batchesEnded)
    let extent = FrameChains.compute(
      of: header.batches[start.batch..<end],
      in: UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<length]), after: start.head,
      into: &buffer.chains, limit: limit)
    return extent.isWhole(frame) && extent.head.chain == frame.chain
  }
}
