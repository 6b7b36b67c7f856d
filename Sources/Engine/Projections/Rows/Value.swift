public import CatalogModel

/// One value of a row.
///
/// `id` and `time` stand for text in SQLite: the lower-case UUID and the 24 characters of a time.
public enum Value: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case id(EntityID)
  case time(Timestamp)
  case blob([UInt8])

  public static func text(_ text: String?) -> Value {
    text.map { Value.text($0) } ?? .null
  }

  public static func integer(_ integer: Int64?) -> Value {
    integer.map { Value.integer($0) } ?? .null
  }

  public static func real(_ real: Double?) -> Value {
    real.map { Value.real($0) } ?? .null
  }

  public static func blob(_ bytes: [UInt8]?) -> Value {
    bytes.map { Value.blob($0) } ?? .null
  }

  public static func flag(_ flag: Bool) -> Value {
    .integer(flag ? 1 : 0)
  }

  /// Whether both are stored the same: texts are compared by their bytes, as SQLite does, where `==` holds
  /// canonically equivalent ones equal, and numbers by their bits.
  public func isStored(as other: Value) -> Bool {
    switch (self, other) {
    case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
    case (.real(let left), .real(let right)): left.bitPattern == right.bitPattern
    default: self == other
    }
  }
}
