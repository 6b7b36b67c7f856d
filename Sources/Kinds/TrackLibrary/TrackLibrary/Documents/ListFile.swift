import CatalogEngine
import Foundation

/// A file that is one playlist.
struct ListFile {
  /// As it was named: what remarks call it.
  let path: String
  /// Without its endings: the name of the playlist if it has no other.
  let name: String
  /// The folder at which relative paths begin; absolute.
  let folder: String
  /// Whether the file's ending promises UTF-8.
  let isUTF8: Bool
  /// The names of the files of this machine.
  let names: FolderNames

  init(_ path: String, _ names: FolderNames) {
    let url = URL(fileURLWithPath: DocumentName.plain(path))
    self.path = path
    self.names = names
    name = NormalForm.nfc(url.deletingPathExtension().lastPathComponent)
    folder = url.deletingLastPathComponent().path
    isUTF8 = url.pathExtension.lowercased() == "m3u8"
  }

  /// The playlist that the file is.
  ///
  /// - Parameters:
  ///   - id: its own; nil if it is known by its name.
  ///   - own: its own name.
  func playlist(
    _ format: TrackDocument.Format, id: EntityID? = nil, named own: String?, _ entries: [ListEntry]
  ) -> DocumentPlaylist {
    var playlist = DocumentPlaylist(
      id: id ?? NameBasedID.collection(format.idSource, own ?? name), name: own ?? name,
      uris: entries.uris, part: entries.part)
    playlist.isKnownByName = id == nil
    playlist.folder = NormalForm.nfc(String(folder.split(separator: "/").last ?? ""))
    playlist.file = NormalForm.nfc(
      URL(fileURLWithPath: DocumentName.plain(path)).lastPathComponent)
    return playlist
  }

  /// The file or the address that an entry of the list means.
  ///
  /// - Parameter bytes: the whole line in the file; nil if it is the text.
  /// - Returns: nil if it means no track.
  func entry(_ text: String, _ bytes: [UInt8]? = nil) -> M3UEntry? {
    M3UEntry(text, bytes, in: folder, names)
  }
}

extension DocumentTrack {
  /// A track of which a list has an entry.
  init(_ entry: M3UEntry, place: String) {
    self.init(
      title: nil, fileURL: entry.address, uri: entry.uri, source: TrackURI.source(of: entry.uri),
      place: place)
    isFound = entry.isFound
  }
}
