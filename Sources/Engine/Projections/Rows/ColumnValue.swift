public import CatalogModel

/// A Swift type whose values stand in a column.
///
/// Texts, whole numbers, numbers, truth values, ids, times and bytes do, each of them also as an optional, where the
/// column may be NULL. An enum of texts or numbers needs nothing but its name: `enum Condition: String, ColumnValue`.
public protocol ColumnValue: Sendable {
  static var columnType: ColumnType { get }
  /// Whether NULL is one of the values.
  static var isNullable: Bool { get }

  var columnValue: Value { get }

  /// - Returns: nil for what is no value of this type.
  init?(columnValue: Value)
}

extension ColumnValue {
  public static var isNullable: Bool { false }
}

extension String: ColumnValue {
  public static var columnType: ColumnType { .text }
  public var columnValue: Value { .text(self) }

  public init?(columnValue: Value) {
    guard case .text(let text) = columnValue else { return nil }
    self = text
  }
}

extension Int64: ColumnValue {
  public static var columnType: ColumnType { .integer }
  public var columnValue: Value { .integer(self) }

  public init?(columnValue: Value) {
    guard case .integer(let integer) = columnValue else { return nil }
    self = integer
  }
}

extension Int: ColumnValue {
  public static var columnType: ColumnType { .integer }
  public var columnValue: Value { .integer(Int64(self)) }

  public init?(columnValue: Value) {
    guard case .integer(let integer) = columnValue, let number = Int(exactly: integer) else {
      return nil
    }
    self = number
  }
}

/// 0 or 1.
extension Bool: ColumnValue {
  public static var columnType: ColumnType { .integer }
  public var columnValue: Value { .integer(self ? 1 : 0) }

  public init?(columnValue: Value) {
    switch columnValue {
    case .integer(0): self = false
    case .integer(1): self = true
    default: return nil
    }
  }
}

extension Double: ColumnValue {
  public static var columnType: ColumnType { .real }
  public var columnValue: Value { .real(self) }

  public init?(columnValue: Value) {
    guard case .real(let real) = columnValue else { return nil }
    self = real
  }
}

/// The text of a UUID in lower case.
extension EntityID: ColumnValue {
  public static var columnType: ColumnType { .id }
  public var columnValue: Value { .id(self) }

  public init?(columnValue: Value) {
    guard case .id(let id) = columnValue else { return nil }
    self = id
  }
}

/// A text: `2026-01-31T12:00:00.000Z`. Not part of what a catalog contains (`ColumnDescription.isTime`).
extension Timestamp: ColumnValue {
  public static var columnType: ColumnType { .time }
  public var columnValue: Value { .time(self) }

  public init?(columnValue: Value) {
    guard case .time(let time) = columnValue else { return nil }
    self = time
  }
}

/// Bytes.
extension [UInt8]: ColumnValue {
  public static var columnType: ColumnType { .blob }
  public var columnValue: Value { .blob(self) }

  public init?(columnValue: Value) {
    guard case .blob(let bytes) = columnValue else { return nil }
    self = bytes
  }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  public static var columnType: ColumnType { Wrapped.columnType }
  public static var isNullable: Bool { true }
  public var columnValue: Value { self?.columnValue ?? .null }

  public init?(columnValue: Value) {
    if case .null = columnValue {
      self = Optional.none
    } else if let wrapped = Wrapped(columnValue: columnValue) {
      self = Optional.some(wrapped)
    } else {
      return nil
    }
  }
}

extension ColumnValue where Self: RawRepresentable, RawValue: ColumnValue {
  public static var columnType: ColumnType { RawValue.columnType }
  public var columnValue: Value { rawValue.columnValue }

  public init?(columnValue: Value) {
    guard let raw = RawValue(columnValue: columnValue) else { return nil }
    self.init(rawValue: raw)
  }
}
