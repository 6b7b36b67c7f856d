import CatalogModel

/// One page of a playlist's tracks.
struct TracksPage: Sendable {
  let tracks: [CatalogTrack]
  /// As the answer names it, and not to be trusted; nil for the last page.
  let next: String?

  /// - Throws: `unexpectedContent` if it is no list of resources, each with type and id.
  init(_ document: JSONDocument) throws(AppleMusicError) {
    var tracks: [CatalogTrack] = []
    for (index, resource) in try document.data().enumerated() {
      tracks.append(try Self.track(resource, at: "data[\(index)]", of: document))
    }
    self.tracks = tracks
    switch document.root["next"] {
    case nil, .null?: next = nil
    case .string(let text)?: next = text
    default: throw document.unexpected("has a \"next\" that is not a text")
    }
  }

  /// A track that was taken out of the storefront may have no attributes; anything in them may be missing.
  private static func track(
    _ resource: JSONValue, at path: String, of document: JSONDocument
  ) throws(AppleMusicError) -> CatalogTrack {
    let attributes = resource["attributes"]
    func optional(_ value: JSONValue?, _ name: String) throws(AppleMusicError) -> String? {
      try document.text(value, at: "\(path).attributes.\(name)")
    }
    return CatalogTrack(
      id: try document.requiredText(resource["id"], at: "\(path).id"),
      kind: try document.requiredText(resource["type"], at: "\(path).type"),
      title: try optional(attributes?["name"], "name") ?? "",
      artist: try optional(attributes?["artistName"], "artistName") ?? "",
      album: try optional(attributes?["albumName"], "albumName"),
      duration: try duration(
        attributes?["durationInMillis"], at: "\(path).attributes.durationInMillis", of: document),
      artworkURL: try optional(attributes?["artwork"]?["url"], "artwork.url"))
  }

  /// Seconds; nil for what is no time.
  ///
  /// - Throws: `unexpectedContent` for a number that the catalog does not hold.
  private static func duration(
    _ value: JSONValue?, at path: String, of document: JSONDocument
  ) throws(AppleMusicError) -> Double? {
    guard case .number(let text)? = value, let milliseconds = Double(text), milliseconds >= 0 else {
      return nil
    }
    guard milliseconds <= Double(NumberRules.greatest) else {
      throw document.unexpected(
        "is invalid: \(path) is \(JSONExcerpt.printable(text)), not 0 to "
          + "\(NumberRules.greatest)")
    }
    return milliseconds / 1_000
  }
}
