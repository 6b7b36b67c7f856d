import ArgumentParser
import CatalogStore
import EngineCommands
import Foundation
import SoundLibrary

/// Which part of a list to show.
struct PageOptions: ParsableArguments {
  @Option(
    name: [.long, .customShort("n")],
    help: ArgumentHelp("List at most this many items.", valueName: "n"))
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
    note(summary)
  }
}

extension LibraryItemRow {
  var lowercaseID: String { id.uuidString.lowercased() }

  fileprivate func line(showsKind: Bool) -> String {
    let kind = showsKind ? "\(kind.rawValue)  " : ""
    return "\(lowercaseID)  \(kind)\(title)" + (subtitle.map { "  \($0)" } ?? "")
  }

  var json: JSONObject {
    [
      "id": lowercaseID, "kind": kind.rawValue, "title": title, "subtitle": subtitle,
      "duration": duration, "artworkUrl": artworkURL, "createdAt": createdAt.description,
      "updatedAt": updatedAt.description, "availability": availability.rawValue,
    ]
  }
}

extension ItemPage {
  var json: JSONObject {
    ["total": total, "items": items.map(\.json), "next": next?.description]
  }
}
