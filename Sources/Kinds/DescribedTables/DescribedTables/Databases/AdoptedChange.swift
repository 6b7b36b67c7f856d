import CatalogModel
import Projections

/// The difference between the schemas of databases and the description of the catalog that adopted them.
///
/// New columns and tables are taken, and types become wider; a table or a column that is gone has to be named by the caller, since a
/// new name looks like a loss.
package struct AdoptedChange: Sendable {
  /// The choices of a caller about names that are gone.
  package struct Choices: Sendable {
    /// Tables and columns (`users.mail`) of the database that have another name now.
    package var renamed: [(old: String, new: String)] = []
    /// Tables and columns that the catalog drops. It leaves out those that a database still has.
    package var dropped: [String] = []
    /// Whether a choice may be about nothing that is gone: another version of the database may need it.
    package var areForSeveral = false

    package init() {}

    var isEmpty: Bool { renamed.isEmpty && dropped.isEmpty }
  }

  /// Nil if the description has what the databases have.
  package let change: DescriptionChange?

  /// Looks at all values of the databases among some documents.
  ///
  /// - Parameter scan: visits the rows of the catalog, in which renamed columns are found; nil if nothing is suggested.
  /// - Throws: `DocumentError` if something is gone from a database, if a database cannot be read, or if a choice is about nothing
  ///   that is gone; `DescriptionRefusal` if the catalog cannot have what a database has.
  package init(
    _ sources: [ImportSource], of kind: DescribedKind, _ choices: Choices,
    words: DocumentWords = DocumentWords(), scan: RenameSearch.Scan? = nil
  ) throws {
    let old = kind.description
    let dropped = DroppedNames(kind.program.moments.map(\.moment))
    var description = old
    var dropping: Set<String> = []
    var met: Set<String> = []
    let choices = choices.spelled(as: old)
    for source in sources where source.file.isDatabase {
      guard let document = old.document(source.name), document.format == .sqlite else { continue }
      let choices = try choices.present(in: source.file, document)
      let leavingOut = try choices.leavingOut(in: source.file, document)
      let now = try Adoption(
        source.file, kind: old.kind, document: source.name,
        Self.known(old, document, choices, leavingOut), words: words)
      var merge = DescriptionMerge(description, document, now, choices, dropped)
      merge.leavingOut = leavingOut
      merge.merge()
      let search = scan.flatMap { scan in
        source.file.database.map { RenameSearch(kind.program, $0, scan) }
      }
      if let error = try merge.error(source.file.name, words, search) { throw error }
      description = merge.result
      dropping.formUnion(merge.dropping)
      met.formUnion(merge.met)
    }
    if !choices.areForSeveral { try Self.requireMet(met, choices, sources) }
    let change = try DescriptionChange(from: old, to: description.checked(), dropping: dropping)
    self.change = change.isUnchanged(from: old) ? nil : change
  }

  /// Refuses choices that are about nothing.
  private static func requireMet(
    _ met: Set<String>, _ choices: Choices, _ sources: [ImportSource]
  ) throws {
    func refusal(_ name: String, _ message: String, _ advice: String) -> DocumentError {
      DocumentError(
        code: .invalidValue, file: sources[0].file.name, path: JSONExcerpt.printable(name),
        message: message, advice: advice)
    }
    let renamed = choices.renamed.map(\.old).filter { !met.contains($0) }.map {
      refusal(
        $0, "no such table or column is gone from the database",
        "name a table, or table.column, that is gone")
    }
    let dropped = choices.dropped.filter { !met.contains($0) }.map {
      refusal(
        $0, "the catalog takes no such table or column of the database",
        "name a table, or table.column, that it takes")
    }
    if let error = DocumentError(joining: renamed + dropped) { throw error }
  }

  /// The decisions that the description has already: keys, and what is left out.
  ///
  /// - Parameter leavingOut: what is left out from now on.
  private static func known(
    _ old: KindDescription, _ document: DescribedDocument, _ choices: Choices,
    _ leavingOut: [String]
  ) -> Adoption.Choices {
    var known = Adoption.Choices()
    known.isOfCatalog = true
    known.without =
      document.ignored.map { choices.newName(ofIgnored: $0, of: document) } + leavingOut
    known.names = document.names(in: old).map { table, columns in
      (
        choices.newName(ofTable: table),
        columns.map { choices.newName(ofColumn: $0, in: table) }
      )
    }
    known.keys = document.rows.compactMap { rows in
      guard let table = old.table(rows.table) else { return nil }
      return (
        choices.newName(ofTable: rows.sourceTable),
        table.keyColumns.map {
          choices.newName(ofColumn: rows.sourceColumn($0), in: rows.sourceTable)
        }
      )
    }
    return known
  }
}

