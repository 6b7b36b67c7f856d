/// 128 bits that stand for the content of a row, or, added up, for that of many rows in any order.
///
/// It finds changes that somebody made by mistake or by hand. It is no proof against somebody who means to
/// deceive: receipts have SHA-256 for that.
package struct RowDigest: Hashable, Sendable {
  package var low: UInt64
  package var high: UInt64

  package static let zero = RowDigest(low: 0, high: 0)

  package init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// The digest of a row.
  ///
  /// Two lanes of 64 bits, each a chain of full products as in wyhash (<https://github.com/wangyi-fudan/wyhash>):
  /// a row of 100 bytes takes some 10 ns. Blocks are 16 bytes, the last one is filled up with zeros, and the
  /// length and the row id come before the first.
  ///
  /// - Parameters:
  ///   - record: the row as SQLite stores it.
  ///   - rowID: its row id, where that is a column of the table; else 0.
  @inline(__always)
  init(_ record: UnsafeRawBufferPointer, rowID: Int64) {
    var first = Self.mix(
      UInt64(record.count) ^ Self.secrets.0, UInt64(bitPattern: rowID) ^ Self.secrets.1)
    var second = Self.mix(UInt64(bitPattern: rowID) ^ Self.secrets.2, first ^ Self.secrets.3)
    var index = 0
    while index + 16 <= record.count {
      let left = UInt64(littleEndian: record.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      let right = UInt64(
        littleEndian: record.loadUnaligned(fromByteOffset: index + 8, as: UInt64.self))
      Self.add(left, right, &first, &second)
      index += 16
    }
    let rest = record.count - index
    if rest > 8 {
      let left = UInt64(littleEndian: record.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      Self.add(left, Self.number(record, index + 8, rest - 8), &first, &second)
    } else if rest > 0 {
      Self.add(Self.number(record, index, rest), 0, &first, &second)
    }
    low = first
    high = second
  }

  @inline(__always)
  private static func add(
    _ left: UInt64, _ right: UInt64, _ first: inout UInt64, _ second: inout UInt64
  ) {
    let next = mix(left ^ secrets.0, right ^ first)
    second = mix(right ^ secrets.2, left ^ second) &+ first
    first = next
  }

  @inline(__always)
  private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }

  /// Up to eight bytes as a little-endian number.
  @inline(__always)
  private static func number(
    _ record: UnsafeRawBufferPointer, _ start: Int, _ count: Int
  ) -> UInt64 {
    if record.count >= 8 {
      // The eight bytes that end where these do, without those before them.
      let bytes = UInt64(
        littleEndian: record.loadUnaligned(fromByteOffset: start + count - 8, as: UInt64.self))
      return bytes >> UInt64(8 * (8 - count))
    }
    var number: UInt64 = 0
    for place in 0..<count { number |= UInt64(record[start + place]) << UInt64(8 * place) }
    return number
  }

  /// Odd numbers without a pattern: the fractions of the square roots of 2, 3, 5 and 7. Computed, because a
  /// stored one is asked at each use whether it is made already.
  @inline(__always)
  private static var secrets: (UInt64, UInt64, UInt64, UInt64) {
    (0x6A09_E667_F3BC_C909, 0xBB67_AE85_84CA_A73B, 0x3C6E_F372_FE94_F82B, 0xA54F_F53A_5F1D_36F1)
  }

  package static func &+ (left: RowDigest, right: RowDigest) -> RowDigest {
    RowDigest(low: left.low &+ right.low, high: left.high &+ right.high)
  }

  package static func &- (left: RowDigest, right: RowDigest) -> RowDigest {
    RowDigest(low: left.low &- right.low, high: left.high &- right.high)
  }

  /// Low, then high, each little-endian.
  var bytes: [UInt8] {
    withUnsafeBytes(of: low.littleEndian, Array.init)
      + withUnsafeBytes(of: high.littleEndian, Array.init)
  }

  /// - Returns: nil if these are not 16 bytes.
  init?(_ bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count == 16 else { return nil }
    (low, high) = bytes.withUnsafeBytes {
      (
        UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)),
        UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
  }
}

/// How many rows there are, and the sum of their digests.
package struct RowSum: Hashable, Sendable {
  package var rows: Int64 = 0
  package var digest = RowDigest.zero

  package init(rows: Int64 = 0, digest: RowDigest = .zero) {
    self.rows = rows
    self.digest = digest
  }

  var isZero: Bool { rows == 0 && digest == .zero }

  @inline(__always)
  mutating func add(_ other: RowDigest) {
    rows &+= 1
    digest = digest &+ other
  }

  mutating func subtract(_ other: RowDigest) {
    rows &-= 1
    digest = digest &- other
  }

  mutating func add(_ other: RowSum) {
    rows &+= other.rows
    digest = digest &+ other.digest
  }
}
