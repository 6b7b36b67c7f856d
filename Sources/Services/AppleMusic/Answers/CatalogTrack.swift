/// What Apple Music's catalog says of one track of a playlist. Texts are in NFC.
///
/// A track that was taken out of the storefront may stay in a playlist with its id alone.
public struct CatalogTrack: Hashable, Sendable {
  public var id: String
  /// `songs`, `music-videos`, or whatever the API says.
  public var kind: String
  /// Empty where the API says nothing but the id.
  public var title: String
  /// Empty where the API says nothing but the id.
  public var artist: String
  public var album: String?
  /// Seconds, to the millisecond.
  public var duration: Double?
  /// With `{w}` and `{h}` in the place of width and height in pixels, as the API gives it.
  public var artworkURL: String?

  public init(
    id: String, kind: String, title: String, artist: String, album: String?, duration: Double?,
    artworkURL: String?
  ) {
    self.id = id
    self.kind = kind
    self.title = title
    self.artist = artist
    self.album = album
    self.duration = duration
    self.artworkURL = artworkURL
  }
}
