import CatalogTestSupport

@testable import EventLog

/// A log of many batches in one of the shapes that a log can have, and where its batches end.
///
/// The ends are sizes of the files after each append: nothing that a reader said.
struct ShapedLog {
  enum Shape: String, CaseIterable, CustomStringConvertible {
    /// One segment, still written.
    case open
    /// One sealed segment.
    case sealed
    /// Sealed segments and one that is still written.
    case segments
    /// Sealed segments alone.
    case sealedSegments

    var description: String { rawValue }
  }

  struct Segment {
    let name: String
    let bytes: [UInt8]
    /// Batches of the log before this segment.
    let before: Int
    /// Where each batch ends in an open segment; empty in a sealed one.
    let ends: [Int]

    var isOpen: Bool { !ends.isEmpty }
  }

  let log: LogFixture
  let segments: [Segment]

  /// - Parameters:
  ///   - batches: at least; more follow until a log of several segments has five.
  ///   - size: plain bytes of a segment, if there are several.
  init(
    _ shape: Shape, batches: Int = 22, size: UInt64 = 300, from generator: inout SeededGenerator
  ) throws {
    let isLong = shape == .open || shape == .sealed
    log = try LogFixture(RoundTripTests.small(segment: isLong ? 1 << 20 : size))
    let writer = try log.writer()
    var before: [String: Int] = [:]
    var ends: [String: [Int]] = [:]
    var count = 0
    while try count < batches || (!isLong && log.segments().count < 5) {
      try log.append(Lines.batch(from: &generator), to: writer)
      guard let last = try log.segments().last else { continue }
      if before[last] == nil { before[last] = count }
      ends[last, default: []].append(try log.bytes(last).count)
      count += 1
    }
    if shape == .sealed || shape == .sealedSegments { try writer.seal() }
    if let failure = writer.sealingFailure { throw failure }
    writer.close()
    let (log, names) = (log, try log.segments())
    let hasOpen = shape == .open || shape == .segments
    segments = try names.map { name in
      Segment(
        name: name, bytes: try log.bytes(name), before: before[name] ?? 0,
        ends: hasOpen && name == names.last ? ends[name] ?? [] : [])
    }
  }

  /// Puts all segments back as they were, and takes away what recoveries kept aside.
  func restore() throws {
    let known = Set(segments.map(\.name))
    for name in try log.names() where !known.contains(name) {
      try log.remove(name)
    }
    for segment in segments { try log.write(segment.bytes, to: segment.name) }
  }
}
