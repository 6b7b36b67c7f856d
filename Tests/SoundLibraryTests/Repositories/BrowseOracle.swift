import CatalogModel
import CatalogTestSupport
import Foundation
import SoundLibraryTestSupport

@testable import CatalogStore
@testable import SoundLibrary

/// Answers the questions of the repositories from plain arrays and sets.
struct BrowseOracle {
  struct Item {
    /// As lists show it.
    let row: LibraryItemRow
    let title: Words
    let subtitle: Words
    let tags: Set<LibraryModel.Tag>

    var id: UUID { row.id }
    var kind: Kind { row.kind }
    var created: Timestamp { row.createdAt }
    var updated: Timestamp { row.updatedAt }
    var duration: Double? { row.duration }
    var availability: Availability { row.availability }
    /// What the catalog says without a look at the file.
    var recorded: Availability { availability == .fileMissing ? .available : availability }
  }

  /// A text by the words that a person may type for it, written down by hand for the texts that the
  /// generator makes.
  struct Words {
    let inOrder: [String]
    let others: [String]

    var all: [String] { inOrder + others }
    var key: String { inOrder.joined(separator: " ") }

    init(_ text: String) {
      var rest = text
      var number: [String] = []
      while let space = rest.lastIndex(of: " "), Int(rest[rest.index(after: space)...]) != nil {
        number.insert(String(rest[rest.index(after: space)...]), at: 0)
        rest = String(rest[..<space])
      }
      let known = Self.known[rest]
      inOrder = (known?.words ?? rest.split(separator: " ").map { $0.lowercased() }) + number
      others = known?.others ?? []
    }

    private static let known: [String: (words: [String], others: [String])] = [
      "Hero’s Journey": (["heros", "journey"], ["hero", "s"]),
      "O'Brien \"the\" \\ Tab\there": (["obrien", "the", "tab", "here"], ["o", "brien", "\\"]),
      "Überwald": (["uberwald"], []),
      "Straße": (["strasse"], []),
      "é": (["e"], []),
      "Robert'); DROP TABLE library_item;--": (
        ["robert", "drop", "table", "library", "item"], ["libraryitem"]
      ),
      "ﬁ": (["fi"], []),
      "\u{1}": ([], []),
    ]
  }

  /// Visible items.
  let items: [Item]
  let names: [LibraryModel.Tag: String]
  private let merged: [LibraryModel.Tag: Int64]

  init(_ model: LibraryModel, availability: [EntityID: Availability]) {
    items = model.items.keys.filter { !model.hidden.contains($0) }.map { id in
      let item = model.items[id]!
      return Item(
        row: LibraryItemRow(
          id: UUID(id), kind: item.kind, title: item.title, subtitle: item.subtitle,
          duration: item.duration, artworkURL: item.artworkURL, createdAt: model.born[id]!,
          updatedAt: model.updated[id]!,
          availability: item.kind == .music
            ? .requiresAppleMusic : availability[id] ?? .notDownloaded),
        title: Words(item.title), subtitle: Words(item.subtitle ?? ""), tags: model.shown(id))
    }
    var names: [LibraryModel.Tag: String] = [:]
    for (dimension, values) in model.values {
      for (id, value) in values {
        names[LibraryModel.Tag(dimension: dimension, id: id)] = value.name
      }
    }
    self.names = names
    merged = model.merged
  }

  // MARK: Filters

  func passes(
    _ item: Item, _ kind: Kind?, _ filters: Filters, without ignored: TagDimension? = nil,
    anyAvailability: Bool = false
  ) -> Bool {
    if let kind, item.kind != kind { return false }
    if !anyAvailability, !filters.availability.isEmpty,
      !filters.availability.contains(item.recorded)
    {
      return false
    }
    // Without a kind, any of the chosen themes will do, whosever they are.
    let themes = TagDimension.all.filter { $0.tagKey == "themes" }
    let chosenThemes = themes.flatMap { dimension in
      filters.included[dimension].map {
        LibraryModel.Tag(dimension: dimension, id: resolved($0, dimension))
      }
    }
    if kind == nil, !chosenThemes.isEmpty, item.tags.isDisjoint(with: chosenThemes) { return false }
    for dimension in TagDimension.all {
      let has = Set(item.tags.filter { $0.dimension == dimension }.map(\.id))
      let wanted = Set(filters.included[dimension].map { resolved($0, dimension) })
      let unwanted = Set(filters.excluded[dimension].map { resolved($0, dimension) })
      if kind == nil, dimension.tagKey == "themes" {
        if !has.isDisjoint(with: unwanted) { return false }
        continue
      }
      if dimension != ignored, !wanted.isEmpty, has.isDisjoint(with: wanted) { return false }
      if !has.isDisjoint(with: unwanted) { return false }
    }
    return true
  }

