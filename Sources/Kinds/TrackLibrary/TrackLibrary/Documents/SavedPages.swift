import CatalogEngine

/// Which parts of longer lists a set of saved pages has: a page that is missing is listed.
struct SavedPages {
  private struct Page {
    var place: String
    var first: Int64
    var end: Int64
    var hasNext: Bool
  }

  private struct List {
    var pages: [Page] = []
    var total: Int64?
  }

  /// By the address of the list without the place in it.
  private var lists: [String: List] = [:]
  /// Last pages that do not say of which list they are.
  private var lastPages = 0

  // MARK: Answers

  /// Notes `offset`, `limit`, `total` and `next` of Spotify. Lists that go on by a cursor have no offset and no end, and
  /// a place that cannot be read says nothing.
  ///
  /// - Parameter key: names a list that has no address of its own.
  mutating func note(spotify page: JSONNode, key: String? = nil) {
    let href = try? page["href"]?.text()
    let place = (try? page["offset"]?.count()) ?? href.flatMap(Self.offset)
    let hasEnd = page["total"] != nil || page["next"] != nil
    guard let first = place ?? (hasEnd && page["cursors"] == nil ? 0 : nil) else { return }
    let count = Int64((try? page["items"]?.elements())?.count ?? 0)
    let next = try? page["next"]?.text()
    let limit = (try? page["limit"]?.count()) ?? 0
    let address = key ?? Self.name(of: next ?? href ?? "")
    var list = lists[address, default: List()]
    list.total = (try? page["total"]?.count()) ?? list.total
    list.pages.append(
      Page(
        place: page.place, first: first, end: first + (next == nil ? count : max(count, limit)),
        hasNext: next != nil))
    lists[address] = list
  }

  /// Notes `next` of Apple Music, which has the offset of the page after this one, and `href`, `meta.total`, if they are
  /// there.
  ///
  /// - Parameter isOfSongs: whether a page that names no list may be the last one of a list.
  mutating func note(apple page: JSONNode, isOfSongs: Bool) {
    let next = try? page["next"]?.text()
    let count = Int64((try? page["data"]?.elements())?.count ?? 0)
    let end = next.flatMap(Self.offset)
    let href = try? page["href"]?.text()
    guard let address = next ?? href,
      let first = end.map({ max(0, $0 - count) }) ?? href.flatMap(Self.offset)
    else {
      if isOfSongs { lastPages += 1 }
      return
    }
    var list = lists[Self.name(of: address), default: List()]
    list.total = (try? page["meta"]?["total"]?.count()) ?? list.total
    list.pages.append(
      Page(place: page.place, first: first, end: first + count, hasNext: next != nil))
    lists[Self.name(of: address)] = list
  }

  // MARK: What is missing

  var remarks: [DocumentRemark] {
    var remarks: [DocumentRemark] = []
    var lastPages = lastPages
    for (_, list) in lists.sorted(by: { $0.key < $1.key }) {
      let pages = list.pages.sorted { ($0.first, $0.end) < ($1.first, $1.end) }
      var end: Int64 = 0
      for page in pages {
        if page.first > end { remarks.append(Self.gap(page.place, end + 1, page.first)) }
        end = max(end, page.end)
      }
      guard let last = pages.last(where: { $0.end == end }) else { continue }
      if let total = list.total {
        if end < total { remarks.append(Self.gap(last.place, end + 1, total)) }
      } else if last.hasNext {
        if lastPages > 0 {
          lastPages -= 1
        } else {
          remarks.add(last.place, "the list continues after this page; the rest is missing")
        }
      }
    }
    return remarks
  }

  private static func gap(_ place: String, _ first: Int64, _ last: Int64) -> DocumentRemark {
    DocumentRemark(
      place: place,
      message: "the entries \(first) to \(last) of the list are on a page that is not here")
  }

  // MARK: Addresses

  /// An address without the place in the list and the size of its pages.
  static func name(of address: String) -> String {
    let parts = address.split(separator: "?", maxSplits: 1)
    guard parts.count == 2 else { return address }
    let query = parts[1].split(separator: "&")
      .filter { !$0.hasPrefix("offset=") && !$0.hasPrefix("limit=") }
    return parts[0] + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
  }

  /// The place at which the page of an address begins; nil if it says none.
  static func offset(of address: String) -> Int64? {
    let query = address.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    let offset = query.split(separator: "&").first { $0.hasPrefix("offset=") }
    return offset.flatMap { Int64($0.dropFirst(7)) }.flatMap {
      0...NumberRules.greatest ~= $0 ? $0 : nil
    }
  }
}
