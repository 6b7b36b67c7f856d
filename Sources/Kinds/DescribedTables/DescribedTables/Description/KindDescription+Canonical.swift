public import CatalogModel
public import Projections

extension KindDescription {
  /// The description as JSON: what equals a default is left out, names keep their order.
  public var canonical: JSONValue {
    var members: [JSONValue.Member] = [
      .init("kind", .string(kind)), .init("version", .integer(version)),
      .init("tables", .object(tables.map { .init($0.name, $0.canonical) })),
    ]
    if !documents.isEmpty {
      members.append(
        .init("documents", .object(documents.map { .init($0.name, $0.canonical(self)) })))
    }
    if !events.isEmpty {
      members.append(.init("events", .object(events.map { .init($0.name, $0.canonical) })))
    }
    if !rules.isEmpty {
      members.append(.init("rules", .object(rules.map { .init($0.name, $0.canonical) })))
    }
    return .object(members)
  }
}

extension DescribedTable {
  fileprivate var canonical: JSONValue {
    var members: [JSONValue.Member] = []
    if let was { members.append(.init("was", .string(was))) }
    switch key {
    case .wholeRow: members.append(.init("key", .string("whole row")))
    case .columns(let names): members.append(.init("key", .names(names)))
    }
    members.append(.init("columns", .object(columns.map { .init($0.name, $0.canonical) })))
    if !indexes.isEmpty {
      members.append(
        .init("indexes", .array(indexes.map { .array($0.map { .string($0) }) })))
    }
    if !search.isEmpty {
      members.append(.init("search", .array(search.map { .string($0) })))
    }
    return .object(members)
  }
}

extension DescribedColumn {
  fileprivate var canonical: JSONValue {
    let name = JSONValue.string(type.rawValue + (isOptional ? "?" : ""))
    var members: [JSONValue.Member] = [.init("type", name)]
    if let was { members.append(.init("was", .string(was))) }
    if let standard { members.append(.init("default", type.literal(standard))) }
    if isUnique { members.append(.init("unique", .bool(true))) }
    if isName { members.append(.init("name", .bool(true))) }
    if let reference {
      members.append(.init("refers", .string(reference.table)))
      if reference.gone != .refuse {
        members.append(.init("gone", .string(reference.gone.rawValue)))
      }
    }
    switch attention {
    case .full: break
    case .alone: members.append(.init("ignore", .string("alone")))
    case .none: members.append(.init("ignore", .bool(true)))
    }
    if let unixTime { members.append(.init("time", .string(unixTime.rawValue))) }
    return members.count == 1 ? name : .object(members)
  }
}

extension DescribedType {
  /// The JSON of a value, which `value(of:)` reads.
  public func literal(_ value: Value) -> JSONValue {
    switch value {
    case .null: .null
    case .integer(let integer) where self == .flag: .bool(integer != 0)
    case .integer(let integer): .integer(integer)
    case .real(let real): .number(real.description)
    case .text(let text) where self == .json: JSONValue(text: text) ?? .string(text)
    case .text(let text): .string(text)
    case .id(let id): .string(id.description)
    case .time(let time): .string(time.description)
    case .blob(let bytes):
      .object([.init("base64", .string(Base64.text(bytes)))])
    }
  }
}

extension DescribedDocument {
  fileprivate func canonical(_ description: KindDescription) -> JSONValue {
    var members: [JSONValue.Member] = []
    switch format {
    case .csv(let csv): members.append(.init("csv", csv.canonical))
    case .json: members.append(.init("json", .object([])))
    case .jsonLines: members.append(.init("jsonl", .object([])))
    case .sqlite:
      members.append(
        .init("sqlite", .object(leftOut.isEmpty ? [] : [.init("leftOut", .names(leftOut))])))
    case nil: break
    }
    if isComplete { members.append(.init("complete", .bool(true))) }
    if !rows.isEmpty {
      members.append(
        .init("rows", .object(rows.map { .init($0.table, $0.canonical(description)) })))
    }
    if others != .refuse { members.append(.init("others", .string(others.rawValue))) }
    if !ignored.isEmpty { members.append(.init("ignore", .names(ignored))) }
    if removed != .standard {
      let text =
        switch removed {
        case .percent(let percent): "\(percent)%"
        case .any: "any"
        }
      members.append(.init("refuse", .object([.init("removed", .string(text))])))
    }
    if otherLength != .refuse {
      members.append(.init("rowsOfOtherLength", .string(otherLength.rawValue)))
    }
    if twice != .refuse { members.append(.init("twice", .string(twice.rawValue))) }
    if let count { members.append(.init("count", .string(count))) }
    return .object(members)
  }
}

