import CatalogModel
import Projections

/// The members that a description takes from a document of JSON, as a tree.
struct JSONShape {
  /// A value of the document, or many in the same place.
  struct Node {
    var members: [(name: String, node: Int)] = []
    /// Each member of an object.
    var eachMember: Int?
    /// Each element of an array.
    var eachElement: Int?
    /// The columns that get the names of members, the places of elements, or a member of each element.
    var captures: [Capture] = []
    /// The targets whose rows are here.
    var rows: [Int] = []
    /// The cells of rows further up that are here.
    var cells: [(target: Int, place: Int)] = []
    /// The row that a member without a name in the description belongs to; nil outside of all rows.
    var owner: Int?
    /// The names from the owner's row to here.
    var ownerPath: [String] = []
    /// How the path to here is written.
    var text = ""
    /// Whether there is one value of this node in a document.
    var isSingle = true
    /// Whether it was named as a member of rows, and not as a way to some.
    var isLeaf: Bool { members.isEmpty && eachMember == nil && eachElement == nil }
  }

  enum Capture: Equatable {
    case name(String)
    case place(String)
    /// A column, and the members that lead to its value.
    case member(String, [String])
  }

  /// The rows of one table.
  struct Target {
    var rows: DocumentRows
    var parsers: [CellParser]
    var sources: [Source]
    /// Values for columns whose member is absent.
    var missing: [Value?]
    var path: RowsPath
    var node: Int
    var othersPlace: Int?
    var scope: [(place: Int, value: [UInt8])]
    var uniques: [Int]
  }

  enum Source: Equatable {
    /// A column of the path.
    case captured(String)
    /// A member of the row, or the row itself.
    case member(String)
    case others

    var isCaptured: Bool { if case .captured = self { true } else { false } }
  }

  private(set) var nodes: [Node] = [Node()]
  private(set) var targets: [Target] = []
  /// The node of the number that a document says it has of rows.
  private(set) var count: Int?

  static let root = 0

  /// - Throws: `DocumentError` if a path cannot be read.
  init(_ reader: TableDocumentReader, file: String) throws(DocumentError) {
    for (number, rows) in reader.rows.enumerated() {
      guard let table = reader.kind.table(rows.table) else {
        throw DocumentError(
          code: .invalidValue, file: file, value: "\"\(rows.table)\"", message: "is not a table",
          advice: NearMiss.advice(for: rows.table, among: reader.kind.tables.map(\.name)))
      }
      let path = try Self.path(rows.at ?? "[]", file: file)
      let node = place(path.steps, from: Self.root)
      nodes[node].rows.append(number)
      nodes[node].owner = number
      try add(rows, table, path, node, reader, file)
    }
    if let text = reader.document.count {
      count = place(try Self.path(text, file: file).steps, from: Self.root)
    }
    setOwners(Self.root, owner: nil, path: [], isSingle: true)
  }

  private static func path(_ text: String, file: String) throws(DocumentError) -> RowsPath {
    guard let path = RowsPath(text) else {
      throw DocumentError(
        code: .invalidValue, file: file, value: "\"\(JSONExcerpt.printable(text))\"",
        message: "is not a path", advice: RowsPath.advice)
    }
    return path
  }

