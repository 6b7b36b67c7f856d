/// Documents of other programs, with contents of our own.
enum ForeignText {
  static func song(_ number: Int, _ more: String = "") -> String {
    #"""
    {"type": "track", "uri": "spotify:track:\#(number)", "name": "T\#(number)",
     "external_ids": {"isrc": "XXL01000000\#(number)"}\#(more)}
    """#
  }

  static func apple(_ id: String, _ attributes: String, _ more: String = "") -> String {
    #"{"data": [{"id": "\#(id)", "type": "songs", "attributes": {\#(attributes)}\#(more)}]}"#
  }

  static func plist(_ tracks: [String], _ playlists: [String] = []) -> String {
    let tracks = tracks.enumerated().map { "<key>\($0 + 1)</key><dict>\($1)</dict>" }.joined()
    return """
      <?xml version="1.0"?>
      <plist version="1.0"><dict><key>Tracks</key><dict>\(tracks)</dict><key>Playlists</key><array>
      \(playlists.map { "<dict>\($0)</dict>" }.joined())</array></dict></plist>
      """
  }

  static func item(_ key: String, _ value: String) -> String {
    "<key>\(key)</key><string>\(value)</string>"
  }

  static func items(_ numbers: Int...) -> String {
    let items = numbers.map { "<dict><key>Track ID</key><integer>\($0)</integer></dict>" }
    return "<key>Playlist Items</key><array>\(items.joined())</array>"
  }

  static let address = "https://api.spotify.example/v1/playlists/x/tracks"

  /// Entries from `first` on, two a page, of a playlist of six.
  static func page(_ first: Int, _ tracks: [Int]? = nil) -> String {
    let tracks = (tracks ?? [first, first + 1]).map { #"{"track": \#(song($0))}"# }
    let next = first < 4 ? #""\#(address)?offset=\#(first + 2)&limit=2""# : "null"
    return #"""
      {"href": "\#(address)?offset=\#(first)&limit=2", "items": [\#(tracks.joined(separator: ","))],
       "limit": 2, "offset": \#(first), "total": 6, "next": \#(next)}
      """#
  }

  static func list(_ page: String) -> String {
    #"{"type": "playlist", "uri": "spotify:playlist:x", "name": "Mix", "tracks": \#(page)}"#
  }
}
