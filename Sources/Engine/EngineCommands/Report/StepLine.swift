import CatalogEngine

/// The number of a vocabulary's values over a range of events, as a line of steps.
struct StepLine {
  private static let width: UInt64 = 1_000
  private static let height = 1_000

  let growth: VocabularyGrowth
  /// The range, as events: from behind the first to behind the last.
  let since: UInt64
  let head: UInt64

  var html: HTML {
    let key = growth.name
    let top = StackedBars.roundedUp(
      max(1, growth.start, growth.steps.map(\.count).max() ?? 0))
    return """
      <figure>
      <figcaption>\(key): \(Count.grouped(growth.end))</figcaption>
      <div class="quiet">\(change)</div>
      <div class="plot">
      <div class="scale" aria-hidden="true"><span>\(Count.grouped(top))</span><span>0</span></div>
      <svg role="img" aria-labelledby="\(key)-title" preserveAspectRatio="none" \
      viewBox="0 0 \(Self.width) \(Self.height)">
      <title id="\(key)-title">\(key): \(Count.of(growth.start, "value")) after event \(since), \
      \(Count.grouped(growth.end)) after event \(head)</title>
      <path class="below" d="\(path(top)) V\(Self.height) H0 Z"/>
      <path class="step" d="\(path(top))"/>
      </svg>
      <div class="ends"><span>event \(Count.grouped(since))</span>\
      <span>event \(Count.grouped(head))</span></div>
      </div>
      </figure>
      """
  }

  private var change: HTML {
    """
    from \(Count.grouped(growth.start)), \(Count.grouped(growth.added)) added, \
    \(Count.grouped(growth.merged)) merged
    """
  }

  /// As many steps as the drawing has units: of those that share one, the last counts.
  private func path(_ top: Int) -> HTML {
    func y(_ count: Int) -> Int { Self.height - count * Self.height / top }
    var path: HTML = "M0 \(y(growth.start))"
    var pending: (x: UInt64, count: Int)?
    func move(_ step: (x: UInt64, count: Int)) -> HTML { " H\(step.x) V\(y(step.count))" }
    for step in growth.steps {
      let x = (step.sequence - since) * Self.width / max(1, head - since)
      if let last = pending, last.x != x { path = path + move(last) }
      pending = (x, step.count)
    }
    if let pending { path = path + move(pending) }
    return path + " H\(Self.width)"
  }
}
