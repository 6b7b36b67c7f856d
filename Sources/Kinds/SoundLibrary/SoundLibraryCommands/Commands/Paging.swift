import ArgumentParser
import CatalogStore
import EngineCommands
import Foundation
import SoundLibrary

/// Which part of a list to show.
struct PageOptions: ParsableArguments {
  @Option(name: .long, help: ArgumentHelp("List at most this many items.", valueName: "n"))
  var limit: Int?

  @Option(
    name: .long,
    help: ArgumentHelp("Continue after the page that printed this cursor.", valueName: "cursor"))
  var after: String?

  init() {}

  func validate() throws {
    try OptionBounds.requireCount(limit, "--limit")
  }

  func cursor() throws -> KeysetCursor? {
    try after.map { try KeysetCursor($0) }
  }
}

extension Console {
  /// Writes a page of items, one a line, and on standard error how many there are.
  func write(_ page: ItemPage, showsKind: Bool = false) {
    for item in page.items { write(item.line(showsKind: showsKind)) }
    var summary =
      page.items.count == page.total
      ? Count.of(page.total, "item")
      : "\(Count.grouped(page.items.count)) of \(Count.of(page.total, "item"))"
    if let next = page.next { summary += "; the next page: --after \(next)" }
    error(summary)
  }
}

extension LibraryItemRow {
  var lowercaseID: String { id.uuidString.lowercased() }

  fileprivate func line(showsKind: Bool) -> String {
    let kind = showsKind ? "\(kind.rawValue)  " : ""
    return "\(lowercaseID)  \(kind)\(title)" + (subtitle.map { "  \($0)" } ?? "")
  }
}

/// A page as JSON.
struct PageJSON: Encodable {
  let total: Int
  let items: [ItemJSON]
  let next: String?

  init(_ page: ItemPage) {
    total = page.total
    items = page.items.map(ItemJSON.init)
    next = page.next?.description
  }
}

/// An item as lists show it, as JSON.
struct ItemJSON: Encodable {
  let id: String
  let kind: String
  let title: String
  let subtitle: String?
  let duration: Double?
  let artworkUrl: String?
  let createdAt: String
  let updatedAt: String
  let availability: String

  init(_ row: LibraryItemRow) {
    id = row.lowercaseID
    kind = row.kind.rawValue
    title = row.title
    subtitle = row.subtitle
    duration = row.duration
    artworkUrl = row.artworkURL
    createdAt = row.createdAt.description
    updatedAt = row.updatedAt.description
    availability = row.availability.rawValue
  }
}
