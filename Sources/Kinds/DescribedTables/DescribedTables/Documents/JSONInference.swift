import CatalogModel

/// Makes up a table from a document of JSON: the rows are the objects of its largest array or map.
struct JSONInference {
  private let source: SourceFile
  private let name: String
  private let key: [String]?

  init(_ source: SourceFile, _ name: String, _ key: [String]?) {
    self.source = source
    self.name = name
    self.key = key
  }

  func ofLines() throws(DocumentError) -> TableInference {
    let (bytes, _) = try source.plainBytes()
    var members = Members()
    var place = 0
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: true) {
      place += 1
      members.add(try JSONValue.parse(Array(line), file: source.name, isForeign: true), name: nil)
    }
    return try inference(members, at: "[]", format: .jsonLines, others: [])
  }

  func ofDocument() throws(DocumentError) -> TableInference {
    let (bytes, _) = try source.plainBytes()
    let tree = try JSONValue.parse(bytes, file: source.name)
    let found = Self.rows(tree, path: "", depth: 0)
    guard let best = found.max(by: { $0.count < $1.count }) else {
      throw DocumentError(
        code: .unsupportedFormat, file: source.name,
        message: "the document has no array or map of objects, which could be rows",
        advice: "describe the table by hand, with the path of its rows")
    }
    var members = Members()
    switch best.value {
    case .array(let elements): for element in elements { members.add(element, name: nil) }
    case .object(let each): for member in each { members.add(member.value, name: member.key) }
    default: break
    }
    let others = Self.others(tree, besides: best.path)
    return try inference(members, at: best.path, format: .json, others: others)
  }

  /// The members on the way to the rows that lead elsewhere.
  private static func others(_ tree: JSONValue, besides path: String) -> [String] {
    var others: [String] = []
    var value = tree
    for step in RowsPath(path)?.steps ?? [] {
      guard case .member(let name) = step, case .object(let members) = value else { break }
      others += members.map(\.key).filter { !$0.hasBytes(of: name) && !others.contains($0) }
      value = value[name] ?? .null
    }
    return others
  }

  private struct Rows {
    var path: String
    var value: JSONValue
    var count: Int
  }

  /// The arrays and maps of objects of a document, to the third level.
  private static func rows(_ value: JSONValue, path: String, depth: Int) -> [Rows] {
    func isObject(_ value: JSONValue) -> Bool { value.type == .object }
    switch value {
    case .array(let elements):
      return elements.isEmpty || !elements.allSatisfy(isObject)
        ? [] : [Rows(path: path + "[]", value: value, count: elements.count)]
    case .object(let members):
      let dot = path.isEmpty ? "" : "."
      if members.count > 1, members.allSatisfy({ isObject($0.value) }), areAlike(members) {
        return [Rows(path: path + dot + "{key}", value: value, count: members.count)]
      }
      guard depth < 3 else { return [] }
      return members.flatMap { member in
        rows(member.value, path: path + dot + quoted(member.key), depth: depth + 1)
      }
    default: return []
    }
  }

  /// Whether the objects of a map have members in common, and are no records of different things.
  private static func areAlike(_ members: [JSONValue.Member]) -> Bool {
    var names: [String: Int] = [:]
    for member in members {
      if case .object(let inner) = member.value {
        for each in inner { names[each.key, default: 0] += 1 }
      }
    }
    return names.values.contains { $0 * 2 > members.count }
  }

  static func quoted(_ name: String) -> String {
    name.unicodeScalars.contains { ".[]{}\"@".unicodeScalars.contains($0) } ? "\"\(name)\"" : name
  }

  /// The members of all rows, in the order in which they were met.
  private struct Members {
    var columns: [ColumnEvidence] = []
    var places: [String: Int] = [:]
    var rows = 0
    var hasKeys = false

    mutating func add(_ value: JSONValue, name: String?) {
      guard case .object(let members) = value else { return }
      if let name {
        hasKeys = true
        add("key", .string(name))
      }
      for member in members { add(member.key, member.value) }
      rows += 1
      for place in columns.indices where columns[place].count < rows {
        columns[place].add(nil)
      }
    }

    private mutating func add(_ name: String, _ value: JSONValue) {
      let place: Int
      if let known = places[name] {
        place = known
      } else {
        place = columns.count
        places[name] = place
        columns.append(ColumnEvidence(name, decimal: 0x2E))
        for _ in 0..<rows { columns[place].add(nil) }
      }
      // A map's rows may have a member of the name that the map's names get.
      if columns[place].count == rows { columns[place].add(value) }
    }
  }

  /// - Throws: `DocumentError` if rows have no value in the column that is the stated key, or the same one.
  private func inference(
    _ members: Members, at path: String, format: DescribedDocument.Format, others: [String]
  ) throws(DocumentError) -> TableInference {
    let key = TableInference.statedKey(key, among: members.columns.map(\.name))
    if let key, key.count == 1, let column = members.columns.first(where: { $0.name == key[0] }),
      !column.isUnique, members.rows > 0
    {
      throw DocumentError(
        code: .duplicateValue, file: source.name, path: path,
        value: "\"\(JSONExcerpt.printable(key[0]))\"",
        message: "does not identify the rows: a value is there twice, or missing",
        advice: "name other columns with it, or 'whole row'")
    }
    let stated = key ?? (members.hasKeys ? ["key"] : nil)
    var inference = TableInference(
      name,
      TableInference.Evidence(
        columns: members.columns, rows: members.rows, origin: "the members", hasTypes: true,
        key: stated))
    inference.document = DescribedDocument(
      name, format: format,
      rows: [DescribedDocument.Rows(name, at: path, columns: inference.sources)], ignored: others)
    if !others.isEmpty {
      inference.notes.append(
        "the document's members \(others.joined(separator: ", ")) are passed over")
    }
    return inference
  }
}
