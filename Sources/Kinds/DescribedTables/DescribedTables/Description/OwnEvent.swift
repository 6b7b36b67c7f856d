public import CatalogModel

/// An event of a described kind's own: what it holds, what must be true before it, and what it does.
///
/// It has no expressions and no loops: each step names rows by members of the event and by literals.
public struct OwnEvent: Hashable, Sendable {
  /// A member of the event's payload.
  public struct Member: Hashable, Sendable {
    public var name: String
    public var type: DescribedType
    public var isOptional: Bool

    public init(_ name: String, _ type: DescribedType, optional isOptional: Bool = false) {
      self.name = name
      self.type = type
      self.isOptional = isOptional
    }
  }

  /// A value in a step or a condition.
  public enum Operand: Hashable, Sendable {
    /// `$sku`
    case member(String)
    /// `@at`: the time of the event.
    case time
    /// `@by`: who did it.
    case author
    /// `@sequence`: its number in the log.
    case sequence
    case literal(JSONValue)
  }

  /// A test of a column's value.
  public enum Test: Hashable, Sendable {
    /// One of these values.
    case among([Operand])
    case not(Operand)
    case atLeast(Operand)
    case atMost(Operand)
  }

  /// A value for a column.
  public struct Cell: Hashable, Sendable {
    public var column: String
    public var value: Operand

    public init(_ column: String, _ value: Operand) {
      self.column = column
      self.value = value
    }
  }

  /// A condition, which is checked before the first step.
  public struct Need: Hashable, Sendable {
    /// A test of a column.
    public struct ColumnTest: Hashable, Sendable {
      public var column: String
      public var test: Test

      public init(_ column: String, _ test: Test) {
        self.column = column
        self.test = test
      }
    }

    public var table: String
    /// Whether there must be a row with the key that passes the tests; if not, there must be none.
    public var exists: Bool
    /// In the order of the table's key.
    public var key: [Operand]
    public var tests: [ColumnTest]
    /// The sentence for an event that does not meet the condition. `{sku}` is a member of the event, and `{row.name}` a
    /// column of the row.
    public var otherwise: String

    public init(
      _ table: String, exists: Bool = true, key: [Operand], tests: [ColumnTest] = [],
      otherwise: String
    ) {
      self.table = table
      self.exists = exists
      self.key = key
      self.tests = tests
      self.otherwise = otherwise
    }
  }

  /// A change of rows.
  public enum Step: Hashable, Sendable {
    /// Inserts a row, or replaces the one with its key.
    case put(table: String, row: [Cell])
    /// Inserts a row, or sets the named columns of the one with its key.
    case merge(table: String, row: [Cell])
    /// Sets columns of a row that exists.
    case set(table: String, key: [Operand], cells: [Cell])
    /// Adds numbers to columns of a row that exists.
    case add(table: String, key: [Operand], cells: [Cell])
    /// Removes the row with a key, if there is one.
    case remove(table: String, key: [Operand])
    /// Removes all rows with some values in the columns of an index.
    case removeAll(table: String, cells: [Cell])

    public var table: String {
      switch self {
      case .put(let table, _), .merge(let table, _), .set(let table, _, _), .add(let table, _, _),
        .remove(let table, _),
        .removeAll(let table, _):
        table
      }
    }
  }

  public var name: String
  public var members: [Member]
  public var needs: [Need]
  public var steps: [Step]

  public init(_ name: String, members: [Member], needs: [Need] = [], steps: [Step]) {
    self.name = name
    self.members = members
    self.needs = needs
    self.steps = steps
  }

  /// The member of a name; nil if there is none.
  public func member(_ name: String) -> Member? {
    members.first { $0.name == name }
  }
}
