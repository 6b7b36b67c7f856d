extension BatchInfo {
  /// File name of the segment.
  package var segment: String { LogFolder.name(segmentFirst) }
}