  private func resolved(_ id: Int64, _ dimension: TagDimension) -> Int64 {
    merged[LibraryModel.Tag(dimension: dimension, id: id)] ?? id
  }

  func list(_ kind: Kind, _ filters: Filters, _ sort: Sort) -> [Item] {
    items.filter { passes($0, kind, filters) }.sorted { left, right in
      let order: Int
      switch sort.key {
      case .title: order = compare(Array(left.title.key.utf8), Array(right.title.key.utf8))
      case .created: order = compare(left.created.description, right.created.description)
      case .updated: order = compare(left.updated.description, right.updated.description)
      case .duration:
        guard let a = left.duration, let b = right.duration else {
          if left.duration == nil, right.duration == nil { return isBefore(left.id, right.id) }
          return left.duration != nil
        }
        order = a < b ? -1 : a > b ? 1 : 0
      }
      if order == 0 { return isBefore(left.id, right.id) }
      return sort.isDescending ? order > 0 : order < 0
    }
  }

  // MARK: Facets

  func facets(
    _ kind: Kind, _ filters: Filters, _ mode: FacetMode, _ includingZero: Bool
  ) -> [String] {
    var lines: [String] = []
    for dimension in TagDimension.all(of: kind) {
      let counted = items.filter {
        passes($0, kind, filters, without: mode == .disjunctive ? dimension : nil)
      }
      let chosen = (filters.included[dimension] + filters.excluded[dimension])
        .map { resolved($0, dimension) }
      var facets: [(name: String, id: Int64, count: Int)] = []
      for (tag, name) in names where tag.dimension == dimension {
        let count = counted.count { $0.tags.contains(tag) }
        if count > 0 || includingZero || chosen.contains(tag.id) {
          facets.append((name, tag.id, count))
        }
      }
      facets.sort { left, right in
        left.count != right.count
          ? left.count > right.count : compare(Array(left.name.utf8), Array(right.name.utf8)) < 0
      }
      lines += facets.map { "\(dimension.key) \($0.id) \($0.name) \($0.count)" }
    }
    let counted = items.filter {
      passes($0, kind, filters, anyAvailability: mode == .disjunctive)
    }
    for availability in Availability.recorded(of: kind) {
      let count = counted.count { $0.recorded == availability }
      if count > 0 || includingZero || filters.availability.contains(availability) {
        lines.append("\(availability.rawValue) \(count)")
      }
    }
    return lines
  }

  // MARK: Search

  /// - Parameter words: single folded words.
  func search(_ kind: Kind?, _ words: [String], _ filters: Filters) -> [LibraryItemRow] {
    let query = words.joined(separator: " ")
    func found(_ word: String, _ isLast: Bool, in texts: [String]) -> Bool {
      texts.contains { isLast ? $0.utf8.starts(with: word.utf8) : $0 == word }
    }
    func all(in texts: [String]) -> Bool {
      words.enumerated().allSatisfy { found($1, $0 == words.count - 1, in: texts) }
    }
    func rank(_ item: Item) -> Int {
      if item.title.key == query { return 0 }
      if item.title.key.utf8.starts(with: query.utf8) { return 1 }
      return all(in: item.title.all) ? 2 : 3
    }
    return items.filter { item in
      let tags = item.tags.flatMap { names[$0].map { Words($0).all } ?? [] }
      return passes(item, kind, filters) && all(in: item.title.all + item.subtitle.all + tags)
    }.sorted { left, right in
      if rank(left) != rank(right) { return rank(left) < rank(right) }
      let order = compare(Array(left.title.key.utf8), Array(right.title.key.utf8))
      return order != 0 ? order < 0 : isBefore(left.id, right.id)
    }.map(\.row)
  }

  // MARK: Order

  private func compare(_ left: String, _ right: String) -> Int {
    left < right ? -1 : left > right ? 1 : 0
  }

  private func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left.lexicographicallyPrecedes(right) ? -1 : right.lexicographicallyPrecedes(left) ? 1 : 0
  }

  private func isBefore(_ left: UUID, _ right: UUID) -> Bool {
    left.uuidString < right.uuidString
  }
}
