import CatalogModel

extension DatabaseSchema {
  /// The names of all things that have no rows of their own, as a description keeps them, but not SQLite's own tables.
  ///
  /// - Parameter taken: whether a table is adopted. Generated columns of others are left out with their tables.
  func leftOutNames(ofTables taken: (String) -> Bool) -> [String] {
    let things = leftOut.filter { $0.owner == nil && $0.what != "table of SQLite" }
      .map { "\($0.what) \($0.name)" }
    let columns = tables.filter { taken($0.name) }.flatMap { table in
      table.generated.map { "generated column \(table.name).\($0)" }
    }
    return (things + columns).map { NormalForm.nfc($0) }.sorted {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
  }

  /// A sentence about each thing that has no rows of its own.
  var leftOutSentences: [String] {
    var sentences: [String] = []
    for what in ["view", "trigger", "table of SQLite"] {
      let names = leftOut.filter { $0.what == what }.map(\.name)
      guard !names.isEmpty else { continue }
      sentences.append(
        "\(names.count == 1 ? "the" : "\(names.count)") \(Self.plural(what, names.count)): \(names.joined(separator: ", "))"
      )
    }
    for table in leftOut where table.what == "virtual table" {
      let parts = leftOut.filter { $0.owner == table.name }.map(\.name)
      sentences.append(
        "the virtual table \(table.name)"
          + (parts.isEmpty ? "" : " with \(parts.joined(separator: ", "))")
          + (table.hasOwnContent ? "; its texts are in no other table" : ""))
    }
    return sentences
  }

  private static func plural(_ what: String, _ count: Int) -> String {
    if count == 1 { return what }
    return what.hasPrefix("table") ? "tables of SQLite" : what + "s"
  }
}

extension DatabaseSchema.Table {
  /// A sentence about each column that SQLite makes from others.
  var generatedSentences: [String] {
    generated.map { "\(name).\($0): it is generated from other columns" }
  }
}
