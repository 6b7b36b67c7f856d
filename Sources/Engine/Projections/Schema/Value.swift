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

  /// Whether SQLite stores both the same: texts by their bytes, unlike `String`, for which canonically equivalent ones
  /// are equal, and numbers by their bits.
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left.bitPattern == right.bitPattern
    case (.text(let left), .text(let right)): left.hasBytes(of: right)
    case (.id(let left), .id(let right)): left == right
    case (.time(let left), .time(let right)): left == right
    case (.blob(let left), .blob(let right)): left == right
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .integer(let integer): hasher.combine(integer)
    case .real(let real): hasher.combine(real.bitPattern)
    case .text(let text): text.hashBytes(into: &hasher)
    case .id(let id): hasher.combine(id)
    case .time(let time): hasher.combine(time)
    case .blob(let bytes): hasher.combine(bytes)
    }
  }
}
