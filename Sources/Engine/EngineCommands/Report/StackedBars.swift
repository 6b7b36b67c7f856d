import CatalogEngine

/// Events in slots of time as stacked bars, with a legend and the same numbers as a table.
struct StackedBars {
  /// Colours that can be told apart; what is beyond shares the last.
  private static let colours = 8
  /// Columns of the table of numbers; what is beyond shares the last.
  private static let columns = 24
  /// The height of the drawing, in units of its own.
  private static let height = 1_000
  /// What the smallest bar is drawn as: three pixels or so.
  private static let least = 15

  /// From what height on a piece is set off from its neighbours.
  private static let edged = 25

  /// For ids: a word.
  let name: String
  let caption: String
  let series: [EventTimeline.Series]
  let unit: EventTimeline.Unit
  /// A label for each slot, and its events by series.
  let slots: [(label: String, events: [String: Int])]

  var html: HTML {
    let groups = Self.groups(of: series, Self.colours)
    let top = Self.roundedUp(slots.map { $0.events.values.reduce(0, +) }.max() ?? 1)
    let total = Count.of(series.reduce(0) { $0 + $1.events }, "event")
    return """
      <figure id="\(name)-figure">
      <figcaption>\(caption)</figcaption>
      <div class="plot">
      <div class="scale" aria-hidden="true"><span>\(Count.grouped(top))</span><span>0</span></div>
      <svg class="bars" role="img" aria-labelledby="\(name)-title" preserveAspectRatio="none" \
      viewBox="0 0 \(10 * slots.count) \(Self.height)">
      <title id="\(name)-title">\(caption): \(total) in \(Count.of(slots.count, "bar")), one for each \
      \(unit.rawValue); the numbers are in the table below</title>
      <line class="grid" x1="0" x2="\(10 * slots.count)" y1="0" y2="0"/>
      <line class="grid" x1="0" x2="\(10 * slots.count)" y1="\(Self.height / 2)" y2="\(Self.height / 2)"/>
      \(slots.indices.map { bar($0, groups, top) })
      </svg>
      <div class="ends"><span>\(slots.first?.label ?? "")</span>\
      <span>\(slots.count > 1 ? slots.last?.label ?? "" : "")</span></div>
      </div>
      <ul class="legend">
      \(groups.enumerated().map { index, group in legend(index, group) })
      </ul>
      \(table)
      </figure>
      """
  }

  private func bar(_ index: Int, _ groups: [Group], _ top: Int) -> HTML {
    let slot = slots[index]
    let total = slot.events.values.reduce(0, +)
    guard total > 0 else { return "" }
    let height = max(Self.least, total * Self.height / top)
    var below = 0
    var pieces: [HTML] = []
    for (colour, group) in groups.enumerated() {
      let events = group.events(in: slot.events)
      guard events > 0 else { continue }
      // Both edges from sums, so that rounding leaves no gaps.
      let start = below * height / total
      below += events
      let end = below * height / total
      // An edge around a thin piece would leave nothing of it.
      let edge = end - start >= Self.edged ? " edge" : ""
      pieces.append(
        """
        <rect class="s\(colour)\(edge)" x="\(10 * index + 1)" width="8" y="\(Self.height - end)" \
        height="\(end - start)"><title>\(slot.label): \(group.name), \
        \(Count.of(events, "event"))</title></rect>
        """)
    }
    return "\(pieces)"
  }

  private func legend(_ colour: Int, _ group: Group) -> HTML {
    """
    <li><svg viewBox="0 0 1 1" aria-hidden="true"><rect class="s\(colour)" width="1" height="1"/></svg>\
    <span class="code">\(group.name)</span> \
    <span class="quiet">\(Count.grouped(group.total))</span></li>
    """
  }

  /// Slots without events are left out: their absence says the same.
  private var table: HTML {
    let groups = Self.groups(of: series, Self.columns)
    let filled = slots.filter { !$0.events.isEmpty }
    let heads = groups.map { group -> HTML in
      "<th scope=\"col\" class=\"number\">\(group.name)</th>"
    }
    let totals = groups.map { group in ReportTable.number(group.total) }
    let rows = filled.map { slot -> HTML in
      let cells = groups.map { ReportTable.number($0.events(in: slot.events)) }
      let sum = ReportTable.number(slot.events.values.reduce(0, +))
      return "<tr><th scope=\"row\" class=\"fixed\">\(slot.label)</th>\(cells)\(sum)</tr>"
    }
    return """
      <details>
      <summary>\(caption): the numbers</summary>
      \(ReportTable.scrolling(label: caption + ", numbers", """
        <table id="\(name)-numbers">
        <thead><tr><th scope="col">\(unit.rawValue)</th>\(heads)\
        <th scope="col" class="number">together</th></tr></thead>
        <tbody>
        \(rows)
        </tbody>
        <tfoot><tr><th scope="row">together</th>\(totals)\
        \(ReportTable.number(series.reduce(0) { $0 + $1.events }))</tr></tfoot>
        </table>
        """))
      </details>
      """
  }

  // MARK: Groups

  /// One series, or the many small ones that share what is left.
  private struct Group {
    let name: String
    let members: [String]
    let total: Int

    func events(in slot: [String: Int]) -> Int {
      members.reduce(0) { $0 + (slot[$1] ?? 0) }
    }
  }

  private static func groups(of series: [EventTimeline.Series], _ limit: Int) -> [Group] {
    let single = series.count > limit ? limit - 1 : series.count
    var groups = series.prefix(single).map {
      Group(name: $0.name, members: [$0.name], total: $0.events)
    }
    let rest = series.dropFirst(single)
    if !rest.isEmpty {
      groups.append(
        Group(
          name: "\(Count.grouped(rest.count)) others", members: rest.map(\.name),
          total: rest.reduce(0) { $0 + $1.events }))
    }
    return groups
  }

  /// The next of 1, 2, 5, 10, 20, 50, …
  static func roundedUp(_ number: Int) -> Int {
    var power = 1
    while power <= Int.max / 10 {
      for factor in [1, 2, 5] where power * factor >= number { return power * factor }
      power *= 10
    }
    return number
  }
}
