extension EventLogError {
  /// The segment `file` begins with event `first`, and its name says another number.
  static func misnamed(_ file: String, first: UInt64) -> EventLogError {
    damaged(
      .name,
      "the segment begins with event \(first): its name should be \(LogFolder.name(first)); if that file "
        + "exists, this one is a stray copy: move it out of the folder",
      file, 0, first)
  }
}
