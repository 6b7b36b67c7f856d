public import CatalogModel
import LibC

/// Tells the time of events. Time is only data: order is by sequence.
public struct CatalogClock: Sendable {
  package let now: @Sendable () -> Timestamp

  public init(now: @escaping @Sendable () -> Timestamp) {
    self.now = now
  }

  /// The system's clock.
  public static let system = CatalogClock {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// A clock that stands still.
  public static func fixed(_ time: Timestamp) -> CatalogClock {
    CatalogClock { time }
  }
}
