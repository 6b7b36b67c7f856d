package import CatalogModel
import Projections

extension EventRecord {
  /// What in the event goes beyond what any release wrote; nil if nothing does.
  ///
  /// A log that was written by hand may hold such an event. No projector carries it out (docs/EVENTS.md,
  /// "What changes nothing"): numbers below zero, texts of many megabytes and paths that lead out of the
  /// catalog's folder reach no row. What is written today has narrower bounds: `unwritable`.
  package var excess: String? {
    if let excess = EventLimits.source(by, "by") { return excess }
    return switch event {
    case .itemUpserted(let data): data.excess
    case .itemTagsSet(let data): EventLimits.source(data.source, "source") ?? data.tags.excess
    case .catalogCreated, .itemVisibilityChanged, .packItemsSet, .packDownloadCancelled,
      .packDeleted:
      nil
    case .reversal(let reversal): reversal.excess
    case .seedImported(let data): data.excess
    case .dimensionValueAdded(let data):
      EventLimits.number(data.id, "id") ?? EventLimits.number(data.sortOrder, "sortOrder")
        ?? EventLimits.name(data.name, "name")
    case .dimensionValueOrdered(let data):
      EventLimits.number(data.id, "id") ?? EventLimits.number(data.sortOrder, "sortOrder")
        ?? EventLimits.name(data.name, "name")
    case .dimensionValueRenamed(let data):
      EventLimits.number(data.id, "id") ?? EventLimits.name(data.name, "name")
        ?? EventLimits.name(data.newName, "newName")
    case .dimensionValueMerged(let data):
      EventLimits.number(data.id, "id") ?? EventLimits.number(data.into, "into")
        ?? EventLimits.name(data.name, "name") ?? EventLimits.name(data.intoName, "intoName")
    case .dimensionValueAliased(let data):
      EventLimits.number(data.id, "id") ?? EventLimits.name(data.name, "name")
        ?? EventLimits.name(data.alias, "alias")
    case .itemTagSuppressed(let data), .itemTagUnsuppressed(let data):
      EventLimits.name(data.name, "name")
    case .playlistLinked(let data): EventLimits.name(data.playlistID, "playlistId")
    case .playlistMetadataRefreshed(let data): data.excess
    case .playlistTracksSnapshotted(let data): data.excess
    case .packUpserted(let data): data.excess
    case .manifestApplied(let data): data.excess
    case .packDownloadStarted(let data):
      EventLimits.count(data.version, "version") ?? EventLimits.count(data.bytesTotal, "bytesTotal")
        ?? EventLimits.count(data.bytesDownloaded, "bytesDownloaded")
    case .packDownloadProgressed(let data):
      EventLimits.count(data.bytesDownloaded, "bytesDownloaded")
    case .packDownloadCompleted(let data): data.excess
    case .packDownloadFailed(let data): EventLimits.text(data.error, "error")
    case .packDownloadInterrupted(let data): EventLimits.text(data.error, "error")
    }
  }
}

/// The limits that documents and events share.
package enum EventLimits {
  /// Tracks of a list: what 1,000 pages of 100 hold, where the reader of playlists stops.
  package static let tracks: Int64 = 100_000

  /// Tracks of a list that may name the same ones however often.
  static let repeatedTracks = 1_000
  /// How many places a longer list may have for each of its different tracks. Runs copy a list for a few bytes each:
  /// without a bound, twenty events double one track to 100,000 rows, and each event after them makes as many again.
  static let placesPerTrack = 10

  /// What is wrong with a list that a snapshot says; nil if nothing is.
  static func places(_ count: Int, ofTracks different: Int) -> String? {
    guard count > max(repeatedTracks, placesPerTrack * different) else { return nil }
    return "the list has \(count) places for \(different) tracks, more than \(placesPerTrack) for "
      + "each and \(repeatedTracks) together"
  }

  /// A number that counts something: 0 or more. Earlier releases took any number of 64 bits from documents, so rows
  /// hold such numbers.
  static func count(_ number: Int64?, _ key: String) -> String? {
    guard let number, number < 0 else { return nil }
    return "\(key) is \(number), not a whole number from 0 on"
  }

  /// A number that orders or names something.
  static func number(_ number: Int64?, _ key: String) -> String? {
    guard let number, !(-NumberRules.greatest...NumberRules.greatest ~= number) else { return nil }
    return "\(key) is \(number), beyond \(NumberRules.greatest) in magnitude"
  }

  static func name(_ text: String?, _ key: String) -> String? {
    length(text, key, TextRules.nameLimit)
  }

  static func source(_ text: String, _ key: String) -> String? {
    length(text, key, TextRules.nameLimit)
  }

  static func text(_ text: String?, _ key: String) -> String? {
    length(text, key, TextRules.textLimit)
  }

  static func duration(_ seconds: Double?, _ key: String) -> String? {
    guard let seconds, !(seconds >= 0 && seconds.isFinite) else { return nil }
    return "\(key) is \(seconds), not 0 or more seconds"
  }

  private static func length(_ text: String?, _ key: String, _ limit: Int) -> String? {
    guard let text, text.utf8.count > limit else { return nil }
    return "\(key) has \(text.utf8.count) bytes, more than \(limit)"
  }
}

