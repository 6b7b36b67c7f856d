/// The three kinds of browseable entries.
public enum Kind: String, CaseIterable, Hashable, Sendable {
  case music
  case atmosphere
  case sfx

  /// Its place in `allCases`.
  var place: Int {
    switch self {
    case .music: 0
    case .atmosphere: 1
    case .sfx: 2
    }
  }
}

/// The two kinds of packs; an item of a pack has the pack's kind.
public enum PackKind: String, CaseIterable, Hashable, Sendable {
  case atmosphere
  case sfx

  public var itemKind: Kind {
    switch self {
    case .atmosphere: .atmosphere
    case .sfx: .sfx
    }
  }
}
