// The keys of a seed document, object by object. Keys of dimensions come from the registry instead.

enum SeedKey: String, CaseIterable {
  case format
  case seedId
  case revision
  case dimensions
  case music
  case packs
}

/// The keys of an entry in `music` and of one in a pack's `items`; the first have two more.
enum SeedItemKey: String, CaseIterable {
  case id
  case title
  case subtitle
  case duration
  case artworkUrl
  case isVisible
  case tags
  case appleMusicPlaylistId
  case useSnapshot

  var isOnlyForMusic: Bool { self == .appleMusicPlaylistId || self == .useSnapshot }
}

enum SeedPackKey: String, CaseIterable {
  case id
  case kind
  case title
  case description
  case artworkUrl
  case version
  case manifestUrl
  case items
}
