/// Sizes that the format and the writer keep to. Tests make them small.
package struct LogLimits: Sendable {
  /// Plain bytes of a data frame in an open segment, at most.
  package var frame = 1 << 20
  /// Plain bytes of a data frame in a sealed segment, at most.
  package var sealedFrame = 16 << 20
  /// Plain bytes after which a segment is closed.
  package var segment: UInt64 = 64 << 20
  /// Stored bytes beyond which a segment has a long batch: compressed, lines take a fifth and less.
  package var longSegment: UInt64 = 16 << 20
  /// Batches after which a segment is closed: bounds the walk over their headers to the log's end, which every command
  /// takes.
  package var openBatches = 1 << 14
  /// Batches of a segment, at most: bounds the batch table of a sealed one. Earlier releases closed a segment at so many.
  package var batches = 1 << 20
  /// Data frames of a batch or a sealed segment, at most: bounds every table that is allocated.
  package var frames = 65_536
  /// Chain hashes of batches in a frame that are kept at once. A frame can hold millions of batches of a few bytes,
  /// whose hashes would take many times as much memory: they are computed again, part by part.
  package var chains = 1 << 17
  /// Bytes of one line, its line feed included.
  package var line = 64 << 20

  package init() {}

  package static let standard = LogLimits()
}
