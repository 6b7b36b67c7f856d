public import CatalogModel
import Projections

extension KindDescription {
  /// Larger descriptions are refused: 1 MiB.
  public static let sizeLimit = 1 << 20
  /// The most faults that are listed.
  static let faultLimit = 1_000

  /// Reads a description and checks it.
  ///
  /// - Parameter file: what errors call it.
  /// - Throws: `DocumentError` with all that is wrong, each fault with its place and what may be meant.
  public static func read(
    _ bytes: [UInt8], file: String
  ) throws(DocumentError) -> KindDescription {
    try read(bytes, file: file, isNew: true)
  }

  /// - Parameter isNew: whether no log has the description yet. One that a log has is read although a path in it leads nowhere: earlier
  ///   releases took it.
  static func read(
    _ bytes: [UInt8], file: String, isNew: Bool
  ) throws(DocumentError) -> KindDescription {
    guard bytes.count <= sizeLimit else {
      throw DocumentError(
        code: .fileTooLarge, file: file, message: "the description has \(bytes.count) bytes",
        advice: "the limit is \(sizeLimit)")
    }
    return try DocumentReader.read(bytes, file: file, listing: faultLimit) { document in
      var parser = DescriptionParser(document, checksPaths: isNew)
      let description = parser.description()
      document = parser.document
      return description
    }
  }

  /// Checks a description that a program made, by the rules for one that is read.
  ///
  /// - Throws: `DocumentError` with the faults of its canonical form.
  public func checked(file: String = "the description") throws(DocumentError) -> KindDescription {
    try KindDescription.read(Array(canonical.description.utf8), file: file)
  }
}

/// Reads a description to its end and notes each fault. Names that refer to others are checked at the end, if everything
/// before was right.
struct DescriptionParser {
  var document: DocumentReader
  /// Whether a text that should be a path has to be one.
  let checksPaths: Bool
  /// The checks of names that refer to others.
  private var checks: [(inout DocumentReader, KindDescription) -> Void] = []

  private enum Key: String, CaseIterable {
    case kind, version, tables, documents, events, rules
  }
  private static let keys = JSONKeyTable<Key>(required: [.kind, .tables])

  init(_ document: DocumentReader, checksPaths: Bool) {
    self.document = document
    self.checksPaths = checksPaths
  }

  /// Nil if the document has a fault.
  mutating func description() -> KindDescription? {
    guard var object = document.object() else { return nil }
    var kind: String?
    var version: Int64? = 1
    var tables: [DescribedTable] = []
    var documents: [DescribedDocument] = []
    var events: [OwnEvent] = []
    var rules: [RowRule] = []
    while let key = document.next(in: &object, Self.keys) {
      switch key {
      case .kind: kind = kindName()
      case .version: version = document.integer(atLeast: 1)
      case .tables:
        let start = document.nextOffset
        tables = members { parser, name, place in parser.table(name, place) }
        if document.isFaultless, tables.isEmpty {
          document.note(
            .invalidValue, at: start, showsValue: false, "there is no table",
            advice: "a kind has at least one table")
        }
      case .documents: documents = members { parser, name, _ in parser.describedDocument(name) }
      case .events: events = members { parser, name, place in parser.event(name, place) }
      case .rules: rules = members { parser, name, place in parser.rule(name, place) }
      }
    }
    guard let kind, let version else { return nil }
    let description = KindDescription(
      kind: kind, version: version, tables: tables, documents: documents, events: events,
      rules: rules)
    // A name whose owner has a fault would be a second fault of the same mistake.
    if document.isFaultless {
      for check in checks { check(&document, description) }
    }
    return description
  }

  /// Adds a check of names for the end.
  mutating func later(_ check: @escaping (inout DocumentReader, KindDescription) -> Void) {
    checks.append(check)
  }

  // MARK: Members with names of their own

  /// Reads an object whose keys are names.
  ///
  /// - Parameter member: reads the value of a name; takes the offset of the name.
  mutating func members<Element>(
    _ member: (inout DescriptionParser, String, Int) -> Element?
  ) -> [Element] {
    var list: [Element] = []
    guard var object = document.object() else { return list }
    var known: Set<String> = []
    while let key = document.nextKey(in: &object) {
      let name = document.json.decode(key)
      let isNew = known.insert(name).inserted
      let element = member(&self, name, key.offset)
      if isNew, let element { list.append(element) }
    }
    return list
  }

