public import CatalogModel

/// The event `kind.described`: from here on the kind has this description.
public struct DescribedMoment: Hashable, Sendable {
  /// The version that the description has.
  public var version: Int64
  public var description: KindDescription
  /// The names that are others now, and those that exist no more. Empty for the first description of a log.
  public var moves: [Move]

  public init(_ description: KindDescription, moves: [Move] = []) {
    self.init(version: description.version, description: description, moves: moves)
  }

  init(version: Int64, description: KindDescription, moves: [Move]) {
    self.version = version
    self.description = description
    self.moves = moves
  }
}

extension DescribedMoment: PayloadObject {
  public static let payload = Payload(
    Member("version", \Self.version), Member("description", \.description),
    Member("moves", \.moves), make: Self.init)
}

/// The description is stored as its canonical JSON.
extension KindDescription: PayloadValue {
  public static var schema: JSONValue {
    .object([JSONValue.Member("type", .string("object"))])
  }

  public static func read(
    _ value: JSONValue
  ) throws(PayloadReader.Problem) -> KindDescription {
    do throws(DocumentError) {
      return try read(Array(value.description.utf8), file: "the description", isNew: false)
    } catch {
      throw PayloadReader.Problem(path: "", message: error.oneLine)
    }
  }

  public func write(to data: inout PayloadWriter) {
    data.write { $0.value(canonical) }
  }
}

/// A change of a name from one description to the next.
public enum Move: Hashable, Sendable {
  case renameTable(String, to: String)
  /// A column of a table, which has its new name here.
  case renameColumn(table: String, String, to: String)
  case dropTable(String)
  /// A column of a table, which has its new name here.
  case dropColumn(table: String, String)
}

extension Move: PayloadValue {
  public static var schema: JSONValue {
    .object([
      JSONValue.Member("type", .string("object")),
      JSONValue.Member(
        "properties",
        .object(
          ["table", "rename", "to", "drop"].map {
            JSONValue.Member($0, .object([JSONValue.Member("type", .string("string"))]))
          })),
    ])
  }

  public static func read(_ value: JSONValue) throws(PayloadReader.Problem) -> Move {
    var data = try PayloadReader(value, path: "")
    let table = try data.takeIfPresent("table").map(String.read)
    if let dropped = data.takeIfPresent("drop") {
      let name = try String.read(dropped)
      try data.finish()
      return table.map { .dropColumn(table: $0, name) } ?? .dropTable(name)
    }
    let name = try data.string("rename")
    let new = try data.string("to")
    try data.finish()
    return table.map { .renameColumn(table: $0, name, to: new) } ?? .renameTable(name, to: new)
  }

  public func write(to data: inout PayloadWriter) {
    data.object {
      switch self {
      case .renameTable(let name, let new):
        $0.string("rename", name)
        $0.string("to", new)
      case .renameColumn(let table, let name, let new):
        $0.string("table", table)
        $0.string("rename", name)
        $0.string("to", new)
      case .dropTable(let name): $0.string("drop", name)
      case .dropColumn(let table, let name):
        $0.string("table", table)
        $0.string("drop", name)
      }
    }
  }
}
