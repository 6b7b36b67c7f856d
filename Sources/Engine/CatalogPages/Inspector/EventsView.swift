import CatalogEngine
import CatalogModel
import EngineCommands
import EventLog

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
      let log = question.states.log.reader
      let line = try EventLine.json(
        of: sequence, in: log.batch(containing: sequence), of: log)
      let markup = try EventLine.pretty(line).split(separator: "\n").map { line -> HTML in
        "\(line)"
      }
      let before = question.step("◀ event", to: sequence - 1, .events)
      let after = question.step("event ▶", to: sequence + 1, .events)
      return """
        <h3>Event \(Count.grouped(sequence))</h3>
        <p class="steps">\(before) \(after) \
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
        until: question.limit, search.map { text in { _, json in json.contains(text) } })
      let rows = found.events.map { event, json -> HTML in
        """
        <tr><td class="number"><a href="\(question.link(.events, [("event", String(event.sequence))]))">\(Count.grouped(event.sequence))</a></td>\
        <td class="fixed">\(event.at.description)</td>\(ReportTable.code(event.type))\(ReportTable.code(event.by))\
        <td class="code long wide">\(EventLine.data(of: json))</td></tr>
        """
      }
      let table = ReportTable.table(
        "events", label: "Events",
        [("event", true), ("time", false), ("type", false), ("by", false), ("data", false)],
        isTall: true, rows)
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
        \(table)
        \(question.shownCommand(["log", "--newest", "--limit", String(Self.listed)] + filter))
        """
    }
  }
}
