import CatalogEngine
import Foundation

extension TrackEvent {
  /// Writes the payload. docs/TRACKS.md lists the keys.
  func write(to data: inout PayloadWriter) {
    switch self {
    case .libraryImported(let library): library.write(to: &data)
    case .trackUpserted(let track): track.write(to: &data)
    case .trackRemoved(let id), .trackPlayed(let id), .collectionRemoved(let id),
      .tagRemoved(let id):
      data.id("id", id)
    case .artworkAdded(let artwork):
      data.string("sha256", artwork.sha256)
      data.string("base64", Data(artwork.data).base64EncodedString())
    case .collectionUpserted(let collection):
      data.id("id", collection.id)
      data.string("name", collection.name)
      data.string("description", collection.description)
      data.string("artworkUrl", collection.artworkURL)
    case .collectionTracksSet(let collection, let tracks):
      data.id("id", collection)
      data.strings("trackIds", tracks.map(\.description))
    case .collectionTracksChanged(let change): change.write(to: &data)
    case .songUpserted(let song):
      data.string("id", song.id)
      data.string("title", song.title)
      data.string("artist", song.artist)
      data.string("artworkUrl", song.artworkURL)
    case .songIdentified(let from, let to):
      data.string("from", from)
      data.string("to", to)
    case .songRemoved(let song): data.string("id", song)
    case .songTagsSet(let song, let source, let tags):
      data.string("song", song)
      data.string("source", source)
      data.strings("tags", tags.map(\.description))
    case .songSynced(let song, let through):
      data.string("song", song)
      data.integer("through", through)
    case .tagAdded(let tag):
      data.id("id", tag.id)
      data.string("name", tag.name)
      data.string("hexColor", tag.hexColor)
      data.bool("system", tag.isSystemTag)
    case .tagChanged(let id, let name, let hexColor):
      data.id("id", id)
      data.string("name", name)
      data.string("hexColor", hexColor)
    }
  }
}

extension TrackFacts {
  fileprivate func write(to data: inout PayloadWriter) {
    data.id("id", id)
    data.string("title", title)
    data.string("artist", artist)
    data.string("album", album)
    data.string("albumArtist", albumArtist)
    data.double("duration", duration)
    data.string("fileUrl", fileURL)
    data.string("artworkUrl", artworkURL)
    data.string("artwork", artwork)
    data.string("genre", genre)
    data.integer("year", year)
    data.integer("trackNumber", trackNumber)
    data.string("source", source)
    data.string("uri", uri)
    data.string("song", song)
    data.string("dateAdded", dateAdded?.description)
  }
}

extension ImportedLibrary {
  fileprivate func write(to data: inout PayloadWriter) {
    data.string("format", format)
    data.string("name", name)
    data.string("sha256", sha256)
    data.integer("tracks", tracks)
    data.integer("collections", collections)
    data.integer("identified", identified)
  }
}
