import CatalogModel
import LibC
import Projections

/// Walks through one JSON value, and makes rows of what its shape names.
///
/// The value was checked to be JSON before. Rows keep the places of their values until they are complete: members come in
/// any order.
struct JSONWalk: ~Copyable {
  let shape: JSONShape
  private let document: String
  let others: DescribedDocument.Others
  let ignored: [String]
  let twice: DescribedDocument.Twice
  let words: DocumentWords
  /// Adds a fault of the value at an offset.
  private let fault: (JSONError) -> Void
  /// How a place of another row is written.
  private let placeText: (Int) -> String
  private var json: JSONReader
  /// The line of the value; nil in a document that is one value.
  private let line: Int?
  private var slots: [[Slot]]
  private var captured: [(column: String, value: Slot)] = []
  private var otherMembers: [[JSONValue.Member]]
  private var row = RowBuffer()

  /// The findings of the walks of one document.
  struct Findings {
    /// How many values each node of the shape had.
    var visits: [Int]
    /// How many rows had a value, for each column of each target.
    var filled: [[Int]]
    var passedOver: [String: Int] = [:]
    var keptTwice = 0
    var setAside: [TableDocument.SetAside] = []
    var uniques: [UniqueCells]
    var stated: (count: Int64, offset: Int)?

    init(_ shape: JSONShape) {
      visits = Array(repeating: 0, count: shape.nodes.count)
      filled = shape.targets.map { Array(repeating: 0, count: $0.sources.count) }
      uniques = shape.targets.map { UniqueCells(columns: $0.uniques) }
    }
  }

  /// A value that a row will have.
  private enum Slot {
    case absent
    case offset(Int)
    case text(JSONText)
    case number(Int)
  }

  init(
    _ shape: JSONShape, _ reader: TableDocumentReader, _ json: JSONReader, line: Int? = nil,
    placeText: @escaping (Int) -> String, fault: @escaping (JSONError) -> Void
  ) {
    self.shape = shape
    document = reader.document.name
    others = reader.document.others
    ignored = reader.document.ignored
    twice = reader.document.twice
    words = reader.request.words
    self.json = json
    self.line = line
    self.placeText = placeText
    self.fault = fault
    slots = shape.targets.map { Array(repeating: .absent, count: $0.sources.count) }
    otherMembers = shape.targets.map { _ in [] }
  }

  /// Walks from a node on.
  ///
  /// - Parameter place: of an element that is the value.
  mutating func walk(
    _ node: Int, place: Int? = nil, _ findings: inout Findings
  ) throws(JSONError) {
    try visit(node, name: nil, place: place, &findings)
  }

  private mutating func visit(
    _ number: Int, name: JSONText?, place: Int?, _ findings: inout Findings
  ) throws(JSONError) {
    let node = shape.nodes[number]
    let start = json.nextOffset
    findings.visits[number] += 1
    if number == shape.count { try readCount(&findings) }
    for cell in node.cells { slots[cell.target][cell.place] = .offset(start) }
    guard !node.isLeaf || !node.rows.isEmpty else { return try json.skipValue() }
    let depth = captured.count
    for capture in node.captures {
      switch capture {
      case .name(let column): captured.append((column, name.map { .text($0) } ?? .absent))
      case .place(let column): captured.append((column, .number(place ?? 0)))
      case .member(let column, let names):
        captured.append((column, try member(names).map { .offset($0) } ?? .absent))
      }
    }
    for target in node.rows { beginRow(target, node, start) }
    switch try json.peekType() {
    case .object where !node.members.isEmpty || node.eachMember != nil:
      try visitMembers(number, node, &findings)
    case .array where node.eachElement != nil: try visitElements(node, &findings)
    // A member may be null; a document that is null as a whole has no rows at all.
    case .null where !node.text.isEmpty || node.eachElement == nil && node.eachMember == nil:
      try json.skipValue()
    case let type:
      // A value that a column has whole may be of any type.
      let needsRows =
        node.eachMember != nil || node.eachElement != nil
        || !node.members.isEmpty
      let isOwnRow = !node.rows.isEmpty && node.members.isEmpty
      if needsRows, node.cells.isEmpty, !isOwnRow || type == .object || type == .array {
        fault(
          JSONError(
            .wrongType, at: start,
            node.eachElement != nil ? "is not an array" : "is not an object",
            advice: "the description looks for \(node.text.isEmpty ? "rows" : node.text) here"))
        json.position = start
        try json.skipValue()
        captured.removeSubrange(depth...)
        return
      }
      try json.skipValue()
    }
    for target in node.rows { try endRow(target, start, &findings) }
    captured.removeSubrange(depth...)
  }