  private mutating func add(
    _ rows: DescribedDocument.Rows, _ table: DescribedTable, _ path: RowsPath, _ node: Int,
    _ reader: TableDocumentReader, _ file: String
  ) throws(DocumentError) {
    let number = targets.count
    var sources: [Source] = []
    var missing: [Value?] = []
    let keeps = reader.document.others == .keep
    let columns = TableDocumentReader.columns(of: table).filter {
      keeps || $0.name != DescribedDocument.Others.column
    }
    let scope = try reader.scope(of: table, file: file)
    for (place, column) in columns.enumerated() {
      let stated = rows.columns.first { $0.column == column.name }
      if column.name == DescribedDocument.Others.column {
        sources.append(.others)
        missing.append(.null)
      } else if stated == nil, path.columns.contains(column.name) {
        sources.append(.captured(column.name))
        missing.append(nil)
      } else {
        let from = stated?.from ?? column.name
        sources.append(.member(from))
        let value = scope.first { $0.column == column.name }?.value ?? stated?.missing
        missing.append((value ?? column.absentValue).map(column.kept))
        // The name of a column is one name, even if it has a point.
        let steps = stated == nil ? [.member(from)] : try Self.path(from, file: file).steps
        guard steps.allSatisfy({ if case .member = $0 { true } else { false } }) else {
          throw DocumentError(
            code: .invalidValue, file: file, path: column.name,
            value: "\"\(JSONExcerpt.printable(from))\"",
            message: "leads to many values, and a column has one",
            advice: "give them a table of their own")
        }
        nodes[self.place(steps, from: node)].cells.append((number, place))
      }
    }
    // Members that are passed over are known.
    for column in table.columns where !column.isKept {
      let from = rows.columns.first { $0.column == column.name }?.from ?? column.name
      _ = place([.member(from)], from: node)
    }
    let options = CSVOptions()
    let keyCount = table.key == .wholeRow ? columns.count : table.keyColumns.count
    targets.append(
      Target(
        rows: DocumentRows(table, columns: columns, keyCount: keyCount),
        parsers: columns.map { CellParser($0, options, reader.request.words) }, sources: sources,
        missing: missing, path: path, node: node,
        othersPlace: sources.firstIndex(of: .others),
        scope: scope.compactMap { scope in
          columns.firstIndex { $0.name == scope.column }.map { place in
            var cell = RowBuffer()
            cell.append(scope.value)
            return (place, Array(cell.bytes))
          }
        },
        uniques: columns.indices.filter {
          columns[$0].isUnique && !(keyCount == 1 && $0 == 0)
        }))
  }

  /// The node at the end of some steps, which is added if it is new.
  private mutating func place(_ steps: [RowsPath.Step], from start: Int) -> Int {
    steps.reduce(start) { node, step in
      switch step {
      case .member(let name):
        if let known = nodes[node].members.first(where: { $0.name.hasBytes(of: name) }) {
          return known.node
        }
        nodes[node].members.append((name, nodes.count))
        return addNode(below: node, text: nodes[node].text.isEmpty ? name : ".\(name)")
      case .members(let column):
        let child =
          nodes[node].eachMember
          ?? addNode(below: node, text: nodes[node].text.isEmpty ? "{}" : ".{}")
        nodes[node].eachMember = child
        capture(.name(column), at: child)
        return child
      case .elements, .elementsByMembers, .elementsByPlace:
        let child = nodes[node].eachElement ?? addNode(below: node, text: "[]")
        nodes[node].eachElement = child
        if case .elementsByMembers(let columns) = step {
          for column in columns { capture(.member(column.column, column.member), at: child) }
        }
        if case .elementsByPlace(let column) = step { capture(.place(column), at: child) }
        return child
      }
    }
  }

  private mutating func capture(_ capture: Capture, at node: Int) {
    if !nodes[node].captures.contains(capture) { nodes[node].captures.append(capture) }
    // The member is known, also if the rows are further down.
    if case .member(_, let names) = capture { _ = place(names.map { .member($0) }, from: node) }
  }

  private mutating func addNode(below parent: Int, text: String) -> Int {
    nodes.append(Node())
    nodes[nodes.count - 1].text = nodes[parent].text + text
    return nodes.count - 1
  }

  private mutating func setOwners(_ node: Int, owner: Int?, path: [String], isSingle: Bool) {
    let own = nodes[node].rows.first
    nodes[node].owner = own ?? owner
    nodes[node].ownerPath = own == nil ? path : []
    nodes[node].isSingle = isSingle
    let (owner, path) = (nodes[node].owner, nodes[node].ownerPath)
    for (name, member) in nodes[node].members {
      setOwners(member, owner: owner, path: path + [name], isSingle: isSingle)
    }
    for each in [nodes[node].eachMember, nodes[node].eachElement].compactMap({ $0 }) {
      setOwners(each, owner: nil, path: [], isSingle: false)
    }
  }
}
