import Support

/// A column, and the property of a row's type that it holds.
///
/// The property's type says what the column holds and whether it may be NULL.
public struct Field<Row, Cell: ColumnValue>: Sendable {
  let column: ColumnDescription
  let property: any KeyPath<Row, Cell> & Sendable

  /// - Parameters:
  ///   - unique: whether no two rows may have the same value; NULL is the same as nothing.
  ///   - isTime: whether it says when something happened, in another form than `Timestamp`.
  ///   - isChangeStamp: whether each event that writes the row sets it to its time, as `updated_at`.
  ///   - isName: whether it says what a row is called: commands that show changes of rows show it beside ids.
  ///   - names: the table whose row it names by the key, if `references` does not say so. SQLite does not learn of it.
  ///   - standard: for who adds rows by hand; a projector gives every column.
  ///   - check: an SQL expression that must not be false.
  ///   - reference: the row of another table that it names.
  ///   - sql: what is to follow the name in `CREATE TABLE`, word for word, where a schema is prescribed
  ///     (`ColumnDescription`).
  public init(
    _ name: String, _ property: any KeyPath<Row, Cell> & Sendable, unique: Bool = false,
    isTime: Bool = false, isChangeStamp: Bool = false, isName: Bool = false, names: String? = nil,
    default standard: ColumnDefault? = nil, check: String? = nil,
    references reference: ForeignKey? = nil, sql: String? = nil
  ) {
    column = ColumnDescription(
      name, Cell.columnType, nullable: Cell.isNullable, unique: unique, isTime: isTime,
      isChangeStamp: isChangeStamp, isName: isName, names: names, default: standard, check: check,
      references: reference, sql: sql)
    self.property = property
  }

  /// Takes the cell out of a row.
  var cell: @Sendable (Row) -> Value {
    let property = property
    return { $0[keyPath: property].columnValue }
  }

  /// Sets the property to the next cell of a row.
  fileprivate var setter: @Sendable (inout Row, inout CellReader) throws -> Void {
    guard let property = SettableProperty(property) else {
      preconditionFailure("the property of \(column.name) cannot be set")
    }
    return { row, cells in row[keyPath: property.path] = try cells.next(Cell.self) }
  }
}

/// A property that can be set. A cast to the type of such key paths forgets that this one may cross threads.
private struct SettableProperty<Row, Cell>: @unchecked Sendable {
  let path: WritableKeyPath<Row, Cell>

  init?(_ property: any KeyPath<Row, Cell> & Sendable) {
    guard let path = property as? WritableKeyPath<Row, Cell> else { return nil }
    self.path = path
  }
}

/// A table, described once as a Swift type: its SQL, and how a row becomes a value of the type and back.
///
/// ```swift
/// struct Book {
///   var id: EntityID
///   var title: String
///   var reader: String?
///
///   static let table = TypedTable(
///     "book", key: ["id"],
///     Field("id", \Book.id), Field("title", \Book.title), Field("reader", \Book.reader),
///     make: Book.init)
/// }
/// ```
///
/// The fields stand in the order in which `make` takes them. A type with many columns is described with `empty` instead, and its
/// properties are set one by one: no initialiser has to list them all. A table belongs to one schema.
public final class TypedTable<Row: Sendable>: Sendable {
  public let description: TableDescription
  /// What each column holds of a row. A call a column: to walk over fields of many types asks the runtime for each of
  /// the types, a row at a time.
  private let cells: [@Sendable (Row) -> Value]
  private let make: @Sendable ([Value]) throws -> Row
  private let properties: [any AnyKeyPath & Sendable]

