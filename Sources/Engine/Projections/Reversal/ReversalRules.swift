/// Describes of a kind's rows what the engine has to know to bring some cells back and leave the others right.
public struct ReversalRules: Sendable {
  /// Columns of a table.
  public struct Columns: Sendable {
    package let table: TableDescription
    package let places: [Int]
    /// Values before theirs, so that they agree with those of a table that names this one in a column: `mood` and 7.
    package let prefix: [Value]
    /// Whether the rows that agree are a list, of which no row is changed without the others.
    package let isList: Bool

    /// - Parameters:
    ///   - columns: their names.
    ///   - isList: whether the rows that agree are a list that another program makes as a whole: no row of it is changed
    ///     without the others. A list of members that a person may change is an `OrderedList`.
    public init(
      _ table: TableDescription, _ columns: [String], after prefix: [Value] = [],
      isList: Bool = false
    ) {
      self.table = table
      self.prefix = prefix
      self.isList = isList
      places = columns.map { table.place(of: $0) }
    }

    package func values(of row: [Value]) -> [Value] { prefix + places.map { row[$0] } }
  }

  /// A table whose rows are the members of lists, each with its place.
  ///
  /// A revert takes out what the operation added, puts back what it removed beside the members that were its neighbours, and
  /// moves back what it moved, unless a later event moved it. Other members stay in their order.
  public struct OrderedList: Sendable {
    package let table: TableDescription
    /// The columns that name the list.
    package let list: [Int]
    /// The columns that name the member.
    package let member: [Int]
    /// The column of the place.
    package let place: Int
    /// The place of the first member.
    package let start: Int64

    /// - Parameters:
    ///   - list: the names of the columns that name the list.
    ///   - members: the names of the columns that name the member; it may be in a list twice if they are not in the key.
    ///   - place: the name of the column with the place.
    ///   - start: the place of the first member.
    public init(
      _ table: TableDescription, of list: [String], members: [String], place: String,
      from start: Int64 = 0
    ) {
      self.table = table
      self.list = list.map { table.place(of: $0) }
      member = members.map { table.place(of: $0) }
      self.place = table.place(of: place)
      self.start = start
    }
  }

  /// A column whose value is a set.
  public struct SetColumn: Sendable {
    package let table: TableDescription
    package let column: Int
    /// The members of a value; nil if it is not a set.
    package let members: @Sendable (Value) -> Set<String>?
    /// The value that has some members, at least one.
    package let value: @Sendable (Set<String>) -> Value
    /// The table in which people see a member.
    package let shownIn: @Sendable (String) -> String?
    /// Whether the row is there without members, too: the column is NULL then.
    package let isOfRow: Bool
    /// Finds the member that a member was united with; nil if members are never united.
    package var union: MemberUnion?

    /// - Parameters:
    ///   - members: the members of a value; nil if it is not a set.
    ///   - value: the value that has some members, at least one.
    ///   - isOfRow: whether the set is one cell of a row that is there without members, too: it is NULL then. Else a row without
    ///     members does not exist.
    ///   - shownIn: the name of the table in which people see a member; nil if it is this one.
    public init(
      _ table: TableDescription, _ column: String, isOfRow: Bool = false,
      members: @escaping @Sendable (Value) -> Set<String>?,
      value: @escaping @Sendable (Set<String>) -> Value,
      shownIn: @escaping @Sendable (String) -> String? = { _ in nil }
    ) {
      self.table = table
      self.column = table.place(of: column)
      self.members = members
      self.value = value
      self.shownIn = shownIn
      self.isOfRow = isOfRow
    }
  }

  /// A table that says of each member of sets with which other one it was united. The sets have the other one since.
  package struct MemberUnion: Sendable {
    /// The columns that identify a member.
    package let members: Columns
    /// The column of the other member.
    package let other: Int
    /// The values by which a member is identified.
    package let identity: @Sendable (String) -> [Value]
    /// The other member, by a row of the table; nil if the row's member was united with none.
    package let united: @Sendable ([Value]) -> String?

    package init(
      _ members: Columns, other: String, identity: @escaping @Sendable (String) -> [Value],
      united: @escaping @Sendable ([Value]) -> String?
    ) {
      (self.members, self.identity, self.united) = (members, identity, united)
      self.other = members.table.place(of: other)
    }
  }

  /// A number that identifies a row as long as the row exists: a row that comes back may get another number, and its old one
  /// may be another row's.
  public struct Surrogate: Sendable {
    /// The key column with the number.
    package let number: Columns
    /// The columns that say which row it is.
    package let identity: Columns
    /// The columns of other tables that have the number.
    package let uses: [Columns]

    /// - Parameters:
    ///   - number: the only column of the key.
    ///   - identity: columns of the same table that say which row it is, whatever its number.
    ///   - uses: one column each, of other tables, that has the number.
    public init(_ number: Columns, identity: Columns, uses: [Columns] = []) {
      precondition(number.places == number.table.key, "a surrogate is the key of its table")
      self.number = number
      self.identity = identity
      self.uses = uses
    }
  }

