/// The pages of the inspector.
enum InspectorView: String, CaseIterable {
  case answer
  case operation
  case row
  case truth
  case sql
  case events

  /// - Returns: nil if there is no such page.
  init?(path: String) {
    self.init(rawValue: path == "/" ? Self.answer.rawValue : String(path.dropFirst()))
  }

  var path: String { "/\(rawValue)" }

  var title: String {
    switch self {
    case .answer: "Answer over time"
    case .operation: "Operation"
    case .row: "Row"
    case .truth: "Truth"
    case .sql: "SQL"
    case .events: "Events"
    }
  }

  func answer(_ question: InspectorQuestion) throws -> CatalogInspector.Answer {
    let content: HTML
    switch self {
    case .answer: content = try AnswerView(question).html
    case .operation: content = try OperationView(question).html
    case .row: content = try RowView(question).html
    case .truth: content = try TruthView(question).html
    case .events: content = try EventsView(question).html
    case .sql:
      let view = try StatementView(question)
      if let file = try view.file() { return file }
      content = try view.html
    }
    return CatalogInspector.Answer(200, CatalogInspector.html, question.page(self, content))
  }
}