  /// - Parameters:
  ///   - key: the names of the key's columns.
  ///   - storage: how SQLite keeps the rows; nil for row ids where the key is one column, else none.
  ///   - indexes: ways to find rows other than by the key. `RowStore.rows` takes each of them, and nothing else.
  ///   - isOfOneLog: whether the rows name operations of their log, which no other log has. Receipts do not count them as
  ///     content.
  ///   - make: makes a row of its fields, in their order: `Book.init`.
  public init<each Cell: ColumnValue>(
    _ name: String, key: [String], storage: TableStorage? = nil,
    constraints: [TableConstraint] = [], indexes: [TableIndex] = [], isOfOneLog: Bool = false,
    _ fields: repeat Field<Row, each Cell>,
    make: @escaping @Sendable (repeat each Cell) -> Row
  ) {
    (description, properties, cells) = Self.described(
      name, key, storage, constraints, indexes, isOfOneLog, repeat each fields)
    self.make = { [description] cells in
      var reader = CellReader(description, cells)
      return make(repeat try reader.next((each Cell).self))
    }
  }

  /// A table of rows that are made by setting one property after the other.
  ///
  /// ```swift
  /// static let table = TypedTable(
  ///   "book", key: ["id"], Field("id", \Book.id), Field("title", \Book.title),
  ///   empty: { Book(id: .zero, title: "") })
  /// ```
  ///
  /// - Parameters:
  ///   - fields: each names a property that can be set.
  ///   - empty: makes a row of which every described property is set afterwards.
  public init<each Cell: ColumnValue>(
    _ name: String, key: [String], storage: TableStorage? = nil,
    constraints: [TableConstraint] = [], indexes: [TableIndex] = [], isOfOneLog: Bool = false,
    _ fields: repeat Field<Row, each Cell>,
    empty: @escaping @Sendable () -> Row
  ) {
    (description, properties, cells) = Self.described(
      name, key, storage, constraints, indexes, isOfOneLog, repeat each fields)
    var setters: [@Sendable (inout Row, inout CellReader) throws -> Void] = []
    for field in repeat each fields { setters.append(field.setter) }
    self.make = { [description, setters] cells in
      var reader = CellReader(description, cells)
      var row = empty()
      for set in setters { try set(&row, &reader) }
      return row
    }
  }

  private static func described<each Cell: ColumnValue>(
    _ name: String, _ key: [String], _ storage: TableStorage?, _ constraints: [TableConstraint],
    _ indexes: [TableIndex], _ isOfOneLog: Bool, _ fields: repeat Field<Row, each Cell>
  ) -> (TableDescription, [any AnyKeyPath & Sendable], [@Sendable (Row) -> Value]) {
    var columns: [ColumnDescription] = []
    var properties: [any AnyKeyPath & Sendable] = []
    var cells: [@Sendable (Row) -> Value] = []
    for field in repeat each fields {
      columns.append(field.column)
      properties.append(field.property)
      cells.append(field.cell)
    }
    let description = TableDescription(
      name, columns: columns, key: key, storage: storage, constraints: constraints,
      indexes: indexes, rowNumber: nil, isOfOneLog: isOfOneLog,
      isReadable: { cells in
        var place = 0
        for cell in repeat (each Cell).self {
          guard place < cells.count, cell.init(columnValue: cells[place]) != nil else {
            return false
          }
          place += 1
        }
        return true
      })
    return (description, properties, cells)
  }

  /// The shape of a list whose rows have all columns of another shape, and more after them. No schema has it.
  ///
  /// ```swift
  /// static let shape = TypedTable(
  ///   "loan", Book.table, in: \Loan.book, Field("since", \Loan.since), make: Loan.init)
  /// ```
  ///
  /// - Parameters:
  ///   - name: the table that an error names.
  ///   - base: the other shape, whose key the rows have.
  ///   - part: the property that has its columns.
  public init<Base, each Cell: ColumnValue>(
    _ name: String, _ base: TypedTable<Base>, in part: any KeyPath<Row, Base> & Sendable,
    _ fields: repeat Field<Row, each Cell>,
    make: @escaping @Sendable (Base, repeat each Cell) -> Row
  ) {
    let shared = base.description.columns
    var columns = shared
    var cells: [@Sendable (Row) -> Value] = base.cells.map { cell in
      { cell($0[keyPath: part]) }
    }
    for field in repeat each fields {
      columns.append(field.column)
      cells.append(field.cell)
    }
    let description = TableDescription(
      name, columns: columns, key: base.description.key.map { shared[$0].name })
    self.description = description
    self.cells = cells
    properties = []
    self.make = { cells in
      var reader = CellReader(description, cells, from: shared.count)
      return make(
        try base.make(Array(cells.prefix(shared.count))),
        repeat try reader.next((each Cell).self))
    }
  }

