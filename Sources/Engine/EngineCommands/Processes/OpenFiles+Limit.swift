import LibC
import Support

/// A library that cannot open a file of its own ends the process: Dispatch, for the queue of its events. So the program
/// looks first, before anything is written.
extension OpenFiles {
  /// A `verify` has pipes to its replays, the log and the connections of a database open.
  static let needed = 40
  /// A limit from which on nothing is looked at: hardly a process inherits that many open files.
  private static let plenty: rlim_t = 256

  /// Raises the limit as far as the user may, if it is low.
  ///
  /// - Returns: why there are not enough; nil if there are.
  static func problem() -> String? {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < plenty else { return nil }
    if limit.rlim_cur < limit.rlim_max {
      limit.rlim_cur = min(plenty, limit.rlim_max)
      _ = setrlimit(resource, &limit)
      guard getrlimit(resource, &limit) == 0, limit.rlim_cur < plenty else { return nil }
    }
    let free = free(upTo: needed)
    guard free < needed else { return nil }
    return
      "too few files may be open: this process may open \(free) more (its limit is \(limit.rlim_cur)), and needs "
      + "\(needed); allow more with `ulimit -n \(plenty)`, then try again. Nothing was changed"
  }

  #if canImport(Glibc)
    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
  #else
    private static var resource: Int32 { RLIMIT_NOFILE }
  #endif
}
