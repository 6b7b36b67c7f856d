import CatalogModel

/// A hand-written `library.json`.
enum LibraryText {
  /// Three tracks, and a playlist with one of them twice.
  static let small = library(
    [
      track(1, "Nocturne", "A Pianist", "Nights", file: "file:///Music/nocturne.mp3"),
      track(2, "Étude", "A Pianist", "Days", file: "file:///Music/%C3%A9tude.mp3"),
      track(3, "Field", "A Farmer", "Hay", file: "file:///Music/field.mp3"),
    ], [collection(10, "Evening", [1, 3, 1])])

  static func library(_ tracks: [String], _ collections: [String] = []) -> String {
    """
    {"tracks": [\(tracks.joined(separator: ",\n"))],
     "collections": [\(collections.joined(separator: ",\n"))]}
    """
  }

  static func track(
    _ number: Int, _ title: String, _ artist: String = "An Artist", _ album: String = "An Album",
    file: String, more: String = ""
  ) -> String {
    """
    {"id": "\(EntityID.number(number).description.uppercased())", "title": "\(title)",
     "artist": "\(artist)", "album": "\(album)", "duration": \(100 + number).5,
     "fileURL": "\(file)"\(more)}
    """
  }

  static func collection(_ number: Int, _ name: String, _ tracks: [Int]) -> String {
    let ids = tracks.map { "\"\(EntityID.number($0))\"" }.joined(separator: ", ")
    return """
      {"id": "\(EntityID.number(number))", "name": "\(name)", "trackIDs": [\(ids)]}
      """
  }
}
