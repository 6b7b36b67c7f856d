package import CatalogModel

/// The values that one source gives one item, as `projection_tagging` holds them:
/// `location=3,7 mood=2`, dimensions in their order, ids ascending.
///
/// One row for each source of an item, not one for each value: a fifth of the rows, and one read finds all.
package enum TagList {
  package static func text(of tags: some Sequence<ItemTag>) -> String {
    var text = ""
    var last: TagDimension?
    for tag in tags.sorted() {
      if tag.dimension == last {
        text += ","
      } else {
        last = tag.dimension
        if !text.isEmpty { text += " " }
        text += tag.dimension.table + "="
      }
      text += String(tag.value)
    }
    return text
  }

  /// The values of a row's text; nil where it is none that `text(of:)` makes.
  package static func tags(in value: Value) -> [ItemTag]? {
    guard case .text(var text) = value else { return nil }
    var tags: [ItemTag] = []
    let isList = text.withUTF8 { utf8 in
      forEachTag(in: UnsafeRawBufferPointer(utf8)) { dimension, id in
        tags.append(ItemTag(dimension: dimension, value: id))
      }
    }
    return isList ? tags : nil
  }

  /// The same for bytes in memory, without making anything of them.
  ///
  /// - Returns: false where the bytes are no list; some of it may have been handed over then.
  package static func forEachTag(
    in text: UnsafeRawBufferPointer, _ body: (TagDimension, Int64) -> Void
  ) -> Bool {
    var place = 0
    while place < text.count {
      guard
        let dimension = TagDimension.all.first(where: { dimension in
          let name = tableBytes[dimension.ordinal]
          return text.count - place > name.count
            && UnsafeRawBufferPointer(rebasing: text[place..<place + name.count])
              .elementsEqual(name)
        })
      else { return false }
      place += tableBytes[dimension.ordinal].count
      repeat {
        var id: Int64 = 0
        var digits = 0
        while place < text.count, case let digit = text[place] &- UInt8(ascii: "0"), digit < 10 {
          let (tens, isTooLarge) = id.multipliedReportingOverflow(by: 10)
          let (sum, isLarger) = tens.addingReportingOverflow(Int64(digit))
          if isTooLarge || isLarger { return false }
          id = sum
          digits += 1
          place += 1
        }
        if digits == 0 { return false }
        body(dimension, id)
        place += 1
      } while place <= text.count && text[place - 1] == UInt8(ascii: ",")
      if place <= text.count, text[place - 1] != UInt8(ascii: " ") { return false }
    }
    return true
  }

  /// The names of tables with what follows them.
  private static let tableBytes = TagDimension.all.map { Array("\($0.table)=".utf8) }
}
