import LibC

/// What ties a process to the one that started it: a pipe that nobody writes to. Its end is the end of that process,
/// however that came.
enum ParentWatchdog {
  /// Waits for the end of the pipe, and passes over what somebody wrote to it.
  static func waitForEnd(of descriptor: Int32) {
    var byte: UInt8 = 0
    while true {
      let count = read(descriptor, &byte, 1)
      // Only a call that failed sets the number: one that reached the end leaves that of an earlier failure.
      guard count > 0 || count < 0 && errno == EINTR else { return }
    }
  }
}
