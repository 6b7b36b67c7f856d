import CatalogEngine
import CatalogModel
import CatalogStore
import EngineCommands
import EventLog
import Projections
import Support

/// One request about a catalog: the moments that it names, and what answers it.
struct InspectorQuestion {
  /// The horizontal axis of the plots.
  enum Axis: String, CaseIterable {
    /// Each batch has the same width: a first import of all rows leaves room for the edits after it.
    case batches
    case events
    case time
  }

  let query: InspectorQuery
  private(set) var states: PastStates
  /// Nil if the page is a file, which may be read far away from the catalog.
  let directory: CatalogDirectory?
  /// The finding of a look at the live database; nil if none is looked at.
  let live: LiveProof.Finding?
  /// A catalog that this one is compared with; nil if there is none.
  let other: CatalogDirectory?
  let head: LogHead
  /// All batches of the log up to the head.
  let batches: [TimedBatch]
  /// The time in which the page has to be made; nil if there is no end of it.
  var limit: TimeLimit? { states.log.limit }

  /// The last event of the moment that is looked at; nil if it is the head, whatever is appended.
  let at: UInt64?
  /// The range of the plots, as last events; nil if it begins or ends with the log.
  let from: UInt64?
  let to: UInt64?
  let axis: Axis

  init(
    _ query: InspectorQuery, _ states: PastStates, directory: CatalogDirectory,
    live: LiveProof.Finding, other: CatalogDirectory?, head: LogHead, batches: [TimedBatch]
  ) throws {
    (self.query, self.states, self.directory, self.other) = (query, states, directory, other)
    (self.live, self.head, self.batches) = (live, head, batches)
    axis =
      try query["axis"].map { name in
        guard let axis = Axis(rawValue: name) else {
          throw InspectorQuery.Problem(
            description: "\"\(name)\" is not an axis: "
              + Axis.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return axis
      } ?? .batches
    func moment(_ name: String) throws -> UInt64? {
      guard let text = query[name], text != "head" else { return nil }
      guard let moment = Moment(text), moment != .live else {
        throw InspectorQuery.Problem(
          description: "\"\(text)\" is not a moment of the log: write \(Moment.forms)")
      }
      return try states.found(moment).sequence
    }
    at = try moment("at")
    let (from, to) = (try moment("from"), try moment("to"))
    if let from, let to, from >= to {
      throw InspectorQuery.Problem(
        description:
          "the range from \(query["from"] ?? "") to \(query["to"] ?? "") has no batch: it would begin after event \(from), and "
          + "end after event \(to)")
    }
    (self.from, self.to) = (from, to)
  }

  /// Makes the question of a page that is a file.
  ///
  /// - Parameters:
  ///   - head: the end of the log that is shown, whatever is appended meanwhile.
  ///   - since: the last event before the range; 0 for the whole log.
  init(fileOf states: PastStates, head: LogHead, since: UInt64) throws {
    (query, self.states, self.head) = (try InspectorQuery(""), states, head)
    (directory, live, other) = (nil, nil, nil)
    batches = try states.batches().batches.filter { $0.lastSequence <= head.sequence }
    (at, from, to, axis) = (nil, since > 0 ? since : nil, nil, .batches)
  }

  /// The question with the history up to date, to be answered in so much time from now on.
  func ready(within time: Duration, stop: WorkStop) throws -> InspectorQuestion {
    var question = self
    question.states = try states.ready(through: head.sequence, within: time, stop: stop)
    return question
  }

  var kind: any CatalogKind { states.log.kind }
  /// The last event of the state that is shown.
  var shown: UInt64 { at ?? head.sequence }
  /// The ends of the range, in events: after the first and up to the last.
  var range: (first: UInt64, last: UInt64) { (from ?? 0, to ?? head.sequence) }

  /// The state that is shown.
  func database() throws -> PastDatabase {
    try PastDatabase(.sequence(shown), of: states, live: directory?.database)
  }

  /// The address of a view with the moments of this question.
  ///
  /// - Parameter items: the items that are added, or that replace one of the moments; nil removes it.
  func link(_ view: InspectorView, _ items: [(String, String?)] = []) -> String {
    var all: [(String, String?)] = []
    for (name, value) in [
      ("at", at.map(String.init)), ("from", from.map(String.init)), ("to", to.map(String.init)),
      ("axis", axis == .batches ? nil : axis.rawValue),
    ] where !items.contains(where: { $0.0 == name }) {
      all.append((name, value))
    }
    return InspectorQuery.address(view.path, items + all)
  }

  /// Words that lead to a view, as far as there is one: a file has no other pages.
  func linked(_ words: HTML, _ view: InspectorView, _ items: [(String, String?)] = []) -> HTML {
    directory == nil ? words : "<a href=\"\(link(view, items))\">\(words)</a>"
  }

  /// A link to another event; its words alone if the log has no such event.
  func step(_ name: String, to sequence: UInt64, _ view: InspectorView) -> HTML {
    guard 1...head.sequence ~= sequence else { return "<span class=\"quiet\">\(name)</span>" }
    return "<a href=\"\(link(view, [("event", String(sequence))]))\">\(name)</a>"
  }

  /// The command that gives the same answer, to be pasted into a shell.
  ///
  /// - Parameters:
  ///   - words: the command with its options.
  ///   - operands: its other words, which may begin with a hyphen.
  func command(_ words: [String], _ operands: [String] = []) -> String {
    Self.command(words, operands, of: directory)
  }

  static func command(
    _ words: [String], _ operands: [String] = [], of directory: CatalogDirectory?
  ) -> String {
    let end = operands.contains { $0.hasPrefix("-") } ? ["--"] : []
    let catalog = directory.map { ["--catalog", $0.path] } ?? []
    return ([ProgramName.current] + words + catalog + end + operands)
      .map(ShellWord.quoted).joined(separator: " ")
  }

  /// An option with its value, which may begin with a hyphen.
  static func option(_ name: String, _ value: String) -> [String] {
    value.hasPrefix("-") ? ["\(name)=\(value)"] : [name, value]
  }

  /// The moments as hidden fields of a form.
  var momentFields: [HTML] {
    [
      ("at", at.map(String.init)), ("from", from.map(String.init)), ("to", to.map(String.init)),
      ("axis", query["axis"]),
    ].compactMap { name, value in
      value.map { "<input type=\"hidden\" name=\"\(name)\" value=\"\(HTML.field($0))\">" }
    }
  }

  /// The place of the batch that has an event.
  func place(of sequence: UInt64) -> Int {
    BinarySearch.first(of: batches.count) { batches[$0].lastSequence >= sequence }
  }
}
