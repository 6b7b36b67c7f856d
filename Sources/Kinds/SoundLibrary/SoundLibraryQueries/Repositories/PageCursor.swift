import CatalogModel
import CatalogStore
import Foundation
import Hashing
import Recoveries
import SoundLibraryKind

/// Where a page of a list ended: the next one begins behind it.
///
/// A keyset, not an offset: items that come or go meanwhile shift nothing. It belongs to the list that
/// gave it (kind, filters, sort, query) and is refused by every other one.
public struct PageCursor: Hashable, Sendable, CustomStringConvertible {
  /// The key of the last item in the list's order.
  struct Position: Hashable, Codable {
    /// Rank of a search; nil elsewhere.
    var rank: Int?
    /// Nil where the key is a number, or longer than a cursor may be: then it is the item's.
    var text: String?
    /// Nil for an item without a duration.
    var number: Double?
    var id: String
  }

  let list: String
  let position: Position

  init(list: String, position: Position) {
    self.list = list
    self.position = position
  }

  private struct Payload: Codable {
    var list: String
    var position: Position
  }

  /// Reads what `description` wrote.
  ///
  /// - Throws: `StoreError` with `malformedCursor` for anything else.
  public init(_ text: String) throws {
    guard let json = CursorText.decode(text, checksum: Self.checksum),
      let payload = try? JSONDecoder().decode(Payload.self, from: Data(json)),
      EntityID(payload.position.id) != nil
    else {
      throw StoreError(
        .malformedCursor,
        "this cursor is not from a page of this catalog, or was changed; start again without one")
    }
    list = payload.list
    position = payload.position
  }

  /// Text that a command line and an address can carry.
  public var description: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    guard let json = try? encoder.encode(Payload(list: list, position: position)) else {
      preconditionFailure("strings and finite numbers can always be encoded")
    }
    return CursorText.encode(Array(json), checksum: Self.checksum)
  }

  private static func checksum(_ json: [UInt8]) -> String {
    Hex.string(SHA256.hash(data: json).prefix(6))
  }

  /// - Throws: `StoreError` with `cursorOfAnotherList`, which says in what the lists differ.
  func require(_ expected: ListIdentity) throws {
    let own = list.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    for (index, part) in expected.parts.enumerated()
    where own.count != expected.parts.count || own[index] != part.value {
      let value = own.count == expected.parts.count ? own[index] : "another"
      let detail =
        part.isShown ? " (\(JSONExcerpt.printable(value)) instead of \(part.value))" : ""
      throw StoreError(
        .cursorOfAnotherList,
        "the cursor belongs to a list with another \(part.name)\(detail); start again without one")
    }
  }
}

/// What makes a list the one that a cursor belongs to.
struct ListIdentity {
  struct Part {
    var name: String
    var value: String
    /// Whether a message may show the value, or it is only a digest.
    var isShown: Bool
  }

  let parts: [Part]

  var text: String { parts.map(\.value).joined(separator: "|") }

  init(kind: Kind?, sort: Sort?, filters: Filters, query: String?) {
    parts = [
      Part(name: "kind", value: kind?.rawValue ?? "any", isShown: true),
      Part(
        name: "sort",
        value: sort.map { $0.key.rawValue + ($0.isDescending ? " descending" : "") } ?? "rank",
        isShown: true),
      Part(name: "filter", value: Self.digest(filters), isShown: false),
      Part(name: "query", value: query.map(Self.digest) ?? "none", isShown: false),
    ]
  }

  private static func digest(_ text: String) -> String {
    Hex.string(SHA256.hash(data: Array(text.utf8)).prefix(8))
  }

  /// The same for the same ids in any order.
  private static func digest(_ filters: Filters) -> String {
    let ids = [filters.included, filters.excluded].map { selection in
      TagDimension.all.map { dimension in
        Set(selection[dimension]).sorted().map(String.init).joined(separator: ",")
      }.joined(separator: ";")
    }
    let availability = filters.availability.map(\.rawValue).sorted().joined(separator: ",")
    return digest((ids + [availability]).joined(separator: "/"))
  }
}