extension DescribedDocument.CSV {
  fileprivate var canonical: JSONValue {
    let standard = DescribedDocument.CSV()
    var members: [JSONValue.Member] = []
    if let separator { members.append(.init("separator", .string(separator))) }
    if let encoding { members.append(.init("encoding", .string(encoding))) }
    if decimal != standard.decimal { members.append(.init("decimal", .string(decimal))) }
    if quote != standard.quote { members.append(.init("quote", .string(quote))) }
    if empty != standard.empty { members.append(.init("empty", .string(empty.rawValue))) }
    return .object(members)
  }
}

extension DescribedDocument.Rows {
  fileprivate func canonical(_ description: KindDescription) -> JSONValue {
    var members: [JSONValue.Member] = []
    if let at { members.append(.init("at", .string(at))) }
    let table = description.table(table)
    if !columns.isEmpty {
      members.append(
        .init(
          "columns",
          .object(
            columns.map { source in
              guard let missing = source.missing else {
                return .init(source.column, .string(source.from))
              }
              let type = table?.column(source.column)?.type ?? .any
              return .init(
                source.column,
                .object([
                  .init("from", .string(source.from)), .init("missing", type.literal(missing)),
                ]))
            })))
    }
    return .object(members)
  }
}

extension OwnEvent {
  fileprivate var canonical: JSONValue {
    var canonical: [JSONValue.Member] = [
      .init(
        "data",
        .object(
          members.map { .init($0.name, .string($0.type.rawValue + ($0.isOptional ? "?" : ""))) }))
    ]
    if !needs.isEmpty { canonical.append(.init("needs", .array(needs.map(\.canonical)))) }
    canonical.append(.init("does", .array(steps.map(\.canonical))))
    return .object(canonical)
  }
}

extension OwnEvent.Need {
  fileprivate var canonical: JSONValue {
    var members: [JSONValue.Member] = [
      .init(exists ? "row" : "noRow", .string(table)), .init("key", .operands(key)),
    ]
    if !tests.isEmpty {
      members.append(
        .init("where", .object(tests.map { .init($0.column, $0.test.canonical) })))
    }
    members.append(.init("else", .string(otherwise)))
    return .object(members)
  }
}

extension OwnEvent.Test {
  fileprivate var canonical: JSONValue {
    switch self {
    case .among(let operands) where operands.count == 1: operands[0].canonical
    case .among(let operands): .operands(operands)
    case .not(let operand): .object([.init("not", operand.canonical)])
    case .atLeast(let operand): .object([.init("atLeast", operand.canonical)])
    case .atMost(let operand): .object([.init("atMost", operand.canonical)])
    }
  }
}

extension OwnEvent.Step {
  fileprivate var canonical: JSONValue {
    func cells(_ cells: [OwnEvent.Cell]) -> JSONValue {
      .object(cells.map { .init($0.column, $0.value.canonical) })
    }
    return switch self {
    case .put(let table, let row):
      .object([.init("put", .string(table)), .init("row", cells(row))])
    case .set(let table, let key, let values):
      .object([
        .init("set", .string(table)), .init("key", .operands(key)), .init("to", cells(values)),
      ])
    case .add(let table, let key, let values):
      .object([
        .init("add", .string(table)), .init("key", .operands(key)), .init("to", cells(values)),
      ])
    case .remove(let table, let key):
      .object([.init("remove", .string(table)), .init("key", .operands(key))])
    case .merge(let table, let row):
      .object([.init("merge", .string(table)), .init("row", cells(row))])
    case .removeAll(let table, let values):
      .object([.init("removeAll", .string(table)), .init("where", cells(values))])
    }
  }
}

extension OwnEvent.Operand {
  fileprivate var canonical: JSONValue {
    switch self {
    case .member(let name): .string("$" + name)
    case .time: .string("@at")
    case .author: .string("@by")
    case .sequence: .string("@sequence")
    case .literal(.string(let text))
    where ["$", "@"].contains(text.utf8.first.map(UnicodeScalar.init)):
      .string(String(text.prefix(1)) + text)
    case .literal(let json): json
    }
  }
}

extension RowRule {
  fileprivate var canonical: JSONValue {
    var members: [JSONValue.Member] = [.init("sql", .string(sql))]
    if level != .refuse { members.append(.init("level", .string(level.rawValue))) }
    if let seconds { members.append(.init("seconds", .integer(Int64(seconds)))) }
    return .object(members)
  }
}

extension JSONValue {
  static func integer(_ integer: Int64) -> JSONValue { .number(String(integer)) }

  /// One text, or an array of several.
  static func names(_ names: [String]) -> JSONValue {
    names.count == 1 ? .string(names[0]) : .array(names.map { .string($0) })
  }

  fileprivate static func operands(_ operands: [OwnEvent.Operand]) -> JSONValue {
    .array(operands.map(\.canonical))
  }
}

extension JSONValue.Member {
  init(_ key: String, _ value: JSONValue) {
    self.init(key: key, value: value)
  }
}
