import CatalogModel
import Projections

/// Counts the rows in which nothing but times are new, each a later one: a program noted that it saw the rows.
struct LaterTimes {
  /// The values of more rows are not looked at: what they change is enough.
  private static let looked = 4_096

  private(set) var rows = 0
  private(set) var places: Set<Int> = []
  /// Columns with values that are not times.
  private var others: Set<Int> = []

  /// A cell before and after.
  typealias Change = (place: Int, old: UnsafeRawBufferPointer, new: UnsafeRawBufferPointer)

  /// Adds the cells of a row that are new.
  mutating func add(_ changes: [Change]) {
    guard !changes.contains(where: { others.contains($0.place) }) else { return }
    if rows < Self.looked {
      for change in changes {
        guard let old = Self.time(change.old), let new = Self.time(change.new) else {
          // No time was noted before the first one.
          if change.old.first != DocumentCell.null { others.insert(change.place) }
          return
        }
        guard old < new else { return }
      }
    }
    rows += 1
    places.formUnion(changes.map(\.place))
  }

  /// The time in a packed cell as a number; nil if it is not a time. Numbers count seconds, or smaller units, since 1970.
  private static func time(_ cell: UnsafeRawBufferPointer) -> Double? {
    guard var pointer = cell.baseAddress else { return nil }
    switch DocumentCell.read(&pointer) {
    case .time(let time): return Double(time.milliseconds)
    case .text(let bytes):
      guard bytes.count >= 10, bytes.count <= 40 else { return nil }
      let time = Timestamp(utf8: bytes) ?? .typed(String(decoding: bytes, as: UTF8.self))
      return time.map { Double($0.milliseconds) }
    case .integer(let integer): return unixTime(Double(integer))
    case .real(let real): return unixTime(real)
    case .null, .blob, .id: return nil
    }
  }

  /// A number that is a time from 2001 to 2100, in seconds, thousandths or millionths of them.
  private static func unixTime(_ number: Double) -> Double? {
    [1, 1e3, 1e6].contains { (1e9..<4.1e9).contains(number / $0) } ? number : nil
  }
}
