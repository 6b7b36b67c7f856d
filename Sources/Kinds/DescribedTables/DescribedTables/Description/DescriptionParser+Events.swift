import CatalogModel
import Projections

extension DescriptionParser {
  private enum EventKey: String, CaseIterable {
    case data, needs, does
  }
  private static let eventKeys = JSONKeyTable<EventKey>(required: [.data, .does])

  private enum NeedKey: String, CaseIterable {
    case row, noRow, key, `where`, `else`
  }
  private static let needKeys = JSONKeyTable<NeedKey>(required: [.key, .else])

  private enum TestKey: String, CaseIterable {
    case not, atLeast, atMost
  }
  private static let testKeys = JSONKeyTable<TestKey>()

  enum StepKey: String, CaseIterable {
    case put, merge, set, add, remove, removeAll, key, to, row, `where`
  }
  private static let stepKeys = JSONKeyTable<StepKey>()

  /// An operand with its place.
  typealias Placed = (operand: OwnEvent.Operand, place: Int)
  typealias PlacedCell = (cell: OwnEvent.Cell, place: Int, value: Int)

  mutating func event(_ name: String, _ place: Int) -> OwnEvent? {
    requireEventName(name, at: place)
    guard var object = document.object() else { return nil }
    var members: [OwnEvent.Member] = []
    var needs: [OwnEvent.Need] = []
    var steps: [OwnEvent.Step] = []
    while let key = document.next(in: &object, Self.eventKeys) {
      switch key {
      case .data:
        members = self.members { parser, member, place in
          parser.requireMember(member, at: place)
          return parser.type().map {
            OwnEvent.Member(member, $0.type, optional: $0.isOptional)
          }
        }
      case .needs:
        needs = list { $0.need(of: name) }
      case .does:
        let start = document.nextOffset
        steps = list { $0.step(of: name) }
        if document.isFaultless, steps.isEmpty {
          document.note(
            .invalidValue, at: start, "changes nothing", advice: "an event has at least one step")
        }
      }
    }
    return OwnEvent(name, members: members, needs: needs, steps: steps)
  }

  private mutating func list<Element>(
    _ element: (inout DescriptionParser) -> Element?
  ) -> [Element] {
    var list: [Element] = []
    guard var elements = document.elements() else { return list }
    while document.hasNext(in: &elements) {
      if let element = element(&self) { list.append(element) }
    }
    return list
  }

  private mutating func requireEventName(_ name: String, at place: Int) {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let isPlain =
      parts.count > 1 && name.utf8.count <= Self.nameLimit
      && parts.allSatisfy { part in
        SQLName.isPlain(String(part)) && part.utf8.allSatisfy { !(0x41...0x5A).contains($0) }
      }
    if !isPlain {
      document.note(
        .invalidValue, at: place, "is not a name for an event",
        advice: "write two or more words of small letters with points: \"product.counted\"")
    }
    if TableEventType.names.contains(name) || name.hasPrefix("catalog.") {
      document.note(
        .invalidValue, at: place, "is an event of the program", advice: "write another name")
    }
  }

  private mutating func requireMember(_ name: String, at place: Int) {
    guard !SQLName.isPlain(name) || name.utf8.count > Self.nameLimit else { return }
    document.note(
      .invalidValue, at: place, "is not a name for a member",
      advice: "write letters from A to Z, digits and _")
  }

  // MARK: Conditions

  private mutating func need(of event: String) -> OwnEvent.Need? {
    guard var object = document.object() else { return nil }
    var target: (name: String, exists: Bool, place: Int)?
    var key: [Placed] = []
    var tests: [OwnEvent.Need.ColumnTest] = []
    var places: [(column: Int, operands: [Placed])] = []
    var otherwise: (text: String, place: Int)?
    while let member = document.next(in: &object, Self.needKeys) {
      let start = document.nextOffset
      switch member {
      case .row, .noRow:
        if target != nil { noteTwo("row", "noRow", at: start) }
        target = string().map { ($0, member == .row, start) }
      case .key: key = operands()
      case .where:
        tests = members { parser, column, place in
          guard let test = parser.test() else { return nil }
          places.append((place, test.operands))
          return OwnEvent.Need.ColumnTest(column, test.test)
        }
      case .else: otherwise = string().map { ($0, start) }
      }
    }
    guard let target else {
      if document.isFaultless {
        document.note(
          .missingKey, at: object.offset, showsValue: false, "the condition names no table",
          advice: "add \"row\" (there must be one) or \"noRow\" (there must be none)")
      }
      return nil
    }
    guard let otherwise else { return nil }
    requireSentence(otherwise.text, at: otherwise.place)
    let columns = tests.map(\.column)
    let list = places
    later { document, description in
      guard let event = description.event(event),
        let table = Self.require(table: target.name, in: description, at: target.place, &document)
      else { return }
      Self.check(key: key, of: table, event, at: target.place, &document)
      for (column, test) in zip(columns, list) {
        guard let column = Self.require(column, in: table, at: test.column, &document) else {
          continue
        }
        for operand in test.operands {
          Self.check(operand, for: column, event, allowsNull: true, &document)
        }
      }
      Self.check(
        sentence: otherwise.text, at: otherwise.place, event,
        row: target.exists && columns.isEmpty ? nil : table, &document)
    }
    return OwnEvent.Need(
      target.name, exists: target.exists, key: key.map(\.operand), tests: tests,
      otherwise: otherwise.text)
  }

