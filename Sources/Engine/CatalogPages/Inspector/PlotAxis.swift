import CatalogEngine
import EngineCommands

/// The columns of a plot: a few hundred, however many batches there are.
struct PlotAxis {
  static let columns = 400

  /// The events of the range: after the first and up to the last.
  let first: UInt64
  let last: UInt64
  /// The batches of the range, as places in the question's batches.
  let places: Range<Int>
  /// The column in which each of them ends.
  private let columnOfBatch: [Int]
  /// The last event of the state that each column ends with.
  let ends: [UInt64]

  init(_ question: InspectorQuestion, _ range: (first: UInt64, last: UInt64)) {
    let batches = question.batches
    (first, last) = range
    let begin = range.first == 0 ? 0 : question.place(of: range.first + 1)
    places = begin..<max(begin, min(batches.count, question.place(of: range.last) + 1))
    let shown = batches[places]
    var positions: [Double] = []
    if question.axis == .time, let start = shown.first?.time, let end = shown.map(\.time).max(),
      start < end
    {
      let length = Double(end.milliseconds - start.milliseconds)
      var latest = start
      // Times may go back, and a moment is a place in the order of the log.
      for batch in shown {
        latest = max(latest, batch.time)
        positions.append(Double(latest.milliseconds - start.milliseconds) / length)
      }
    } else if question.axis != .events {
      let length = Double(max(1, shown.count - 1))
      positions = shown.indices.map { Double($0 - shown.startIndex) / length }
    } else {
      let length = Double(max(1, range.last - range.first))
      positions = shown.map { Double($0.lastSequence - range.first) / length }
    }
    columnOfBatch = positions.map { min(Self.columns - 1, Int($0 * Double(Self.columns))) }
    var ends = Array(repeating: max(range.first, 1), count: Self.columns)
    for (place, column) in columnOfBatch.enumerated() {
      ends[column] = shown[shown.startIndex + place].lastSequence
    }
    // A column without a batch shows the state before it; those before the first batch show the first state.
    var state = shown.first.map { range.first == 0 ? $0.lastSequence : range.first } ?? 1
    for column in ends.indices {
      if ends[column] > state { state = ends[column] }
      ends[column] = state
    }
    self.ends = ends
  }

  /// The column in which a batch ends.
  ///
  /// - Parameter place: the place of the batch in the question's batches.
  func column(ofBatch place: Int) -> Int {
    guard !columnOfBatch.isEmpty else { return 0 }
    return columnOfBatch[min(max(0, place - places.lowerBound), columnOfBatch.count - 1)]
  }

  /// The last events of the columns, for the script.
  var endsText: String { ends.map(String.init).joined(separator: ",") }
}
