public import Projections

/// A column of a described table.
public struct DescribedColumn: Hashable, Sendable {
  /// The fate of a row that refers to a removed row.
  public enum ReferenceAction: String, CaseIterable, Sendable {
    /// The change is refused.
    case refuse
    /// The row is removed, too.
    case remove
    /// The row stays, and refers to no row.
    case keep
  }

  /// A column whose value is the key of a row of another table.
  public struct Reference: Hashable, Sendable {
    public var table: String
    public var gone: ReferenceAction

    public init(_ table: String, gone: ReferenceAction = .refuse) {
      self.table = table
      self.gone = gone
    }
  }

  /// The effect that a new value in a document has.
  public enum Attention: String, CaseIterable, Sendable {
    /// A new value is a change like any other.
    case full
    /// The value is kept, but a row in which nothing else is new stays as it is.
    case alone
    /// The value is not kept: the column has no place in the table.
    case none
  }

  /// The unit of a whole number that counts from the beginning of 1970.
  public enum UnixTime: String, CaseIterable, Sendable {
    case seconds = "unix-s"
    case milliseconds = "unix-ms"
  }

  public var name: String
  /// The name in the description before this one, if it was another.
  public var was: String?
  public var type: DescribedType
  /// Whether a row may have NULL here.
  public var isOptional: Bool
  /// The value of a row that comes without one; nil if such a row is NULL here, or refused if it may not be.
  public var standard: Value?
  public var isUnique: Bool
  /// Whether the column says what a row is called.
  public var isName: Bool
  public var reference: Reference?
  public var attention: Attention
  /// The unit of an integer that is a time; nil if the column is not a time.
  public var unixTime: UnixTime?

  public init(
    _ name: String, _ type: DescribedType, optional isOptional: Bool = false, was: String? = nil,
    default standard: Value? = nil, unique isUnique: Bool = false, isName: Bool = false,
    refers reference: Reference? = nil, attention: Attention = .full, unixTime: UnixTime? = nil
  ) {
    self.name = name
    self.was = was
    self.type = type
    self.isOptional = isOptional
    self.standard = standard
    self.isUnique = isUnique
    self.isName = isName
    self.reference = reference
    self.attention = attention
    self.unixTime = unixTime
  }

  /// The value of a row that comes without one; nil if a row may not come without one.
  public var absentValue: Value? { standard ?? (isOptional ? .null : nil) }

  /// Whether the table has the column.
  public var isKept: Bool { attention != .none }
}
