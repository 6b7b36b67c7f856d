extension DatabaseSchema {
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
