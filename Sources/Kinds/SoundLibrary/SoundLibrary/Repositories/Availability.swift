import CatalogModel
import GRDB
import Projections

/// Whether an item can be played here and now.
public enum Availability: String, CaseIterable, Hashable, Sendable {
  /// Music: played by Apple Music, which may ask for authorization or a subscription.
  case requiresAppleMusic
  /// The audio file lies in the catalog's folder.
  case available
  /// Shown locked until its pack is downloaded.
  case notDownloaded
  /// The catalog says that the file was downloaded, and it is not there: the pack can be repaired.
  /// Known of items that are handed out alone: filters and facets go by what the catalog says.
  case fileMissing

  /// What an item of a kind can be.
  public static func all(of kind: Kind) -> [Availability] {
    switch kind {
    case .music: [.requiresAppleMusic]
    case .atmosphere, .sfx: [.available, .notDownloaded, .fileMissing]
    }
  }

  /// What the catalog says of items of a kind, without a look at files: what can be filtered by.
  public static func recorded(of kind: Kind) -> [Availability] {
    all(of: kind).filter { $0 != .fileMissing }
  }

  /// The availability of `item`, a row of `library_item`, as an SQL expression that looks at its file.
  static let sql = sql(
    installed:
      "CASE WHEN \(LocalFiles.function.name)(asset.local_path) THEN 'available' ELSE 'fileMissing' END"
  )

  /// The same as the rows have it.
  static let recordedSQL = sql(installed: "'available'")

  private static func sql(installed: String) -> String {
    """
    CASE WHEN item.kind = 'music' THEN 'requiresAppleMusic' ELSE coalesce((
      SELECT CASE WHEN asset.local_path IS NULL THEN 'notDownloaded' ELSE \(installed) END
      FROM item_local_audio AS audio JOIN local_asset AS asset ON asset.id = audio.asset_id
      WHERE audio.item_id = item.id), 'notDownloaded') END
    """
  }
}