  /// The name in SQL.
  public var name: String { description.name }

  func values(_ row: Row) -> [Value] { cells.map { $0(row) } }

  /// The row that values in column order make.
  ///
  /// - Throws: `ProjectionError` with `drifted` if a cell is not what its column holds.
  public func row(_ values: [Value]) throws -> Row { try make(values) }

  /// The index that finds rows by these properties.
  func index(by wanted: [AnyKeyPath]) throws -> IndexReference {
    let places = try wanted.map { path in
      guard let place = properties.firstIndex(where: { $0 == path }) else {
        throw ProjectionError(
          .invalidRow, "\(name) has no field for a property that is searched for")
      }
      return place
    }
    guard let ordinal = description.indexes.firstIndex(where: { $0.columns == places }) else {
      let names = places.map { description.columns[$0].name }.joined(separator: ", ")
      throw ProjectionError(.invalidRow, "\(name) has no index of \(names); describe one")
    }
    return IndexReference(table: description, ordinal: ordinal)
  }
}

/// Takes the cells of a row one after another as values of Swift types.
private struct CellReader {
  private let description: TableDescription
  private let cells: [Value]
  private var place: Int

  init(_ description: TableDescription, _ cells: [Value], from place: Int = 0) {
    self.description = description
    self.cells = cells
    self.place = place
  }

  mutating func next<Next: ColumnValue>(_: Next.Type) throws -> Next {
    defer { place += 1 }
    guard place < cells.count, let value = Next(columnValue: cells[place]) else {
      throw ProjectionError(
        .drifted,
        "a row of \(description.name) has no value of its column in "
          + "\(description.columns[place].name)")
    }
    return value
  }
}

extension RowStore {
  /// The row with this key; nil if there is none.
  public func row<Row>(of table: TypedTable<Row>, key: any ColumnValue...) throws -> Row? {
    try requireOwn(table.description)
    return try row(in: table.description, key: key.map(\.columnValue)).map(table.row)
  }

  /// Inserts the row, or replaces the one with the same key.
  ///
  /// - Throws: `ProjectionError` with `invalidRow` if a value does not fit its column, with `duplicate` where
  ///   another row has the same in a column that is unique. Nothing has changed then.
  public func put<Row>(_ row: Row, in table: TypedTable<Row>) throws {
    try requireOwn(table.description)
    try put(table.values(row), in: table.description)
  }

  /// Removes the row with this key. Whether there is one does not matter.
  public func remove<Row>(of table: TypedTable<Row>, key: any ColumnValue...) throws {
    try requireOwn(table.description)
    try remove(key: key.map(\.columnValue), from: table.description)
  }

  /// All rows with this value of a property that an index of the table, or its key, begins and ends with; in key order.
  public func rows<Row, Cell: ColumnValue>(
    of table: TypedTable<Row>, where property: KeyPath<Row, Cell>, is value: Cell
  ) throws -> [Row] {
    try requireOwn(table.description)
    return try rows(by: table.index(by: [property]), equal: [value.columnValue]).map(table.row)
  }

  /// All rows, in key order. Each call reads all of them: for what concerns the whole table.
  public func rows<Row>(of table: TypedTable<Row>) throws -> [Row] {
    try requireOwn(table.description)
    return try rows(in: table.description).map(table.row)
  }

  private func requireOwn(_ table: TableDescription) throws {
    guard !holds(table) else { return }
    throw ProjectionError(
      .invalidRow, "the schema of this kind does not have the table \(table.name)")
  }
}

extension Schema {
  /// A schema of these tables.
  public init<each Row>(_ tables: repeat TypedTable<each Row>) {
    self.init()
    for table in repeat each tables { add(table.description) }
  }
}
