import CatalogEngine
import CatalogModel
import CatalogTestSupport
import KindConformance
import Projections
import Promises
import SoundLibraryTestSupport
import Testing

@testable import SoundLibrary

/// Reverts of random operations of generated libraries, each held against a plain model of the rows.
@Suite(
  .promise(
    "A revert restores the cells that only the operation wrote, and no other",
    by: "random operations of generated sound libraries, compared with a plain model; on a "
      + "real kind"))
struct RevertHistoryTests {
  @Test(arguments: Sample.reverts(RevertLength(seed: 1, batches: 35, reverts: 20)))
  func anyOperationsAreTakenBack(_ length: RevertLength) async throws {
    var generator = HistoryGenerator(seed: length.seed)
    let batches = generator.batches(length.batches).map { batch in
      batch.map(\.event).filter { if case .catalogCreated = $0 { false } else { true } }
    }
    let trial = try RevertTrial(SoundLibraryKind()) { Self.finding($0) }
    let finding = try trial.run(batches, reverts: length.reverts, seed: length.seed)
    #expect(finding == nil, "\(finding ?? "")")
    let reducer = try Program(
      "python3", "Tools/reducer.py", trial.directory.events, trial.directory.database,
      in: ScratchFolder.repository)
    #expect(reducer.status == 0, "\(reducer.output)\(reducer.errors)")
  }

  /// The first thing in the rows that no log makes; nil if there is none.
  static func finding(_ rows: NamedRows) -> String? {
    let items = rows["library_item"]
    for kind in ["music", "atmosphere", "sfx"] {
      let visible = items.filter { $0["kind"] == .text(kind) && $0["is_visible"] == .integer(1) }
      let counts = rows["projection_kind"].filter { $0["kind"] == .text(kind) }
      guard counts.first?["visible"] ?? .integer(0) == .integer(Int64(visible.count)) else {
        return "\(visible.count) items of \(kind) are visible: \(counts)"
      }
    }
    let own = rows.values("projection_item", "item_id", "kind", "is_visible")
    guard Set(own) == Set(rows.values("library_item", "id", "kind", "is_visible")) else {
      return "projection_item has other items"
    }
    func differ(_ left: [[Value]], _ right: [[Value]], _ words: String) -> String? {
      Set(left) == Set(right) && left.count == right.count ? nil : "\(words) have other rows"
    }
    return differ(
      rows.values("projection_item", "number"), rows.values("projection_item_text", "number"),
      "texts")
      ?? differ(rows.values("pack", "id"), rows.values("pack_state", "pack_id"), "states of packs")
      ?? differ(rows.values("pack", "id"), rows.values("projection_pack", "pack_id"), "packs")
      ?? differ(
        rows.values("music_track_cache", "track_id"), rows.values("projection_track", "track_id"),
        "tracks")
      ?? rows.gap("pack_item", "sort_order", in: "pack_id")
      ?? rows.gap("playlist_track", "position", in: "playlist_id", "snapshot_at")
      ?? tags(rows)
  }

  /// The join tables are the union of what sources give, less what a person suppressed.
  private static func tags(_ rows: NamedRows) -> String? {
    let items = Dictionary(
      uniqueKeysWithValues: rows.values("projection_item", "number", "item_id").map {
        ($0[0], $0[1])
      })
    let suppressed = Set(
      rows.values("projection_suppression", "item_number", "dimension", "value_id"))
    var given: Set<[Value]> = []
    for row in rows.values("projection_tagging", "item_number", "tags") {
      guard case .text(let text) = row[1], let item = items[row[0]] else {
        return "a tagging of no item: \(row)"
      }
      for part in text.split(separator: " ") {
        let dimension = Value.text(String(part.prefix { $0 != "=" }))
        for number in part.drop(while: { $0 != "=" }).dropFirst().split(separator: ",") {
          let value = Value.integer(Int64(number) ?? 0)
          if !suppressed.contains([row[0], dimension, value]) {
            given.insert([dimension, item, value])
          }
        }
      }
    }
    for dimension in TagDimension.all {
      let shown = Set(rows.values(dimension.joinTable, "item_id", dimension.joinColumn))
      let wanted = Set(
        given.filter { $0[0] == .text(dimension.table) }.map { Array($0.dropFirst()) })
      guard shown == wanted else {
        return "\(dimension.joinTable) is no union: \(shown.symmetricDifference(wanted))"
      }
      let values = Set(rows.values(dimension.table, "id"))
      guard wanted.allSatisfy({ values.contains([$0[1]]) }) else {
        return "a tag of \(dimension.key) is no value"
      }
      let names = Set(rows.values(dimension.table, "name"))
      let aliases = rows["projection_alias"].filter { $0["dimension"] == .text(dimension.table) }
      if let alias = aliases.first(where: { names.contains([$0["name"] ?? .null]) }) {
        return "a value and an alias have one name: \(alias)"
      }
      let known = Set(
        rows["projection_value"].filter {
          $0["dimension"] == .text(dimension.table) && $0["merged_into"] == .null
        }.map { [$0["value_id"] ?? .null] })
      guard known == values else { return "projection_value has other values of \(dimension.key)" }
    }
    return nil
  }
}
