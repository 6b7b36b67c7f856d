import CatalogModel
import Downloads
import EventLog

/// Tells of a running download: to listeners ten times a second, in the log now and then; and notices
/// where another process cancelled it or deleted the pack.
struct PackProgressReporter: Sendable {
  let states: PackStates
  let board: ProgressBoard
  let control: PackDownloadControl
  let meter: ByteMeter
  let total: Int64

  /// Runs until its task is cancelled.
  func run() async throws {
    var logged = meter.bytes
    var lastLook = ContinuousClock.now
    // At most once a second, and only after the larger of 1 MiB and 1 % more.
    let step = max(1 << 20, total / 100)
    while true {
      try await Task.sleep(for: .milliseconds(100))
      let bytes = meter.bytes
      board.update(bytes: bytes, received: meter.received)
      guard ContinuousClock.now - lastLook >= .seconds(1) else { continue }
      let isDue = bytes - logged >= step
      guard try await Blocking.run({ try tell(bytes, isDue: isDue) }) else {
        control.stop(.superseded)
        throw CancellationError()
      }
      if isDue { logged = bytes }
      lastLook = .now
    }
  }

  /// - Returns: whether the pack is still being downloaded.
  private func tell(_ bytes: Int64, isDue: Bool) throws -> Bool {
    guard try states.read().state == .downloading else { return false }
    guard isDue else { return true }
    do {
      let event = PackDownloadProgressed(pack: states.pack, bytesDownloaded: bytes)
      return try states.append(.packDownloadProgressed(event), wait: .zero) {
        $0.state == .downloading
      }
    } catch let error as EventLogError where error.code == .locked {
      // Somebody writes: there will be another second.
      return true
    }
  }
}
