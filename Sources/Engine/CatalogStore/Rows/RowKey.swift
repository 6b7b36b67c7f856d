import CatalogModel
import Projections

/// Values of a key or of an index. They are equal where they are stored the same, and have SQLite's order: that of
/// their bytes for texts.
struct RowKey: Hashable, Comparable {
  // Most keys have one value or two: these need no memory of their own.
  private let first: Value
  private let second: Value
  private let others: [Value]
  private let count: Int

  init(_ values: [Value]) {
    first = values.first ?? .null
    second = values.count > 1 ? values[1] : .null
    others = values.count > 2 ? Array(values[2...]) : []
    count = values.count
  }

  var values: [Value] {
    switch count {
    case 0: []
    case 1: [first]
    default: [first, second] + others
    }
  }

  static func == (left: RowKey, right: RowKey) -> Bool {
    left.count == right.count && isSame(left.second, right.second)
      && isSame(left.first, right.first)
      && (left.count <= 2
        || zip(left.others, right.others).allSatisfy { $0 == $1 })
  }

  @inline(__always)
  private static func isSame(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let left), .integer(let right)): left == right
    case (.id(let left), .id(let right)): left.high == right.high && left.low == right.low
    default: left == right
    }
  }

  static func < (left: RowKey, right: RowKey) -> Bool {
    if !isSame(left.first, right.first) { return isLess(left.first, right.first) }
    if !isSame(left.second, right.second) { return isLess(left.second, right.second) }
    for (left, right) in zip(left.others, right.others) where left != right {
      return isLess(left, right)
    }
    return left.count < right.count
  }

  /// A column holds values of one type; NULL comes first.
  private static func isLess(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): left < right
    case (.id(let left), .id(let right)): left < right
    case (.text(let left), .text(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
    case (.time(let left), .time(let right)): left < right
    case (.real(let left), .real(let right)): left < right
    case (.blob(let left), .blob(let right)): left.lexicographicallyPrecedes(right)
    case (.null, _): true
    default: false
    }
  }

  /// The beginning of the first value as a number: that of a lesser value is less, or the same.
  var start: UInt64 { Self.start(first) }

  /// The same of the second value.
  var secondStart: UInt64 { Self.start(second) }

  func hasSameFirst(_ other: RowKey) -> Bool { Self.isSame(first, other.first) }

  private static func start(_ value: Value) -> UInt64 {
    switch value {
    case .integer(let integer): UInt64(bitPattern: integer) ^ 1 << 63
    case .id(let id): id.high
    case .text(let text):
      text.utf8.prefix(8).enumerated()
        .reduce(0) { $0 | UInt64($1.element) << (56 - 8 * UInt64($1.offset)) }
    case .null, .real, .time, .blob: 0
    }
  }

  func hash(into hasher: inout Hasher) {
    Self.combine(first, &hasher)
    if count > 1 { Self.combine(second, &hasher) }
    for value in others { Self.combine(value, &hasher) }
  }

  @inline(__always)
  private static func combine(_ value: Value, _ hasher: inout Hasher) {
    switch value {
    case .null: hasher.combine(0)
    case .integer(let integer): hasher.combine(integer)
    case .real(let real): hasher.combine(real.bitPattern)
    case .text(var text): text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .id(let id):
      hasher.combine(id.high)
      hasher.combine(id.low)
    case .time(let time): hasher.combine(time)
    case .blob(let blob): hasher.combine(blob)
    }
  }
}
