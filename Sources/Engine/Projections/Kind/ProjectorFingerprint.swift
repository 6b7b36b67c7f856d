import Support

/// Tells whether a projection was made by this projector: SHA-256 over its kind, layout, version
/// and the SQL of every table and index that it fills, full-text indexes among them.
public struct ProjectorFingerprint: Hashable, Sendable, CustomStringConvertible {
  public let description: String

  /// - Parameter rules: what else decides which rows events make, such as a description of the kind in its log.
  public init(
    kind: String, layout: Int64, version: Int, schema: Schema, rules: [String] = []
  ) {
    var hash = SHA256()
    func add(_ text: String) {
      hash.update(data: Array(text.utf8) + [0])
    }
    add(kind)
    add(String(layout))
    add(String(version))
    for table in schema.tables {
      add(table.sql)
      for index in table.indexes {
        if let sql = index.sql { add(sql) }
      }
    }
    for index in schema.fullTextIndexes {
      for sql in index.creation + index.triggers.map(\.sql) { add(sql) }
    }
    if schema.userVersion != 0 { add("user_version \(schema.userVersion)") }
    for rule in rules { add(rule) }
    description = Hex.string(hash.finalize())
  }

  /// One that was written down before. Whatever another release calls its projector is another one than this.
  package init(recorded text: String) {
    description = text
  }

  /// Its first digits, for a person.
  package var short: String { "\(description.prefix(12))…" }
}