  private mutating func visitMembers(
    _ number: Int, _ node: JSONShape.Node, _ findings: inout Findings
  ) throws(JSONError) {
    var cursor = try json.openObject()
    while let key = try json.nextKey(in: &cursor) {
      if let member = node.members.first(where: { isName($0.name, key) }) {
        try visit(member.node, name: key, place: nil, &findings)
      } else if let each = node.eachMember {
        try visit(each, name: key, place: nil, &findings)
      } else {
        try otherMember(key, node, &findings)
      }
    }
  }

  private mutating func visitElements(
    _ node: JSONShape.Node, _ findings: inout Findings
  ) throws(JSONError) {
    guard let each = node.eachElement else { return }
    var cursor = try json.openArray()
    var place = 0
    while try json.hasNext(in: &cursor) {
      try visit(each, name: nil, place: place, &findings)
      place += 1
    }
  }

  private func isName(_ name: String, _ key: JSONText) -> Bool {
    if key.hasEscapes { return json.decode(key).hasBytes(of: name) }
    let raw = json.raw(key)
    return raw.count == name.utf8.count && name.utf8.elementsEqual(raw)
  }

  /// The offset of the value to which members lead, in the object that comes next; nil if a member is missing.
  private func member(_ names: [String]) throws(JSONError) -> Int? {
    var ahead = json
    for name in names {
      guard try ahead.peekType() == .object else { return nil }
      var cursor = try ahead.openObject()
      var isFound = false
      while !isFound, let key = try ahead.nextKey(in: &cursor) {
        isFound = isName(name, key)
        if !isFound { try ahead.skipValue() }
      }
      guard isFound else { return nil }
    }
    return ahead.nextOffset
  }

  private mutating func otherMember(
    _ key: JSONText, _ node: JSONShape.Node, _ findings: inout Findings
  ) throws(JSONError) {
    let name = json.decode(key)
    let start = json.nextOffset
    try json.skipValue()
    if ignored.contains(where: { $0.hasBytes(of: name) }) { return }
    let path = (node.ownerPath + [name]).joined(separator: ".")
    switch others {
    case .keep:
      guard let owner = node.owner, shape.targets[owner].othersPlace != nil else { fallthrough }
      var value = json
      value.position = start
      otherMembers[owner].append(JSONValue.Member(key: path, value: try value.readValue()))
    case .drop:
      findings.passedOver[node.owner == nil ? node.text + "." + name : path, default: 0] += 1
    case .refuse:
      let known = node.members.map(\.name)
      fault(
        JSONError(
          .unknownKey, at: key.offset, "is not named in the description",
          advice: NearMiss.find(name, among: known).map { "did you mean \"\($0)\"?" }
            ?? words.others(document)))
    }
  }

  private mutating func readCount(_ findings: inout Findings) throws(JSONError) {
    var ahead = json
    let offset = ahead.nextOffset
    do throws(JSONError) {
      findings.stated = (try ahead.readInt64(), offset)
    } catch {
      fault(error)
    }
  }

  // MARK: Rows

  private mutating func beginRow(_ target: Int, _ node: JSONShape.Node, _ start: Int) {
    for place in slots[target].indices { slots[target][place] = .absent }
    otherMembers[target].removeAll()
    for cell in node.cells where cell.target == target {
      slots[target][cell.place] = .offset(start)
    }
    for (place, source) in shape.targets[target].sources.enumerated() {
      guard case .captured(let column) = source,
        let value = captured.last(where: { $0.column == column })?.value
      else { continue }
      slots[target][place] = value
    }
  }