  private mutating func kindName() -> String? {
    let start = document.nextOffset
    guard let name = string() else { return nil }
    let isPlain = name.utf8.allSatisfy {
      $0.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")) ~= $0 || $0 == UInt8(ascii: "-")
    }
    if !isPlain || name.isEmpty || name.utf8.count > 64 || name.hasPrefix("-") {
      document.note(
        .invalidValue, at: start, "is not a name for a kind",
        advice: "write small letters, digits and hyphens: \"price-list\"")
    }
    return name
  }

  // MARK: Rules

  private enum RuleKey: String, CaseIterable {
    case sql, level, seconds
  }
  private static let ruleKeys = JSONKeyTable<RuleKey>(required: [.sql])

  private mutating func rule(_ name: String, _ place: Int) -> RowRule? {
    requireSentence(name, at: place)
    guard var object = document.object() else { return nil }
    var sql: String?
    var level: RowRule.Level? = .refuse
    var seconds: Int?
    while let key = document.next(in: &object, Self.ruleKeys) {
      switch key {
      case .sql:
        let start = document.nextOffset
        sql = string()
        if let sql, sql.utf8.contains(0) || sql.allSatisfy(\.isWhitespace) {
          document.note(
            .invalidValue, at: start, "is not SQL", advice: "write a SELECT that returns no row")
        }
      case .level: level = choice("is not a level")
      case .seconds:
        let start = document.nextOffset
        seconds = document.integer(atLeast: 1).map { Int($0) }
        if let seconds, seconds > 86_400 {
          document.note(
            .invalidValue, at: start, "is more than a day", advice: "write at most 86400")
        }
      }
    }
    guard let sql, let level else { return nil }
    return RowRule(name, sql: sql, level: level, seconds: seconds)
  }

  /// Notes a name for people that no line can show.
  func requireSentence(_ name: String, at place: Int, in document: inout DocumentReader) {
    let isFit =
      !name.isEmpty && name.utf8.count <= 200
      && name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
      && NormalForm.isNFC(name)
    guard !isFit else { return }
    document.note(
      .invalidValue, at: place, "is not a name",
      advice: "write 1 to 200 bytes in one line, in Unicode's normal form C")
  }

  mutating func requireSentence(_ name: String, at place: Int) {
    requireSentence(name, at: place, in: &document)
  }

  // MARK: Values

  /// Reads one of a type's words.
  mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ problem: String
  ) -> Choice? {
    document.word(among: Choice.allCases.map(\.rawValue), problem).flatMap(Choice.init)
  }

  /// Reads an array of texts, or one text, each with its offset.
  mutating func names() -> [(name: String, place: Int)] {
    guard document.nextIsArray else {
      let place = document.nextOffset
      return string().map { [($0, place)] } ?? []
    }
    var list: [(name: String, place: Int)] = []
    guard var elements = document.elements() else { return list }
    while document.hasNext(in: &elements) {
      let place = document.nextOffset
      if let name = string() { list.append((name, place)) }
    }
    return list
  }

  /// Reads a text, which a log can hold.
  mutating func string() -> String? {
    let start = document.nextOffset
    guard let text = document.string() else { return nil }
    requireNormal(text, at: start)
    return text
  }

  /// Reads a value as a tree.
  mutating func tree() -> JSONValue? {
    let start = document.nextOffset
    let json = document.attempt { (json) throws(JSONError) in try json.readValue() }
    guard let json else { return nil }
    requireNormal(json.description, at: start)
    return json
  }

  private mutating func requireNormal(_ text: String, at place: Int) {
    guard !NormalForm.isNFC(text) else { return }
    document.note(
      .invalidValue, at: place, "is not in Unicode's normal form C",
      advice: "write it in that form; names of documents are compared in it")
  }

  /// Reads a literal of a type.
  mutating func literal(of type: DescribedType, optional isOptional: Bool) -> Value? {
    let start = document.nextOffset
    guard let json = tree() else { return nil }
    if json == .null, isOptional { return .null }
    do throws(ValueProblem) {
      return try type.value(of: json)
    } catch {
      document.note(.invalidValue, at: start, error.message, advice: error.advice)
      return nil
    }
  }
}
