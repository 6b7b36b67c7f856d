import Threads

/// Decodes the frames of a sealed segment on a thread of its own, ahead of the one that checks what they hold:
/// of a log of small batches decompressing and hashing take as long as each other.
///
/// At most two frames are there that nobody has taken.
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
  /// - Throws: where the system gives no thread.
  init(
    _ table: [SealHeader.Frame], from first: Int, of file: LogFile, at offset: UInt64,
    into spent: Spent
  ) throws {
    next = first
    self.spent = spent
    work = try BackgroundWork { [frames, spent] in
      let decoder: FrameDecoder
      do {
        decoder = try FrameDecoder()
      } catch {
        // Who waits for a frame decodes it with a decoder of its own.
        _ = frames.put(Frame(buffer: FrameBuffer(), isRight: false))
        return
      }
      var offset = offset
      for frame in table[first...] {
        let buffer = spent.poll() ?? FrameBuffer()
        let isRight = decoder.isRight(
          frame.entry, of: file, at: offset, into: buffer.room(for: Int(frame.entry.plainLength)))
        guard frames.put(Frame(buffer: buffer, isRight: isRight)), isRight else { break }
        offset += UInt64(frame.entry.storedLength)
      }
    }
  }

  deinit {
    frames.cancel()
    work.wait()
  }

  /// The next frame's plain text, for a buffer that is not needed any more; nil where it has to be read anew.
  func take(for buffer: FrameBuffer) -> FrameBuffer? {
    next += 1
    guard let frame = frames.take(), frame.isRight else { return nil }
    spent.offer(buffer)
    return frame.buffer
  }
}
