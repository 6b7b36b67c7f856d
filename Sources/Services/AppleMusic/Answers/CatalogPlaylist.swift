/// What Apple Music's catalog says of a playlist, without its tracks. Texts are in NFC.
public struct CatalogPlaylist: Hashable, Sendable {
  public var id: String
  /// The storefront that was asked: two lower-case letters.
  public var storefront: String
  public var title: String
  public var curator: String?
  /// The long description, or the short one if there is no other. May hold HTML, as the API gives it.
  public var description: String?
  /// With `{w}` and `{h}` in the place of width and height in pixels, as the API gives it.
  public var artworkURL: String?
  /// Opens the playlist in Apple Music.
  public var url: String?
  /// As the API gives it: a date, or a date and time.
  public var lastModified: String?
  /// Whether the API gives what is needed to play it.
  public var isPlayable: Bool

  public init(
    id: String, storefront: String, title: String, curator: String?, description: String?,
    artworkURL: String?, url: String?, lastModified: String?, isPlayable: Bool
  ) {
    self.id = id
    self.storefront = storefront
    self.title = title
    self.curator = curator
    self.description = description
    self.artworkURL = artworkURL
    self.url = url
    self.lastModified = lastModified
    self.isPlayable = isPlayable
  }
}
