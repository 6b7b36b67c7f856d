import CatalogEngine
import CatalogModel
import EngineCommands
import EventLog

/// The frame of each page: the catalog, the views, the timeline with the moment that is looked at.
struct InspectorPage {
  private let question: InspectorQuestion
  private let view: InspectorView?
  /// The catalog's folder.
  private var path: String { question.directory?.path ?? "" }

  init(_ question: InspectorQuestion, _ view: InspectorView?) {
    (self.question, self.view) = (question, view)
  }

  func text(_ content: HTML) -> String {
    Self.document(
      title, "\(header)\n\(moment)\n<main id=\"main\" tabindex=\"-1\">\n\(content)\n</main>")
  }

  private var title: String {
    [view?.title ?? "Not found", path].joined(separator: " · ")
  }

  /// A page that has nothing but an error, as the catalog cannot be read.
  static func broken(_ words: String, _ directory: CatalogDirectory) -> String {
    document(
      directory.path,
      """
      <main id="main" tabindex="-1">
      <h1>\(directory.path)</h1>
      <p class="state bad" role="alert">\(words)</p>
      \(command(InspectorQuestion.command(["doctor"], of: directory)))
      </main>
      """)
  }

  private static func document(_ title: String, _ body: HTML) -> String {
    HTML.page(
      title,
      head: """
        <link rel="stylesheet" href="/style.css">
        <link rel="icon" href="/icon.svg">
        <script src="/script.js" defer></script>
        """,
      skip: "To the content", body
    ).text
  }

  private var header: HTML {
    let links = InspectorView.allCases.map { other -> HTML in
      let current: HTML = other == view ? " aria-current=\"page\"" : ""
      return
        "<li><a href=\"\(question.link(other, kept(by: other)))\"\(current)>\(other.title)</a></li>"
    }
    return """
      <header>
      <h1><span class="code">\(path)</span> <span class="quiet">\(question.kind.name), \
      \(Count.of(question.head.sequence, "event"))</span></h1>
      <nav aria-label="Views"><ul>
      \(links)
      </ul></nav>
      </header>
      \(alert)
      """
  }

  /// Says on each page that the log's server is away, or that the live database was changed, as a past state shows neither.
  private var alert: HTML {
    if let remembered = question.states.log.reader as? RememberedLog {
      return "<p class=\"state bad\" id=\"away\" role=\"alert\">\(remembered.words)</p>"
    }
    guard case .changed(let problem)? = question.live else { return "" }
    return """
      <p class="state bad" id="changed" role="alert">The live database is not what the projector wrote: \(problem). \
      <a href="\(question.link(.truth, [("compare", "rows")]))">Compare all rows with the log</a></p>
      """
  }

  /// A statement is kept from the answer to SQL and back; an event from events to the operation and back.
  private func kept(by other: InspectorView) -> [(String, String?)] {
    switch other {
    case .answer, .sql: [("sql", question.query["sql"])]
    case .operation, .events: [("event", question.query["event"])]
    case .row, .truth: []
    }
  }

  // MARK: The moment

  private var moment: HTML {
    let timeline = Timeline(question)
    let place = question.place(of: question.shown)
    func step(_ name: String, _ place: Int) -> HTML {
      guard question.batches.indices.contains(place), let view else {
        return "<span class=\"quiet\" aria-hidden=\"true\">\(name)</span>"
      }
      let target = String(question.batches[place].lastSequence)
      return "<a href=\"\(question.link(view, own + [("at", target)]))\">\(name)</a>"
    }
    let time =
      question.batches.indices.contains(place) ? question.batches[place].time.description : ""
    return """
      <section id="moment" aria-label="The moment that is shown">
      \(timeline.html)
      <form method="get" action="\(view?.path ?? "/answer")" class="moment">
      \(hidden)
      <label>Now I look at <input name="at" value="\(question.at.map(String.init) ?? "head")" size="22"></label>
      <span class="code" id="shown">event \(question.shown), \(time)</span>
      <span class="steps">\(step("◀ batch", place - 1)) \(step("batch ▶", place + 1)) \
      <a href="\(question.link(view ?? .answer, own + [("at", nil)]))">head</a></span>
      <label>between <input name="from" value="\(question.from.map(String.init) ?? "")" size="12" \
      placeholder="the first"></label>
      <label>and <input name="to" value="\(question.to.map(String.init) ?? "")" size="12" \
      placeholder="the last"></label>
      <label>by <select name="axis">\(axes)</select></label>
      <button type="submit">Show</button>
      </form>
      <p id="news" role="status" data-head="\(question.head.sequence)" data-live="\(question.at == nil ? 1 : 0)"></p>
      </section>
      """
  }

  private var axes: [HTML] {
    InspectorQuestion.Axis.allCases.map { axis in
      let isChosen: HTML = axis == question.axis ? " selected" : ""
      return "<option value=\"\(axis.rawValue)\"\(isChosen)>\(axis.rawValue)</option>"
    }
  }

  /// The parts of the question that are the view's own, so that they stay if the moment changes.
  private var own: [(String, String?)] {
    ["sql", "event", "table", "key", "search", "compare", "other"].flatMap { name in
      question.query.all(name).map { (name, $0 as String?) }
    }
  }

  private var hidden: [HTML] {
    own.map { name, value in
      "<input type=\"hidden\" name=\"\(name)\" value=\"\(HTML.field(value ?? ""))\">"
    }
  }

  // MARK: Parts of pages

  /// A command to copy.
  static func command(_ text: String) -> HTML {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> HTML in
      "\(line)"
    }
    return """
      <p class="command"><code>\(lines)</code> \
      <button type="button" class="copy" data-copy="\(HTML.field(text))" hidden>Copy</button></p>
      """
  }
}

extension InspectorQuestion {
  func page(_ view: InspectorView?, _ content: HTML) -> String {
    InspectorPage(self, view).text(content)
  }

  /// The command that gives the same answer, as a part of a page.
  func shownCommand(_ words: [String], _ operands: [String] = []) -> HTML {
    "<p class=\"quiet label\">The same on the command line:</p>\(InspectorPage.command(command(words, operands)))"
  }

  /// A link to the operation of an event.
  func link(toEvent sequence: UInt64) -> HTML {
    linked("\(Count.grouped(sequence))", .operation, [("event", String(sequence))])
  }
}
