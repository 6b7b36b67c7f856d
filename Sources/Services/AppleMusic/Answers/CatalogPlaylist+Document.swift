import CatalogModel

extension CatalogPlaylist {
  /// Reads the answer for a playlist. What nobody needs may be missing or of another type.
  ///
  /// - Throws: `unexpectedContent` if it is not that playlist, or has no name.
  init(_ document: JSONDocument, id: String, storefront: String) throws(AppleMusicError) {
    guard let resource = try document.data().first else {
      throw document.unexpected("has nothing in \"data\"")
    }
    // By bytes: other characters may be equal to a letter in Swift's eyes.
    guard let found = resource["id"]?.text, found.utf8.elementsEqual(id.utf8),
      resource["type"]?.text == "playlists"
    else {
      throw document.unexpected("is not the playlist \(id) that was asked for")
    }
    let attributes = resource["attributes"]
    func optional(_ keys: String...) throws(AppleMusicError) -> String? {
      let value = keys.reduce(attributes) { $0?[$1] }
      return try document.text(value, at: "attributes.\(keys.joined(separator: "."))")
    }
    let long = try optional("description", "standard")
    let short = try optional("description", "short")
    let isPlayable: Bool
    if case .object? = attributes?["playParams"] { isPlayable = true } else { isPlayable = false }
    self.init(
      id: id, storefront: storefront,
      title: try document.requiredText(attributes?["name"], at: "attributes.name"),
      curator: try optional("curatorName"),
      description: long ?? short,
      artworkURL: try optional("artwork", "url"), url: try optional("url"),
      lastModified: try optional("lastModifiedDate"), isPlayable: isPlayable)
  }
}
