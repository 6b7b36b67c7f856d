import CatalogEngine
import Foundation

extension TrackEvent {
  init(_ type: TrackEventType, from data: inout PayloadReader) throws(PayloadReader.Problem) {
    self =
      switch type {
      case .libraryImported: .libraryImported(try ImportedLibrary(from: &data))
      case .trackUpserted: .trackUpserted(try TrackFacts(from: &data))
      case .trackRemoved: .trackRemoved(try data.id("id"))
      case .trackPlayed: .trackPlayed(try data.id("id"))
      case .artworkAdded: .artworkAdded(try Artwork(from: &data))
      case .collectionUpserted:
        .collectionUpserted(
          CollectionFacts(
            id: try data.id("id"), name: try data.string("name"),
            description: try data.optionalString("description"),
            artworkURL: try data.optionalString("artworkUrl")))
      case .collectionRemoved: .collectionRemoved(try data.id("id"))
      case .collectionTracksSet:
        .collectionTracksSet(try data.id("id"), try data.ids("trackIds"))
      case .collectionTracksChanged:
        .collectionTracksChanged(try CollectionTracksChange(from: &data))
      case .songUpserted:
        .songUpserted(
          SongFacts(
            id: try data.string("id"), title: try data.string("title"),
            artist: try data.string("artist"),
            artworkURL: try data.optionalString("artworkUrl")))
      case .songIdentified:
        .songIdentified(from: try data.string("from"), to: try data.string("to"))
      case .songRemoved: .songRemoved(try data.string("id"))
      case .songTagsSet:
        .songTagsSet(
          song: try data.string("song"), source: try data.string("source"),
          tags: try data.ids("tags"))
      case .songSynced:
        .songSynced(song: try data.string("song"), through: try data.int64("through"))
      case .tagAdded:
        .tagAdded(
          LibraryTag(
            id: try data.id("id"), name: try data.string("name"),
            hexColor: try data.string("hexColor"), isSystemTag: try data.bool("system")))
      case .tagChanged:
        .tagChanged(
          try data.id("id"), name: try data.string("name"), hexColor: try data.string("hexColor"))
      case .tagRemoved: .tagRemoved(try data.id("id"))
      }
  }
}

extension TrackFacts {
  fileprivate init(from data: inout PayloadReader) throws(PayloadReader.Problem) {
    self.init(
      id: try data.id("id"), title: try data.string("title"), artist: try data.string("artist"),
      album: try data.string("album"), albumArtist: try data.optionalString("albumArtist"),
      duration: try data.double("duration"), fileURL: try data.string("fileUrl"),
      artworkURL: try data.optionalString("artworkUrl"),
      artwork: try data.optionalString("artwork"), genre: try data.optionalString("genre"),
      year: try data.optionalInt64("year"), trackNumber: try data.optionalInt64("trackNumber"),
      source: try data.string("source"), uri: try data.string("uri"),
      song: try data.optionalString("song"), dateAdded: try Self.dateAdded(&data))
  }

  private static func dateAdded(
    _ data: inout PayloadReader
  ) throws(PayloadReader.Problem) -> Timestamp? {
    guard let text = try data.optionalString("dateAdded") else { return nil }
    guard let time = Timestamp(text) else {
      throw PayloadReader.Problem(path: "$.data.dateAdded", message: "this is not a time")
    }
    return time
  }
}

extension Artwork {
  fileprivate init(from data: inout PayloadReader) throws(PayloadReader.Problem) {
    let sha256 = try data.string("sha256")
    guard let bytes = Data(base64Encoded: try data.string("base64")) else {
      throw PayloadReader.Problem(path: "$.data.base64", message: "this is not base64")
    }
    self.init(Array(bytes))
    guard self.sha256 == sha256 else {
      throw PayloadReader.Problem(
        path: "$.data.sha256", message: "the hash is not that of the picture")
    }
  }
}

extension ImportedLibrary {
  fileprivate init(from data: inout PayloadReader) throws(PayloadReader.Problem) {
    self.init(
      format: try data.string("format"), name: try data.string("name"),
      sha256: try data.string("sha256"), tracks: try data.int64("tracks"),
      collections: try data.int64("collections"), identified: try data.int64("identified"))
  }
}
