public import CatalogModel

/// `dimension.value.added`: a vocabulary has a new value, with the id that it keeps for ever.
public struct DimensionValueAdded: Hashable, PayloadObject {
  public var dimension: TagDimension
  public var id: Int64
  public var name: String
  public var sortOrder: Int64?
  public var isSystem: Bool

  public static let payload = Payload(
    Member("dimension", \Self.dimension), Member("id", \.id, limit: .number),
    Member("name", \.name, limit: .name), Member("sortOrder", \.sortOrder, limit: .number),
    Member("isSystem", \.isSystem), make: Self.init)

  public init(
    dimension: TagDimension, id: Int64, name: String, sortOrder: Int64?, isSystem: Bool
  ) {
    self.dimension = dimension
    self.id = id
    self.name = name
    self.sortOrder = sortOrder
    self.isSystem = isSystem
  }
}

/// `dimension.value.ordered`: a value has another place in its vocabulary.
public struct DimensionValueOrdered: Hashable, PayloadObject {
  public var dimension: TagDimension
  public var id: Int64
  public var name: String
  public var sortOrder: Int64?

  public static let payload = Payload(
    Member("dimension", \Self.dimension), Member("id", \.id, limit: .number),
    Member("name", \.name, limit: .name), Member("sortOrder", \.sortOrder, limit: .number),
    make: Self.init)

  public init(dimension: TagDimension, id: Int64, name: String, sortOrder: Int64?) {
    self.dimension = dimension
    self.id = id
    self.name = name
    self.sortOrder = sortOrder
  }
}

/// `dimension.value.renamed`: a value has another name; its id stays, its old name becomes an alias.
public struct DimensionValueRenamed: Hashable, PayloadObject {
  public var dimension: TagDimension
  public var id: Int64
  /// Its name before.
  public var name: String
  public var newName: String

  public static let payload = Payload(
    Member("dimension", \Self.dimension), Member("id", \.id, limit: .number),
    Member("name", \.name, limit: .name), Member("newName", \.newName, limit: .name),
    make: Self.init)

  public init(dimension: TagDimension, id: Int64, name: String, newName: String) {
    self.dimension = dimension
    self.id = id
    self.name = name
    self.newName = newName
  }
}

/// `dimension.value.merged`: a value is gone, and another one takes its place.
public struct DimensionValueMerged: Hashable, PayloadObject {
  public var dimension: TagDimension
  public var id: Int64
  public var name: String
  public var into: Int64
  public var intoName: String

  public static let payload = Payload(
    Member("dimension", \Self.dimension), Member("id", \.id, limit: .number),
    Member("name", \.name, limit: .name), Member("into", \.into, limit: .number),
    Member("intoName", \.intoName, limit: .name), make: Self.init)

  public init(
    dimension: TagDimension, id: Int64, name: String, into: Int64, intoName: String
  ) {
    self.dimension = dimension
    self.id = id
    self.name = name
    self.into = into
    self.intoName = intoName
  }
}

/// `dimension.value.aliased`: another name that means the value from now on.
public struct DimensionValueAliased: Hashable, PayloadObject {
  public var dimension: TagDimension
  public var id: Int64
  public var name: String
  public var alias: String

  public static let payload = Payload(
    Member("dimension", \Self.dimension), Member("id", \.id, limit: .number),
    Member("name", \.name, limit: .name), Member("alias", \.alias, limit: .name),
    make: Self.init)

  public init(dimension: TagDimension, id: Int64, name: String, alias: String) {
    self.dimension = dimension
    self.id = id
    self.name = name
    self.alias = alias
  }
}
