/// Reports the progress of a replay now and then.
struct ProgressSteps {
  /// Events from one report to the next.
  private static let length: UInt64 = 10_000

  private let total: UInt64
  private let progress: ProgressObserver
  private var next = length

  init(total: UInt64, _ progress: @escaping ProgressObserver) {
    self.total = total
    self.progress = progress
  }

  mutating func reached(_ sequence: UInt64) {
    guard sequence >= next else { return }
    next = sequence - sequence % Self.length + Self.length
    progress(CatalogProgress(phase: .folding, done: Int(sequence), total: Int(total)))
  }
}