  /// Numbers that people know by names, and that another row may have once a row is removed: a row that is added with the
  /// name of a removed one is that row again.
  package struct ReusedNumbers: Sendable {
    /// A column whose text has such numbers.
    package struct Text: Sendable {
      package let table: TableDescription
      package let column: Int
      /// Gives each number in a text another one, by its table.
      package let renumbered:
        @Sendable (Value, _ number: (TableDescription, Int64) -> Int64) -> Value

      package init(
        _ table: TableDescription, _ column: String,
        renumbered:
          @escaping @Sendable (Value, _ number: (TableDescription, Int64) -> Int64) -> Value
      ) {
        self.table = table
        self.column = table.place(of: column)
        self.renumbered = renumbered
      }
    }

    /// The only column of the key of each table, after the values by which the uses name the table, and the column of the name.
    package let rows: [(number: Columns, name: Int)]
    /// The row that keeps a number from others. A merged value has it still.
    package let keeper: Columns
    /// The index of the keeper's columns.
    package let keeperIndex: Int
    /// Columns of other tables that have a number last, and before it the values that name its table.
    package let uses: [Columns]
    package let texts: [Text]

    /// - Parameters:
    ///   - name: the column with the name, which is unique.
    ///   - keeper: columns that an index has.
    package init(
      _ numbers: [Columns], name: String, keeper: Columns, uses: [Columns], texts: [Text]
    ) {
      rows = numbers.map { ($0, $0.table.place(of: name)) }
      let index = keeper.table.indexes.firstIndex { $0.columns == keeper.places }
      guard let index else {
        preconditionFailure("no index of the columns of \(keeper.table.name)")
      }
      (self.keeper, keeperIndex, self.uses, self.texts) = (keeper, index, uses, texts)
    }
  }

  /// The rows that people see in the place of a row of the kind's own.
  public struct SeenRows: Sendable {
    package let table: TableDescription
    package let rows: @Sendable ([Value]) -> [(table: TableDescription, key: [Value])]

    /// - Parameters:
    ///   - table: one of the kind's own.
    ///   - rows: finds the tables and keys of the rows that a row is seen as. A column with the number of a `Surrogate` has the
    ///     identity of that row instead, if this is of one column.
    public init(
      _ table: TableDescription,
      as rows: @escaping @Sendable ([Value]) -> [(table: TableDescription, key: [Value])]
    ) {
      (self.table, self.rows) = (table, rows)
    }

    /// - Parameters:
    ///   - seen: the table that people see.
    ///   - columns: the names of the columns whose values are its key.
    public init(_ table: TableDescription, as seen: TableDescription, by columns: [String]) {
      let places = columns.map { table.place(of: $0) }
      self.init(table) { row in [(seen, places.map { row[$0] })] }
    }
  }

  /// Tables whose rows follow from those of other tables. No event holds them: when a kind applies `rows.restored`, it makes
  /// them.
  public var derived: [TableDescription]
  /// Columns that the kind sets itself when it applies `rows.restored`, since they follow from others. It may also keep a row
  /// of such a table that would be removed.
  public var settled: [Columns]
  /// Columns of one table that are right only together, such as a path and its status: they are brought back together or not
  /// at all.
  public var together: [Columns]
  /// Rows that come and go together: those that agree in the columns of one bundle. If an operation changed these columns
  /// themselves, all rows of the bundle are brought back or none.
  public var bundles: [[Columns]]
  /// Columns that decide what the other rows of a bundle mean: if an operation changed one, all rows of the bundle are brought
  /// back or none, as the names that led to a value.
  public var deciding: [Columns]
  /// Tables of members of lists.
  public var lists: [OrderedList]
  /// Columns whose values are sets.
  public var sets: [SetColumn]
  /// Numbers that identify rows.
  public var surrogates: [Surrogate]
  /// Columns that have the SHA-256 of a document which was imported. A row that a later import changed stays, and is no
  /// conflict.
  public var documents: [Columns]
  /// Columns that refer to a row by other means than the schema says: a row that is referred to is not removed.
  public var references: [(from: Columns, to: Columns)]
  /// The rows that people see in the place of those of the kind's own: a row that stays is listed as they know it, and a part of an operation is
  /// chosen by the tables that they know.
  public var seen: [SeenRows] = []
  /// Columns of two tables that never have the same values: what is a song is no other name of one.
  public var exclusions: [(Columns, Columns)]
  /// The rows that a row of a table refers to by a text, such as a list of ids. It is not put back without them.
  package var mentions: [(table: TableDescription, rows: Mentioned)] = []
  /// Numbers that people know by names.
  package var reusedNumbers: ReusedNumbers?

  /// Tables and keys of the rows that a row refers to.
  package typealias Mentioned = @Sendable ([Value]) -> [(table: TableDescription, key: [Value])]

  public init(
    derived: [TableDescription] = [], settled: [Columns] = [], together: [Columns] = [],
    bundles: [[Columns]] = [], deciding: [Columns] = [], lists: [OrderedList] = [],
    sets: [SetColumn] = [],
    surrogates: [Surrogate] = [], references: [(from: Columns, to: Columns)] = [],
    documents: [Columns] = [], exclusions: [(Columns, Columns)] = []
  ) {
    self.derived = derived
    self.settled = settled
    self.together = together
    self.bundles = bundles
    self.deciding = deciding
    self.lists = lists
    self.sets = sets
    self.surrogates = surrogates
    self.references = references
    self.documents = documents
    self.exclusions = exclusions
  }
}

extension ReversalRules.Columns {
  /// - Parameter columns: their names.
  public init(_ table: TypedTable<some Sendable>, _ columns: String...) {
    self.init(table.description, columns)
  }
}

extension ReversalRules.SeenRows {
  /// - Parameters:
  ///   - table: one of the kind's own.
  ///   - seen: the table that people see.
  ///   - columns: the names of the columns whose values are its key.
  public init(
    _ table: TypedTable<some Sendable>, as seen: TypedTable<some Sendable>, by columns: String...
  ) {
    self.init(table.description, as: seen.description, by: columns)
  }
}

extension TableDescription {
  /// The place of a column that the program names; an unknown one ends the process.
  fileprivate func place(of column: String) -> Int {
    guard let place = index(of: column) else {
      preconditionFailure("no column \(column) in \(name)")
    }
    return place
  }
}
