import CatalogEngine
import EngineCommands

/// The whole log as bars, with the moment that is shown and the range.
struct Timeline {
  private static let height = 100.0

  private let question: InspectorQuestion
  private let axis: PlotAxis

  init(_ question: InspectorQuestion) {
    self.question = question
    axis = PlotAxis(question, (0, question.head.sequence))
  }

  var html: HTML {
    let column = axis.column(ofBatch: question.place(of: question.shown))
    let width = PlotAxis.columns
    // The range begins after its first event.
    let from = question.from.map { axis.column(ofBatch: question.place(of: $0)) + 1 } ?? 0
    let to = question.to.map { axis.column(ofBatch: question.place(of: $0)) + 1 } ?? width
    let range: HTML =
      question.from == nil && question.to == nil
      ? ""
      : "<rect class=\"range\" x=\"\(from)\" y=\"0\" width=\"\(max(1, to - from))\" height=\"100\"/>"
    let what = question.axis == .events ? "batches" : "events"
    let name: HTML =
      question.directory == nil
      ? "role=\"img\" aria-label=\"The log: \(Count.of(question.batches.count, "batch")), logarithmic\""
      : "aria-hidden=\"true\" data-ends=\"\(axis.endsText)\""
    let now: HTML =
      question.directory == nil
      ? "" : "<rect class=\"now\" x=\"\(column)\" y=\"0\" width=\"1.5\" height=\"100\"/>"
    let handle: HTML =
      question.directory == nil
      ? ""
      : """
      <input type="range" id="handle" min="0" max="\(width - 1)" value="\(column)" \
      aria-label="The moment that is shown" aria-valuetext="event \(question.shown)">
      """
    return """
      <div class="timeline">
      <svg id="timeline" viewBox="0 0 \(width) 100" preserveAspectRatio="none" \(name)>
      \(range)
      <path class="bars" d="\(bars)"/>
      \(now)
      </svg>
      \(handle)
      <div class="ends"><span>\(end(question.batches.first))</span>\
      <span>\(what) in each of \(width) parts of the log, logarithmic</span>\
      <span>\(end(question.batches.last))</span></div>
      </div>
      """
  }

  private func end(_ batch: TimedBatch?) -> String {
    batch.map { "event \(Count.grouped($0.lastSequence)), \($0.time.description.prefix(16))" } ?? ""
  }

  /// A bar for each column. A first import of a million events leaves room for the edits after it: heights are
  /// logarithms.
  private var bars: HTML {
    var counts = Array(repeating: 0.0, count: PlotAxis.columns)
    for place in axis.places {
      let batch = question.batches[place]
      counts[axis.column(ofBatch: place)] +=
        question.axis == .events ? 1 : Double(batch.lastSequence - batch.firstSequence + 1)
    }
    let top = (1 + (counts.max() ?? 0)).logarithm
    var path = ""
    for (column, count) in counts.enumerated() where count > 0 {
      let height = max(4, (1 + count).logarithm / top * Self.height)
      path += "M\(column) 100V\(Int(Self.height - height))h1V100Z"
    }
    return "\(path)"
  }
}

extension Double {
  /// The logarithm to the base of two; good enough for the height of a bar.
  fileprivate var logarithm: Double {
    guard self > 1 else { return 0 }
    return Double(exponent) + (significand - 1)
  }
}
