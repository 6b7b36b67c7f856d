import CatalogEngine
import CatalogStore

/// Rows of a table without a key that have the same values.
struct EqualRows {
  let row: [StoredValue]
  var count: Int
  /// Whether the table surely has no more of them.
  var areAll: Bool
}

/// Finds the removed and the added rows of a table without a key that are one row before and after a change.
///
/// A row of the database can have values that the catalog does not have. They stay only if the row is updated, and not removed and added
/// again.
struct RowPairing {
  /// The places in the lists of removed and of added rows.
  let pairs: [(before: Int, after: Int)]

  /// The most comparisons of two values, so that a script is not sought for hours.
  private static let limit = 40_000_000

  /// - Parameter places: the columns that are compared.
  /// - Throws: `CatalogError` with `changeRefused` if more than one row could be meant.
  init(
    _ removed: [EqualRows], _ added: [EqualRows], _ places: [Int], in origin: TableOrigin
  ) throws(CatalogError) {
    guard origin.addedKey == nil || removed.allSatisfy(\.areAll) else {
      throw Self.refused(origin)
    }
    guard !removed.isEmpty, !added.isEmpty else {
      pairs = []
      return
    }
    guard removed.count == added.count, removed.count * added.count * places.count <= Self.limit
    else {
      throw Self.refused(origin)
    }
    func likeness(_ before: Int, _ after: Int) -> Int {
      places.count { removed[before].row[$0] == added[after].row[$0] }
    }
    func nearest(_ candidates: Range<Int>, _ likeness: (Int) -> Int) -> Int? {
      let likenesses = candidates.map(likeness)
      guard let most = likenesses.max(), most > 0, likenesses.count(where: { $0 == most }) == 1
      else { return nil }
      return likenesses.firstIndex(of: most)
    }
    var found: [(before: Int, after: Int)] = []
    for before in removed.indices {
      guard let after = nearest(added.indices, { likeness(before, $0) }),
        nearest(removed.indices, { likeness($0, after) }) == before,
        removed[before].count == added[after].count
      else { throw Self.refused(origin) }
      found.append((before, after))
    }
    pairs = found
  }

  private static func refused(_ origin: TableOrigin) -> CatalogError {
    CatalogError(
      .changeRefused,
      "the rows of \(origin.name) have no key, and their values of \(origin.missingWords) are not known here: SQL cannot find the row that a changed one was, and would lose these values; change the rows by hand, or choose other tables with --table"
    )
  }
}

extension TableOrigin {
  /// The columns whose values the rows do not have, for a sentence.
  var missingWords: String {
    (missing + (canHaveMore ? ["other columns"] : [])).joined(separator: ", ")
  }
}
