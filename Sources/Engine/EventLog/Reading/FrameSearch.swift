/// Finds the frame of a long batch in which a line lies: frames do not say which events they hold, lines do.
struct FrameSearch {
  /// The last frame whose first line is no later than a sequence, and the sequence of that line; nil for the frame
  /// that the batch begins with.
  ///
  /// - Parameter firstSequence: of a frame's first whole line; nil if it has none, which counts as later.
  static func last(
    of count: Int, upTo target: UInt64, _ firstSequence: (Int) throws -> UInt64?
  ) rethrows -> (frame: Int, sequence: UInt64)? {
    var found: (frame: Int, sequence: UInt64)?
    var low = 0
    var high = count
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if let sequence = try firstSequence(middle), sequence <= target {
        (low, found) = (middle, (middle, sequence))
      } else {
        high = middle
      }
    }
    return found
  }
}
