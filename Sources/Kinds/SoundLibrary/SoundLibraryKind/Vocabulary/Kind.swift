/// The three kinds of browseable entries.
public enum Kind: String, CaseIterable, Hashable, Sendable {
  case music
  case atmosphere
  case sfx
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