extension TagSet {
  fileprivate var excess: String? {
    guard holdsNames(beyond: TextRules.nameLimit) else { return nil }
    return "a name in tags has more than \(TextRules.nameLimit) bytes"
  }
}

extension ItemUpserted {
  fileprivate var excess: String? {
    EventLimits.text(title, "title") ?? EventLimits.text(subtitle, "subtitle")
      ?? EventLimits.duration(duration, "duration")
      ?? EventLimits.text(artworkURL, "artworkUrl")
  }
}

extension SeedImported {
  fileprivate var excess: String? {
    EventLimits.name(seed, "seed") ?? EventLimits.count(revision, "revision")
      ?? EventLimits.name(sha256, "sha256")
  }
}

extension PlaylistMetadataRefreshed {
  fileprivate var excess: String? {
    EventLimits.name(playlistID, "playlistId") ?? EventLimits.name(storefront, "storefront")
      ?? EventLimits.text(state.reason, "reason")
      ?? state.metadata.flatMap { metadata in
        EventLimits.text(metadata.title, "metadata.title")
          ?? EventLimits.text(metadata.curator, "metadata.curator")
          ?? EventLimits.text(metadata.description, "metadata.description")
          ?? EventLimits.text(metadata.artworkURL, "metadata.artworkUrl")
          ?? EventLimits.text(metadata.url, "metadata.url")
          ?? EventLimits.text(metadata.modifiedAt, "metadata.modifiedAt")
      }
  }
}

extension PlaylistTracksSnapshotted {
  fileprivate var excess: String? {
    guard 0...EventLimits.tracks ~= count else {
      return "count is \(count), not from 0 to \(EventLimits.tracks)"
    }
    if let excess = EventLimits.name(playlistID, "playlistId") { return excess }
    for case .new(let ids) in runs {
      for id in ids { if let excess = EventLimits.name(id, "ids") { return excess } }
    }
    for track in tracks {
      let excess =
        EventLimits.name(track.id, "tracks.id") ?? EventLimits.name(track.type, "tracks.type")
        ?? EventLimits.text(track.title, "tracks.title")
        ?? EventLimits.text(track.artist, "tracks.artist")
        ?? EventLimits.text(track.album, "tracks.album")
        ?? EventLimits.duration(track.duration, "tracks.duration")
        ?? EventLimits.text(track.artworkURL, "tracks.artworkUrl")
      if let excess { return excess }
    }
    return nil
  }
}

extension PackUpserted {
  fileprivate var excess: String? {
    EventLimits.text(title, "title") ?? EventLimits.text(description, "description")
      ?? EventLimits.text(artworkURL, "artworkUrl") ?? EventLimits.count(version, "version")
      ?? EventLimits.text(manifestURL, "manifestUrl")
  }
}

extension ManifestApplied {
  fileprivate var excess: String? {
    EventLimits.count(version, "version") ?? EventLimits.name(sha256, "sha256")
      ?? EventLimits.count(totalBytes, "totalBytes") ?? EventLimits.count(assets, "assets")
      ?? tags.excess
  }
}

extension PackDownloadCompleted {
  fileprivate var excess: String? {
    if let excess = EventLimits.count(version, "version")
      ?? EventLimits.count(bytesTotal, "bytesTotal")
    {
      return excess
    }
    for asset in assets {
      guard InstalledPath.isWithinCatalog(asset.path) else {
        return
          "assets.path \"\(JSONExcerpt.printable(asset.path))\" leads out of the catalog's folder"
      }
      let excess =
        EventLimits.text(asset.url, "assets.url") ?? EventLimits.text(asset.etag, "assets.etag")
        ?? EventLimits.name(asset.sha256, "assets.sha256")
        ?? EventLimits.count(asset.bytes, "assets.bytes")
        ?? EventLimits.name(asset.codec, "assets.codec")
        ?? EventLimits.count(asset.sampleRate, "assets.sampleRate")
        ?? EventLimits.count(asset.channels, "assets.channels")
      if let excess { return excess }
    }
    return nil
  }
}
