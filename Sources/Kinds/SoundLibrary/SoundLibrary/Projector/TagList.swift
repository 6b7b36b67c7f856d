import CatalogModel
import LibC
import Projections
import Support

/// The values that one source gives one item, as `projection_tagging` holds them:
/// `location=3,7 mood=2`, dimensions in their order, ids ascending.
///
/// One row for each source of an item, not one for each value: a fifth of the rows, and one read finds all.
struct TagList: Equatable, Sendable {
  let tags: [ItemTag]

  static func text(of tags: some Sequence<ItemTag>) -> String {
    let tags = tags.sorted()
    return String(unsafeUninitializedCapacity: tags.count * longestTag) { text in
      var end = 0
      func add(_ byte: UInt8) {
        text[end] = byte
        end += 1
      }
      var last: TagDimension?
      for tag in tags {
        if tag.dimension == last {
          add(UInt8(ascii: ","))
        } else {
          if last != nil { add(UInt8(ascii: " ")) }
          for byte in TagDimension.tableBytes[tag.dimension.ordinal] { add(byte) }
          add(UInt8(ascii: "="))
          last = tag.dimension
        }
        if tag.value < 0 { add(UInt8(ascii: "-")) }
        let start = end
        var rest = tag.value.magnitude
        repeat {
          add(UInt8(ascii: "0") + UInt8(rest % 10))
          rest /= 10
        } while rest > 0
        text[start..<end].reverse()
      }
      return end
    }
  }

  /// Bytes of a tag at most: a table's name, two marks, and a number of 64 bits with its sign.
  private static let longestTag = (TagDimension.tableBytes.map(\.count).max() ?? 0) + 2 + 20

  /// The values of a row of `projection_tagging`.
  ///
  /// - Throws: `ProjectionError` with `drifted` where its text is none that `text(of:)` makes.
  static func tags(of row: [Value]) throws -> [ItemTag] {
    guard let list = TagList(columnValue: row[TaggingColumn.tags]) else {
      let number = Int64(columnValue: row[TaggingColumn.itemNumber]).map(String.init) ?? "?"
      throw ProjectionError(
        .drifted,
        "the tags of item number \(number) are not a list of tags in projection_tagging: "
          + .changedByHand)
    }
    return list.tags
  }

  /// The values that a text lists; nil if it is none that `text(of:)` makes.
  static func tags(in text: String) -> [ItemTag]? {
    var text = text
    var tags: [TagListReader.Tag] = []
    guard let count = text.withUTF8({ reader.read(UnsafeRawBufferPointer($0), into: &tags) })
    else { return nil }
    return tags[..<count].map { ItemTag(dimension: TagDimension.all[$0.dimension], value: $0.id) }
  }

  private static let reader = TagListReader()
}

extension TagList: ColumnValue {
  static var columnType: ColumnType { .text }
  var columnValue: Value { .text(Self.text(of: tags)) }

  /// - Returns: nil if the value lists no tags: a source that gives none has no row.
  init?(columnValue: Value) {
    guard case .text(let text) = columnValue, let tags = Self.tags(in: text), !tags.isEmpty else {
      return nil
    }
    self.tags = tags
  }
}

/// Reads texts of `TagList` from bytes, one after the other, into room that is used again: the first question to
/// an index reads all there are.
struct TagListReader: Sendable {
  /// The ordinal of the dimension and the id of a value.
  typealias Tag = (dimension: Int, id: Int64)

  /// What each dimension begins with in a list.
  private let beginnings = TagDimension.tableBytes.map { $0 + [UInt8(ascii: "=")] }
  /// Their lengths, and their first two bytes, which no two of them share.
  private let lengths: [Int]
  private let marks: [UInt16]

  init() {
    lengths = beginnings.map(\.count)
    marks = beginnings.map { UInt16($0[0]) << 8 | UInt16($0[1]) }
  }

  /// Reads a text into the beginning of an array, which grows where it is too short.
  ///
  /// - Returns: how many values the text lists; nil if the bytes are no list.
  func read(_ text: UnsafeRawBufferPointer, into tags: inout [Tag]) -> Int? {
    // More than there can be: a value takes two bytes, its mark among them. So nothing grows from value to value.
    if tags.count < text.count { tags = Array(repeating: (0, 0), count: text.count) }
    return tags.withUnsafeMutableBufferPointer { tags in
      var count = 0
      var place = 0
      while place < text.count {
        guard let dimension = dimension(in: text, at: place) else { return nil }
        place += lengths[dimension]
        while true {
          guard let id = Self.number(in: text, &place) else { return nil }
          tags[count] = (dimension, id)
          count += 1
          if place == text.count { return count }
          let mark = text[place]
          place += 1
          if mark == UInt8(ascii: " ") { break }
          if mark != UInt8(ascii: ",") { return nil }
        }
      }
      return text.isEmpty ? 0 : nil
    }
  }

  private func dimension(in text: UnsafeRawBufferPointer, at place: Int) -> Int? {
    guard text.count - place > 2, let base = text.baseAddress else { return nil }
    let mark = UInt16(text[place]) << 8 | UInt16(text[place + 1])
    guard let dimension = marks.firstIndex(of: mark), text.count - place > lengths[dimension],
      memcmp(base + place, beginnings[dimension], lengths[dimension]) == 0
    else { return nil }
    return dimension
  }

  private static func number(in text: UnsafeRawBufferPointer, _ place: inout Int) -> Int64? {
    var number: Int64 = 0
    // Ids are given from 1 on; an event may have any.
    let isNegative = place < text.count && text[place] == UInt8(ascii: "-")
    if isNegative { place += 1 }
    let start = place
    while place < text.count, case let digit = text[place] &- UInt8(ascii: "0"), digit < 10 {
      let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, isLarger) = tens.addingReportingOverflow(Int64(digit) * (isNegative ? -1 : 1))
      if isTooLarge || isLarger { return nil }
      number = sum
      place += 1
    }
    return place > start ? number : nil
  }
}
