/// What the ways to bring a projection to the head of its log cost, in events that are folded in memory.
struct ReplayCosts {
  enum Way {
    /// Event by event into SQLite.
    case carrying
    /// All rows loaded, the new events folded, all pages written.
    case loading
    /// All events folded, all pages written.
    case rebuilding
  }

  /// To carry an event into the live database costs so many times what it costs to fold it in memory: some four in a
  /// file of one's own, and the write-ahead log.
  private static let carriedEvent: UInt64 = 6
  /// Below so many events nothing but carrying is worth its beginning.
  private static let fewEvents: UInt64 = 10_000

  /// Events that the projection has, events that it lacks, and its rows.
  let before: UInt64
  let appended: UInt64
  let rows: UInt64

  var least: Way {
    if appended <= Self.fewEvents { return .carrying }
    // Rows that were changed by hand are to stay; where nearly everything is new, there is little to keep.
    if appended > 4 * before { return .rebuilding }
    // A row is loaded in a fourth of the time of an event, and written, here and into the live database, in another.
    return Self.carriedEvent * appended > rows / 2 + appended ? .loading : .carrying
  }
}