  private mutating func test() -> (test: OwnEvent.Test, operands: [Placed])? {
    if document.nextIsArray {
      let list = operands()
      return (.among(list.map(\.operand)), list)
    }
    guard document.nextIsObject else {
      guard let placed = operand() else { return nil }
      return (.among([placed.operand]), [placed])
    }
    guard var object = document.object() else { return nil }
    var found: [(test: OwnEvent.Test, operand: Placed)] = []
    while let key = document.next(in: &object, Self.testKeys) {
      guard let placed = operand() else { continue }
      switch key {
      case .not: found.append((.not(placed.operand), placed))
      case .atLeast: found.append((.atLeast(placed.operand), placed))
      case .atMost: found.append((.atMost(placed.operand), placed))
      }
    }
    guard found.count == 1 else {
      if document.isFaultless {
        document.note(
          .invalidValue, at: object.offset, "is not one test",
          advice: "write one of not, atLeast and atMost")
      }
      return nil
    }
    return (found[0].test, [found[0].operand])
  }

  // MARK: Steps

  private mutating func step(of event: String) -> OwnEvent.Step? {
    guard var object = document.object() else { return nil }
    var verb: (key: StepKey, table: String, place: Int)?
    var key: [Placed]?
    var cells: [StepKey: [PlacedCell]] = [:]
    while let member = document.next(in: &object, Self.stepKeys) {
      let start = document.nextOffset
      switch member {
      case .put, .merge, .set, .add, .remove, .removeAll:
        if let verb { noteTwo(verb.key.rawValue, member.rawValue, at: start) }
        verb = string().map { (member, $0, start) }
      case .key: key = operands()
      case .to, .row, .where: cells[member] = self.cells()
      }
    }
    guard let verb else {
      if document.isFaultless {
        document.note(
          .missingKey, at: object.offset, showsValue: false, "the step has no verb",
          advice: "add one of put, merge, set, add, remove and removeAll, with the name of a table")
      }
      return nil
    }
    let wanted: (key: Bool, cells: StepKey?) =
      switch verb.key {
      case .put, .merge: (false, .row)
      case .set, .add: (true, .to)
      case .removeAll: (false, .where)
      default: (true, nil)
      }
    requireParts(of: verb.key, wanted, key != nil, cells.keys, in: object)
    let list = wanted.cells.flatMap { cells[$0] } ?? []
    let keyOperands = key ?? []
    later { document, description in
      guard let event = description.event(event),
        let table = Self.require(table: verb.table, in: description, at: verb.place, &document)
      else { return }
      if wanted.key { Self.check(key: keyOperands, of: table, event, at: verb.place, &document) }
      for cell in list { Self.check(cell, of: verb.key, in: table, event, &document) }
      Self.check(list.map(\.cell.column), of: verb.key, in: table, at: verb.place, &document)
    }
    let operands = keyOperands.map(\.operand)
    let values = list.map(\.cell)
    return switch verb.key {
    case .put: .put(table: verb.table, row: values)
    case .merge: .merge(table: verb.table, row: values)
    case .set: .set(table: verb.table, key: operands, cells: values)
    case .add: .add(table: verb.table, key: operands, cells: values)
    case .removeAll: .removeAll(table: verb.table, cells: values)
    default: .remove(table: verb.table, key: operands)
    }
  }

  private mutating func noteTwo(_ first: String, _ second: String, at place: Int) {
    document.note(
      .invalidValue, at: place, showsValue: false, "\"\(first)\" and \"\(second)\" are both there",
      advice: "write one of them")
  }

  /// Notes members that a step lacks, and those that it has too many.
  private mutating func requireParts(
    of verb: StepKey, _ wanted: (key: Bool, cells: StepKey?), _ hasKey: Bool,
    _ found: Dictionary<StepKey, [PlacedCell]>.Keys, in object: DocumentReader.Object
  ) {
    guard document.isFaultless else { return }
    var missing: [String] = []
    if wanted.key, !hasKey { missing.append("key") }
    if let cells = wanted.cells, !found.contains(cells) { missing.append(cells.rawValue) }
    for key in missing { document.noteMissing(key, in: object) }
    var further = found.filter { $0 != wanted.cells }.map(\.rawValue).sorted()
    if hasKey, !wanted.key { further.append("key") }
    for key in further {
      document.note(
        .unknownKey, at: object.offset, showsValue: false,
        "\"\(key)\" has no meaning beside \"\(verb.rawValue)\"", advice: "leave it out")
    }
  }

  private mutating func cells() -> [PlacedCell] {
    members { parser, column, place in
      parser.operand().map { (OwnEvent.Cell(column, $0.operand), place, $0.place) }
    }
  }

  // MARK: Operands

  private mutating func operands() -> [Placed] {
    guard document.nextIsArray else { return operand().map { [$0] } ?? [] }
    return list { $0.operand() }
  }

  /// Reads `$member`, `@at`, `@by`, `@sequence` or a literal. `$$` and `@@` begin a text with `$` and `@`.
  private mutating func operand() -> Placed? {
    let start = document.nextOffset
    guard let json = tree() else { return nil }
    guard case .string(let text) = json, let mark = text.utf8.first,
      mark == UInt8(ascii: "$") || mark == UInt8(ascii: "@")
    else { return (.literal(json), start) }
    let rest = String(text.dropFirst())
    if rest.utf8.first == mark { return (.literal(.string(rest)), start) }
    if mark == UInt8(ascii: "$") { return (.member(rest), start) }
    let known: [(String, OwnEvent.Operand)] = [
      ("at", .time), ("by", .author), ("sequence", .sequence),
    ]
    if let found = known.first(where: { $0.0 == rest }) { return (found.1, start) }
    document.note(
      .invalidValue, at: start, "is not known",
      advice: NearMiss.advice(for: text, among: known.map { "@" + $0.0 })
        + "; a text that begins with @ is written with @@")
    return nil
  }
}