extension AdoptedChange.Choices {
  /// The choices with the names that databases have, or had: a person may type the catalog's.
  func spelled(as kind: KindDescription) -> Self {
    var names: [String: String] = [:]
    for rows in kind.documents.filter({ $0.format == .sqlite }).flatMap(\.rows) {
      guard let table = kind.table(rows.table) else { continue }
      names[table.name] = rows.sourceTable
      for column in table.columns {
        let source = rows.sourceColumn(column.name)
        for owner in [table.name, rows.sourceTable] {
          names["\(owner).\(column.name)"] = "\(rows.sourceTable).\(source)"
        }
      }
    }
    // A name of a database wins over the same name in the catalog.
    for source in Array(names.values) { names[source] = source }
    // As in SQL, quotes are not part of a name, and upper and lower case are alike.
    let folded = Dictionary(
      names.map { ($0.key.lowercased(), $0.value) }.sorted { $0.1 < $1.1 },
      uniquingKeysWith: { first, _ in first })
    func spelling(_ name: String) -> String {
      names[name] ?? folded[Self.unquoted(name).lowercased()] ?? name
    }
    var spelled = self
    spelled.renamed = renamed.map { (spelling($0.old), $0.new) }
    spelled.dropped = dropped.map(spelling)
    return spelled
  }

  /// A name without the quotes of SQL around its parts: `order line.price` of `"order line"."price"`.
  private static func unquoted(_ name: String) -> String {
    guard name.contains(where: { "\"`[".contains($0) }) else { return name }
    return String(name.filter { !"\"`[]".contains($0) })
  }

  /// The choices of which a database has the new name: it may be older than a rename.
  func present(in file: SourceFile, _ document: DescribedDocument) throws(DocumentError) -> Self {
    guard !renamed.isEmpty, let copy = file.database else { return self }
    let schema = try copy.read(DatabaseSchema.init)
    // A name can have quotes that are its own.
    func found<Found>(_ name: String, _ find: (String) -> Found?) -> Found? {
      find(name) ?? find(Self.unquoted(name))
    }
    func owner(_ name: String) -> String? {
      document.rows.map(\.sourceTable).first { name.hasPrefix($0 + ".") }
    }
    let tables = renamed.filter { owner($0.old) == nil }.compactMap { choice in
      found(choice.new, schema.table).map { (old: choice.old, new: $0.name) }
    }
    var present = self
    present.renamed = renamed.compactMap { choice in
      guard !DatabaseSchema.isSame(choice.old, choice.new) else { return nil }
      guard let owner = owner(choice.old) else { return tables.first { $0.old == choice.old } }
      let now = tables.first { $0.old == owner }?.new ?? owner
      return found(choice.new) { name in
        let column = name.hasPrefix(now + ".") ? String(name.dropFirst(now.count + 1)) : name
        return [owner, now].lazy.compactMap { table in
          schema.table(table)?.columns.first { DatabaseSchema.isSame($0.name, column) }
        }.first
      }.map { (choice.old, $0.name) }
    }
    return present
  }

  /// The tables and columns that are dropped though the database has them still, by their names now.
  func leavingOut(
    in file: SourceFile, _ document: DescribedDocument
  ) throws(DocumentError) -> [String] {
    guard !dropped.isEmpty, let copy = file.database else { return [] }
    let schema = try copy.read(DatabaseSchema.init)
    let taken = Set(document.rows.map(\.sourceTable))
    // What has another name now can have the name of what is dropped.
    let renamed = Set(renamed.map { newName(ofIgnored: $0.old, of: document) })
    return dropped.map { newName(ofIgnored: $0, of: document) }.filter { name in
      !renamed.contains(name)
        && schema.tables.contains { table in
          guard taken.contains(where: { newName(ofTable: $0) == table.name }) else { return false }
          return name == table.name
            || table.columns.contains { name == "\(table.name).\($0.name)" }
        }
    }
  }

  /// The name now of a table or a column (`users.photo`) that the description leaves out.
  func newName(ofIgnored old: String, of document: DescribedDocument) -> String {
    let table = document.rows.map(\.sourceTable).first { old.hasPrefix($0 + ".") }
    guard let table else { return newName(ofTable: old) }
    let column = String(old.dropFirst(table.count + 1))
    return newName(ofTable: table) + "." + newName(ofColumn: column, in: table)
  }

  /// The name of a table now.
  func newName(ofTable old: String) -> String { renamed.first { $0.old == old }?.new ?? old }

  /// The name of a column now.
  ///
  /// - Parameter table: as it was called.
  func newName(ofColumn old: String, in table: String) -> String {
    guard let new = renamed.first(where: { $0.old == "\(table).\(old)" })?.new else { return old }
    let prefix = newName(ofTable: table) + "."
    return new.hasPrefix(prefix) ? String(new.dropFirst(prefix.count)) : new
  }
}

extension DescribedDocument {
  /// The database's tables and columns as the description spells them, those that it leaves out too.
  func names(in kind: KindDescription) -> [(table: String, columns: [String])] {
    var names = rows.map { rows in
      (
        table: rows.sourceTable,
        columns: kind.table(rows.table)?.columns.map { rows.sourceColumn($0.name) } ?? []
      )
    }
    for name in ignored {
      let owner = names.indices.first { name.hasPrefix(names[$0].table + ".") }
      if let owner {
        names[owner].columns.append(String(name.dropFirst(names[owner].table.count + 1)))
      } else {
        names.append((name, []))
      }
    }
    return names
  }
}

extension DescribedDocument.Rows {
  /// The name of the table in the database.
  var sourceTable: String { at ?? table }

  /// The name of a column in the database.
  func sourceColumn(_ name: String) -> String {
    columns.first { $0.column == name }?.from ?? name
  }
}
