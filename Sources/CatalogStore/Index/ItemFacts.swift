import CatalogModel

/// What an index knows of one item.
struct ItemFacts: Equatable, Sendable {
  let kind: Kind
  let isVisible: Bool
  /// Whether rows say that its audio is installed.
  let isDownloaded: Bool
  /// Ordinals of its values.
  let values: [UInt32]
}

extension Kind {
  /// Nil for what is no raw value.
  init?(utf8 name: UnsafeRawBufferPointer) {
    guard let kind = Self.allCases.first(where: { $0.rawValue.utf8.first == name.first }),
      name.elementsEqual(kind.rawValue.utf8)
    else { return nil }
    self = kind
  }

  /// Its place in `allCases`.
  var place: Int {
    switch self {
    case .music: 0
    case .atmosphere: 1
    case .sfx: 2
    }
  }
}
