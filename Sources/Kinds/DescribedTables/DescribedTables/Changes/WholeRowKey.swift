import CatalogModel
import CatalogStore
import Projections
import Support

/// The hidden keys of a table whose key is the whole row: a hash of the values, and the number among equal rows.
struct WholeRowKey {
  /// How many digits of the hash a key has, before the number.
  static let digits = 24

  /// The key of a row.
  ///
  /// - Parameters:
  ///   - values: in the order of the description.
  ///   - number: among the rows that are equal, from 1.
  static func key(of values: [Value], number: Int) -> Value {
    key(after: .text(Hex.string(digest(of: values).prefix(digits / 2))), number: number)
  }

  /// Whether the number of a key is less than that of another, of equal rows.
  static func isBefore(_ key: Value, _ other: Value) -> Bool {
    guard case .text(let one) = key, case .text(let two) = other else { return false }
    let (left, right) = (one.utf8, two.utf8)
    return left.count == right.count
      ? left.lexicographicallyPrecedes(right) : left.count < right.count
  }

  /// A hash that is the same for the same values.
  static func digest(of values: [Value]) -> [UInt8] {
    var hash = SHA256()
    for value in values { hash.update(data: value.packedForHash) }
    return Array(hash.finalize())
  }

  /// The number among equal rows that a key has.
  static func number(in key: StoredValue) -> Int {
    guard case .text(let text) = key, let dot = text.firstIndex(of: ".") else { return 1 }
    return Int(text[text.index(after: dot)...]) ?? 1
  }

  /// The key of a row.
  ///
  /// - Parameter first: the key of the first of the rows that are equal to it.
  static func key(after first: Value, number: Int) -> Value {
    guard number > 1, case .text(let digits) = first else { return first }
    return .text("\(digits).\(number)")
  }
}

extension Value {
  /// Bytes that differ if the values do, also one after the other.
  fileprivate var packedForHash: [UInt8] {
    func counted(_ kind: UInt8, _ bytes: some Collection<UInt8>) -> [UInt8] {
      [kind] + Array(String(bytes.count).utf8) + [0] + bytes
    }
    switch self {
    case .null: return [0, 0]
    case .integer(let integer): return counted(1, String(integer).utf8)
    case .real(let real): return counted(2, String(real.bitPattern).utf8)
    case .text(let text): return counted(3, text.utf8)
    case .id(let id): return counted(4, id.description.utf8)
    case .time(let time): return counted(3, time.description.utf8)
    case .blob(let bytes): return counted(5, bytes)
    }
  }
}
