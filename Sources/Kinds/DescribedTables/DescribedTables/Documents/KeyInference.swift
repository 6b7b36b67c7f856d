import CatalogModel

/// Finds the columns that identify the rows of a document.
package struct KeyInference: Sendable {
  /// Columns, alone or two together, of which no two rows have the same: the best first.
  package let candidates: [[String]]
  /// How many rows the document has.
  package let rows: Int

  /// A document with fewer rows shows too little: in two rows, nearly all columns are unique.
  package static let leastRows = 20

  /// Whether the first candidate may be taken without asking.
  package var isCertain: Bool { rows >= Self.leastRows && !candidates.isEmpty }

  /// The best candidate, and the one after it.
  package var best: [String]? { candidates.first }
  package var runnerUp: [String]? { candidates.dropFirst().first }

  /// - Parameter table: the name of the table, after which its key may be named.
  init(_ columns: [ColumnEvidence], table: String, rows: Int, pairs: [[String]] = []) {
    let able = columns.enumerated().filter { _, column in
      column.isUnique && column.type.canBeKey
    }
    let ranked = able.map { place, column in
      (column.name, rank(column, table: table), place)
    }
    .sorted { ($0.1, $0.2) < ($1.1, $1.2) }
    candidates = ranked.map { [$0.0] } + pairs
    self.rows = rows

    func rank(_ column: ColumnEvidence, table: String) -> Int {
      let parts = ColumnEvidence.parts(column.name)
      let singular = Self.singular(table.lowercased())
      let name = parts.joined()
      if name == "id" || name == singular + "id" || name == table.lowercased() + "id" { return 0 }
      if ["uuid", "guid", "key"].contains(name) { return 1 }
      if ["code", "sku", "symbol", "slug", "isbn"].contains(name) || name == singular + "code" {
        return 2
      }
      if let last = parts.last,
        ["id", "uuid", "guid", "sku", "code", "number", "no", "nr"].contains(last)
      {
        return 3
      }
      if ["ean", "gtin", "upc"].contains(name) { return 4 }
      if ["name", "title"].contains(name) { return 5 }
      // A long text is seldom a key, and a number that happens to be another in each row is none.
      return column.type == .text ? 6 + min(column.meanLength / 32, 4) : 8
    }
  }

  /// `product` of `products`.
  static func singular(_ name: String) -> String {
    if name.hasSuffix("ies") { return name.dropLast(3) + "y" }
    return name.hasSuffix("s") ? String(name.dropLast()) : name
  }

  /// Columns that would identify the rows of a document whose key does not, as advice for the error.
  ///
  /// - Parameters:
  ///   - key: the names of the key's columns in the header.
  ///   - twice: how a caller takes one of two rows with the same key.
  static func advice(
    _ source: SourceFile, _ options: CSVOptions, keeping key: String, twice: String
  ) throws(DocumentError) -> String {
    let reader = try CSVReader(source, options)
    let keyPlaces = key.split(separator: ", ").compactMap { name in
      reader.header.firstIndex { $0.hasBytes(of: String(name)) }
    }
    var alone = reader.header.map { ColumnEvidence($0, decimal: options.decimal) }
    var together: [Set<UInt64>?] = reader.header.indices.map { keyPlaces.contains($0) ? nil : [] }
    var rows = 0
    while try reader.next() {
      guard reader.count == reader.header.count else { continue }
      rows += 1
      let keyHash = keyPlaces.reduce(0) { RowHash.of($0, RowHash.of(reader.value($1))) }
      for place in reader.header.indices {
        alone[place].add(reader.value(place))
        guard together[place] != nil else { continue }
        let hash = RowHash.of(keyHash, RowHash.of(reader.value(place)))
        if together[place]?.insert(hash).inserted == false { together[place] = nil }
      }
    }
    let inference = KeyInference(alone, table: "", rows: rows)
    var found = inference.candidates.map { $0[0] }.filter { $0 != key }
    found += reader.header.indices.filter { together[$0] != nil }
      .map { "\(key) with \(reader.header[$0])" }
    guard !found.isEmpty else {
      return "no column identifies the rows, not even together with \(key); \(twice)"
    }
    return "\(found.prefix(3).joined(separator: ", or ")) would identify the rows; \(twice)"
  }
}
