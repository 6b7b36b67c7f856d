import CatalogEngine
import CatalogModel
import EventLog
import Foundation

/// One event, or the newest ones that have a text.
struct EventsView {
  private let question: InspectorQuestion

  private static let listed = 100

  init(_ question: InspectorQuestion) throws {
    self.question = question
  }

  var html: HTML {
    get throws {
      let form: HTML = """
        <form method="get" action="/events" class="fields">
        <label>Text in the event <input name="search" value="\(HTML.field(question.query["search"] ?? ""))" size="40"></label>
        \(question.momentFields)
        <button type="submit">Search</button>
        </form>
        """
      return "<h2>Events</h2>\(form)\(try event)\(try list)"
    }
  }

  // MARK: One event

  private var event: HTML {
    get throws {
      guard let text = question.query["event"] else { return "" }
      guard let sequence = UInt64(text), 1...question.head.sequence ~= sequence else {
        throw InspectorQuery.Problem(
          description:
            "there is no event \(text); the log holds events 1 to \(question.head.sequence)")
      }
      var line = ""
      _ = try EventSearch(
        question.states.log.reader, newestFrom: sequence, limit: 1, until: question.limit
      ) {
        event, json in
        if event.sequence == sequence { line = json }
        return event.sequence == sequence
      }
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      let pretty = try JSONSerialization.data(
        withJSONObject: object, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
      let lines = String(decoding: pretty, as: UTF8.self).split(separator: "\n").map { "\($0)\n" }
      let markup = lines.map { line -> HTML in "\(String(line.dropLast()))" }
      func step(_ name: String, _ number: UInt64) -> HTML {
        guard 1...question.head.sequence ~= number else {
          return "<span class=\"quiet\">\(name)</span>"
        }
        return "<a href=\"\(question.link(.events, [("event", String(number))]))\">\(name)</a>"
      }
      return """
        <h3>Event \(Count.grouped(sequence))</h3>
        <p class="steps">\(step("◀ event", sequence - 1)) \(step("event ▶", sequence + 1)) \
        <a href="\(question.link(.operation, [("event", text)]))">its operation</a></p>
        <pre id="event" tabindex="0">\(markup)</pre>
        \(question.shownCommand(["event", text, "--rows"]))
        """
    }
  }

  // MARK: A list

  private var list: HTML {
    get throws {
      let search = question.query["search"]
      let found = try EventSearch(
        question.states.log.reader, newestFrom: question.shown, limit: Self.listed,
        until: question.limit
      ) { _, json in search.map { json.contains($0) } ?? true }
      let rows = found.events.map { event, json -> HTML in
        """
        <tr><td class="number"><a href="\(question.link(.events, [("event", String(event.sequence))]))">\(Count.grouped(event.sequence))</a></td>\
        <td class="fixed">\(event.at.description)</td>\(ReportTable.code(event.type))\(ReportTable.code(event.by))\
        <td class="code long wide">\(EventLine.data(of: json))</td></tr>
        """
      }
      let heads = ReportTable.heads([
        ("event", true), ("time", false), ("type", false), ("by", false), ("data", false),
      ])
      let end = "up to event \(Count.grouped(question.shown))"
      let words =
        found.isWhole
        ? "\(Count.of(rows.count, "event")) \(end), the newest first"
        : "The newest \(rows.count) events \(end)"
      let filter =
        (search.map { InspectorQuestion.option("--grep", $0) } ?? [])
        + (question.at.map { ["--through", String($0)] } ?? [])
      return """
        <p id="found">\(words)</p>
        \(ReportTable.scrolling(label: "Events", isTall: true, "<table id=\"events\">\(heads)<tbody>\(rows)</tbody></table>"))
        \(question.shownCommand(["log", "--newest", "--limit", String(Self.listed)] + filter))
        """
    }
  }
}

/// The newest events of a log that are wanted, the newest first.
struct EventSearch {
  private(set) var events: [(event: EventEnvelope, json: String)] = []
  /// Whether the log has no more of them.
  private(set) var isWhole = true

  /// Looks at the batches from the end of the log, further and further back.
  init(
    _ log: any LogStore, newestFrom last: UInt64, limit: Int, until time: TimeLimit? = nil,
    _ isWanted: (EventEnvelope, String) throws -> Bool
  ) throws {
    var end = last
    var window: UInt64 = UInt64(limit)
    while end > 0, events.count < limit {
      // A batch is read as a whole, so it is searched as a whole.
      let start = try log.batch(containing: end > window ? end - window + 1 : 1).firstSequence
      var part: [(event: EventEnvelope, json: String)] = []
      let cursor = try log.cursor(after: LogPosition(before: start, in: log).head)
      var decoder = EnvelopeDecoder()
      while let batch = try cursor.nextBatch() {
        try time?.check()
        while let block = try cursor.nextLines() {
          try EventLines.forEach(in: block.bytes, first: block.firstSequence) { line, sequence in
            guard sequence <= end else { return }
            let event = try decoder.decode(line: line, expecting: sequence)
            let json = String(decoding: line, as: UTF8.self)
            guard try isWanted(event, json) else { return }
            part.append((event, json))
            if part.count > 2 * limit { part.removeFirst(part.count - limit) }
          }
        }
        if batch.lastSequence >= end { break }
      }
      let room = limit - events.count
      if part.count > room { isWhole = false }
      events += part.reversed().prefix(room)
      end = start - 1
      window = min(window * 4, 1 << 40)
    }
    if end > 0 { isWhole = false }
  }
}