  private mutating func endRow(
    _ number: Int, _ start: Int, _ findings: inout Findings
  ) throws(JSONError) {
    let target = shape.targets[number]
    row.removeAll()
    var keyLength = 0
    var isWhole = true
    for place in target.parsers.indices {
      if place == target.rows.keyCount { keyLength = row.count }
      if place == target.othersPlace {
        let members = otherMembers[number]
        if members.isEmpty {
          row.appendNull()
        } else {
          row.append(text: JSONValue.object(members).sorted.description)
        }
        continue
      }
      if case .absent = slots[number][place] {} else { findings.filled[number][place] += 1 }
      do throws(JSONError) {
        try append(slots[number][place], target, place, start)
      } catch {
        isWhole = false
        fault(error)
      }
    }
    if target.rows.keyCount == target.parsers.count { keyLength = row.count }
    guard isWhole else { return }
    checkScope(target, start)
    let origin = line ?? start
    if let other = target.rows.add(row, keyLength: keyLength, origin: origin) {
      return foundTwice(target, other, start, origin, keyLength, &findings)
    }
    for (column, other) in findings.uniques[number].add(row, line: origin) {
      fault(
        JSONError(
          .duplicateValue, at: start, showsValue: false,
          "the value of \(target.rows.columns[column].name) is also \(placeText(other)), and is unique"
        ))
    }
  }

  private mutating func append(
    _ slot: Slot, _ target: JSONShape.Target, _ place: Int, _ start: Int
  ) throws(JSONError) {
    let parser = target.parsers[place]
    let column = parser.column
    switch slot {
    case .absent:
      guard let value = target.missing[place] else {
        throw missing(column, target, place, start)
      }
      row.append(value)
    case .number(let number): row.append(integer: Int64(number))
    case .text(let text):
      let bytes = json.decodedBytes(text)
      if let problem = bytes.withUnsafeBytes({ parser.append($0, to: &row) }) {
        throw error(problem, at: text.offset)
      }
    case .offset(let offset):
      var value = json
      value.position = offset
      if try value.peekType() == .null {
        guard column.isOptional else {
          throw JSONError(
            .wrongType, at: offset, "is not \(column.type.noun)",
            advice: "make \(column.name) optional: \"\(column.type.rawValue)?\"")
        }
        return row.appendNull()
      }
      if let problem = try JSONCell.append(&value, parser, to: &row) {
        throw error(problem, at: offset)
      }
    }
  }

  private func missing(
    _ column: DescribedColumn, _ target: JSONShape.Target, _ place: Int, _ start: Int
  ) -> JSONError {
    var lacking = "the row has no \(name(of: target.sources[place]))"
    var advice = "add it, or make the column optional: \"\(column.type.rawValue)?\""
    if let member = target.path.member(of: column.name), target.sources[place].isCaptured {
      lacking = "the object above has no \(member)"
    } else if target.path.isBelowElements {
      advice =
        "add it, take it from the object above by [\(column.name)=MEMBER] in the path, or make the column "
        + "optional: \"\(column.type.rawValue)?\""
    }
    return JSONError(
      .missingKey, at: start, showsValue: false, "\(column.name) is missing: \(lacking)",
      advice: advice)
  }

  private func error(_ problem: ValueProblem, at offset: Int) -> JSONError {
    JSONError(.invalidValue, at: offset, problem.message, advice: problem.advice)
  }

  private func name(of source: JSONShape.Source) -> String {
    switch source {
    case .captured(let name): name
    case .member(let name): name
    case .others: DescribedDocument.Others.column
    }
  }

  private func checkScope(_ target: JSONShape.Target, _ start: Int) {
    for scope in target.scope {
      guard var pointer = row.bytes.baseAddress else { return }
      for _ in 0..<scope.place { _ = DocumentCell.skip(&pointer) }
      guard !DocumentCell.skip(&pointer).elementsEqual(scope.value) else { continue }
      fault(
        JSONError(
          .invalidValue, at: start, showsValue: false,
          "the row's \(target.rows.columns[scope.place].name) is outside of the document's scope",
          advice: "leave the row out, or name no scope"))
    }
  }

  private func foundTwice(
    _ target: JSONShape.Target, _ other: Int, _ start: Int, _ origin: Int, _ keyLength: Int,
    _ findings: inout Findings
  ) {
    let rows = target.rows
    switch twice {
    case .first: findings.keptTwice += 1
    case .setAside:
      findings.setAside += rows.setAside(other, with: origin, placeText)
    case .refuse:
      let isEqual = rows.rest(other).elementsEqual(row.bytes[keyLength...])
      let names = rows.columns[..<rows.keyCount].map(\.name).joined(separator: ", ")
      let values = rows.values(other)[..<rows.keyCount].map(JSONCell.shown).joined(separator: ", ")
      fault(
        JSONError(
          .duplicateValue, at: start, showsValue: false,
          "the key \(names) = \(values) is also \(placeText(rows.origin(other)))"
            + (isEqual ? ", in a row that is the same" : ""),
          advice: words.twice))
    }
  }
}
