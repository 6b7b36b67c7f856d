import CatalogEngine
import CatalogModel

/// A name of a city, a state or a venue, or another text, as some rows have it.
struct PlaceName: Hashable, Sendable {
  var name: String

  static let shape = TypedTable(
    "place", key: ["name"], Field("name", \PlaceName.name), make: PlaceName.init)
}

extension ShowFilter {
  /// The sort of place of a list by place, its column, and the name; nil if the list is not by place.
  package var place: (noun: String, column: String, name: String)? {
    switch self {
    case .city(let name): ("city", "city", name)
    case .state(let name): ("state", "state", name)
    case .venue(let name): ("venue", "venue_name", name)
    case .all, .year, .month, .dates, .onThisDay: nil
    }
  }

  /// Finds how the rows write the place: case, accents, marks and spaces do not count, and a state is its code too.
  ///
  /// - Returns: nil if the list is not one of a place.
  func spellings(in rows: CatalogSnapshot) throws -> [String]? {
    guard let (_, column, name) = place else { return nil }
    let keys = keys(of: name)
    return try Self.names(in: column, rows).filter {
      $0 == name || keys.contains(StateNames.key($0))
    }
  }

  /// The places that can be meant by a name which no row has, the most likely first.
  func nearMisses(in rows: CatalogSnapshot) throws -> [String] {
    guard let (_, column, name) = place else { return [] }
    let keys = keys(of: name)
    let names = Dictionary(
      try Self.names(in: column, rows).map { (StateNames.key($0), $0) },
      uniquingKeysWith: { first, _ in first })
    let known = names.keys.sorted()
    // Codes of two letters are all alike, and in too many names.
    let long = keys.filter { $0.unicodeScalars.count > 2 }
    var found = long.compactMap { NearMiss.find($0, among: known) }
    for key in long {
      found += known.filter { $0.hasPrefix(key) }
      found += known.filter { $0.contains(key) }
    }
    var misses: [String] = []
    for key in found {
      if let name = names[key], !misses.contains(name) { misses.append(name) }
    }
    return Array(misses.prefix(5))
  }

  /// The common forms of the name's spellings (`StateNames.key`); the name that was typed is the first.
  private func keys(of name: String) -> [String] {
    var names = [name]
    if case .state = self { names += StateNames.others(of: name) }
    return names.map(StateNames.key).filter { !$0.isEmpty }
  }

  private static func names(in column: String, _ rows: CatalogSnapshot) throws -> [String] {
    try rows.rows(
      as: PlaceName.shape,
      of: "SELECT DISTINCT \(column) FROM shows WHERE \(column) IS NOT NULL ORDER BY \(column)"
    ).map(\.name)
  }
}
