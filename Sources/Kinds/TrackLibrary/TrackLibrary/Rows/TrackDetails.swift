/// The facts that both the row and the event of a track have, and give as properties of their own.
public struct TrackDetails: Hashable, Sendable {
  /// From the source; if it names none, the name of the file, the URI or the id.
  public var title: String
  /// Empty if unknown.
  public var artist = ""
  /// Empty if unknown.
  public var album = ""
  /// Nil if no artist of the album is named: albums are listed by `artist` then.
  public var albumArtist: String?
  /// In seconds; 0 if unknown.
  public var duration = 0.0
  /// The address at which it plays, as the source wrote it.
  public var fileURL: String
  /// As the source writes it; nil if it names no picture.
  public var artworkURL: String?
  public var genre: String?
  /// The year of the release; nil if unknown.
  public var year: Int64?
  /// The number on its album; nil if unknown.
  public var trackNumber: Int64?
}

extension TrackDetails {
  /// Every property, for imports and saves, which treat most of them alike.
  static let columns: [any TrackColumn] = [
    Column(\.title), Column(\.artist, said: \.artist), Column(\.album, said: \.album),
    Column(\.albumArtist, said: \.albumArtist), Column(\.duration, said: \.duration),
    Column(\.fileURL), Column(\.artworkURL, said: \.artworkURL), Column(\.genre, said: \.genre),
    Column(\.year, said: \.year), Column(\.trackNumber, said: \.trackNumber),
  ]

  private struct Column<Cell: TrackCell>: TrackColumn {
    let property: any WritableKeyPath<TrackDetails, Cell> & Sendable
    /// The value in a document; nil if an import has rules of its own for the column.
    let said: (any KeyPath<DocumentTrack, Cell.DocumentValue?> & Sendable)?

    init(_ property: any WritableKeyPath<TrackDetails, Cell> & Sendable) {
      self.property = property
      said = nil
    }

    init(
      _ property: any WritableKeyPath<TrackDetails, Cell> & Sendable,
      said: any KeyPath<DocumentTrack, Cell.DocumentValue?> & Sendable
    ) {
      self.property = property
      self.said = said
    }

    func take(from track: DocumentTrack, into details: inout TrackDetails) {
      guard let said else { return }
      details[keyPath: property] = details[keyPath: property].updated(by: track[keyPath: said])
    }

    func fill(from track: DocumentTrack, into details: inout TrackDetails) {
      if details[keyPath: property] == .unknown { take(from: track, into: &details) }
    }

    func take(from saved: TrackDetails, since known: TrackDetails, into details: inout TrackDetails)
    {
      guard saved[keyPath: property] != known[keyPath: property] else { return }
      details[keyPath: property] = saved[keyPath: property]
    }

    func mapText(of details: inout TrackDetails, _ change: (String) throws -> String) rethrows {
      details[keyPath: property] = try details[keyPath: property].mapText(change)
    }
  }
}

/// A column of `TrackDetails`.
protocol TrackColumn: Sendable {
  /// Takes what a document says: what it does not say stays, and what it says is empty is unknown.
  func take(from track: DocumentTrack, into details: inout TrackDetails)
  /// Takes what a document says if nothing is known.
  func fill(from track: DocumentTrack, into details: inout TrackDetails)
  /// Takes what an app saves if it differs from what the app knew.
  func take(from saved: TrackDetails, since known: TrackDetails, into details: inout TrackDetails)
  /// Changes the value if it is a text.
  func mapText(of details: inout TrackDetails, _ change: (String) throws -> String) rethrows
}

/// A value of such a column.
protocol TrackCell: Equatable {
  /// The type that documents have, in which an empty text and 0 say that there is none.
  associatedtype DocumentValue = Self
  init(said: DocumentValue)
  static var unknown: Self { get }
  func mapText(_ change: (String) throws -> String) rethrows -> Self
}

extension TrackCell {
  /// The value after a document: if it does not say one, this value stays.
  func updated(by said: DocumentValue?) -> Self { said.map(Self.init) ?? self }

  func mapText(_ change: (String) throws -> String) rethrows -> Self { self }
}

extension TrackCell where DocumentValue == Self {
  init(said: DocumentValue) { self = said }
}

extension String: TrackCell {
  static var unknown: String { "" }

  func mapText(_ change: (String) throws -> String) rethrows -> String { try change(self) }
}

extension Double: TrackCell {
  static var unknown: Double { 0 }
}

extension Int64: TrackCell {
  static var unknown: Int64 { 0 }
}

extension Optional: TrackCell where Wrapped: TrackCell {
  typealias DocumentValue = Wrapped

  init(said: Wrapped) { self = said == .unknown ? nil : said }

  static var unknown: Wrapped? { nil }

  func mapText(_ change: (String) throws -> String) rethrows -> Wrapped? {
    try map { try $0.mapText(change) }
  }
}
