/// The three kinds of browseable entries.
public enum ItemKind: String, CaseIterable, Hashable, Sendable {
  case music
  case atmosphere
  case sfx
}

/// The two kinds of packs; an item of a pack has the pack's kind.
public enum PackKind: String, CaseIterable, Hashable, Sendable {
  case atmosphere
  case sfx

  public var itemKind: ItemKind {
    switch self {
    case .atmosphere: .atmosphere
    case .sfx: .sfx
    }
  }
}
