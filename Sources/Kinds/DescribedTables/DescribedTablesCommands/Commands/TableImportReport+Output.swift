import CatalogEngine
import CatalogModel
import CatalogStore
import DescribedTables
import EngineCommands

extension Console {
  /// Rows that a dry run names of those that would be removed.
  private static var shownKeys: Int { 10 }

  /// Writes what an import did.
  ///
  /// - Parameters:
  ///   - time: of a version, if it is one of several that a command imports. The head is written after the last one.
  ///   - now: the time with which the lines begin, if they are those of a command that runs on.
  func write(_ report: TableImportReport, of time: Timestamp? = nil, at now: Timestamp? = nil) {
    let isPart = time != nil
    let prefix = (time ?? now).map { "\($0) " } ?? ""
    let stamp = now == nil ? "" : prefix
    for line in report.described?.sentences ?? [] { write(stamp + line) }
    var values = ValueExcerpts(isWhole: false)
    for document in report.documents {
      guard !document.isKnown else {
        write("\(prefix)\(document.file): nothing new, the same document was imported last")
        continue
      }
      for table in document.tables
      where document.unchanged == nil || !table.isUnchanged || table.goneFromSource != nil {
        let name = document.tables.count > 1 ? "\(table.name): " : ""
        let verb = report.outcome == .reverted ? "stays reverted; it would be " : ""
        write("\(prefix)\(document.file): \(verb)\(name)\(table.sentence)")
        if report.outcome == .planned {
          for key in table.removedKeys.prefix(Self.shownKeys) {
            write(
              "\(stamp)  \(table.name) would lose \(key.map(\.description).joined(separator: ", "))"
            )
          }
          if table.removed > Self.shownKeys {
            write(
              "\(stamp)  and \(Count.of(table.removed - Self.shownKeys, "more row")); --format json lists all"
            )
          }
        }
        write(table, goneFrom: report.source, stamp)
        let summary = report.summary?.tables.first { $0.name == table.name }
        for line in summary?.lines(&values) ?? [] {
          write("\(stamp)  \(line)")
        }
        if table.replacesMostKeys {
          write(
            "\(stamp)  most keys of \(table.name) were replaced by others, as if something new were counted"
          )
          if let advice = table.replacementAdvice(of: document) { write("\(stamp)  \(advice)") }
        }
        if let advice = table.noiseAdvice { write("\(stamp)  \(advice)") }
      }
      if let unchanged = document.unchanged {
        write("\(prefix)\(document.file): \(unchanged)")
      }
      for remark in document.remarks { error(remark) }
    }
    for remark in report.remarks { error(remark) }
    write(report.reverted, differing: report.differing)
    write(report.returned, report.outcome, by: report.report.eventRange)
    if report.reverted != nil {
      for document in report.documents where !document.staysReverted && document.hasChanges {
        error("\(document.file) was not imported, as the import of another document stays reverted")
      }
    }
    switch report.outcome {
    case .unchanged where isPart || report.documents.allSatisfy(\.isKnown): break
    case .unchanged, .reverted, .planned, .appended:
      write(report.outcome, events: report.eventCount)
    case .imported: break
    }
    if let failure = report.failure { error("the database does not have it yet: \(failure)") }
    if report.outcome != .planned, !isPart, let sequence = report.sequence, let chain = report.chain
    {
      write("\(stamp)head \(sequence) \(chain)")
    }
  }
}

extension Console {
  /// Names the rows that came from the source of a document and that the document lacks.
  private func write(
    _ table: TableImportReport.Table, goneFrom source: String?, _ stamp: String
  ) {
    guard let gone = table.goneFromSource, let source else { return }
    guard !gone.isEmpty else {
      return write("\(stamp)  the document has all rows of \(table.name) that came from \(source)")
    }
    write(
      "\(stamp)  the document lacks \(Count.of(gone.count, "row")) of \(table.name) that came from \(source):"
    )
    for key in gone.prefix(Self.shownKeys) {
      write("\(stamp)    \(key.map(\.description).joined(separator: ", "))")
    }
    if gone.count > Self.shownKeys {
      write(
        "\(stamp)    and \(Count.of(gone.count - Self.shownKeys, "more row")); --format json lists all"
      )
    }
  }
}

extension TableImportReport.Document {
  fileprivate var hasChanges: Bool { tables.contains { !$0.isUnchanged } }

  /// One line about the tables in which nothing is new: `customer, visit: nothing new`. Nil if there are not several, so that
  /// each table has a line.
  fileprivate var unchanged: String? {
    let names = tables.filter(\.isUnchanged).map(\.name)
    guard names.count > 1 else { return nil }
    let shown = names.count > 4 ? Array(names.prefix(3)) : names
    let others = names.count - shown.count
    let more = others == 0 ? "" : " and \(Count.of(others, "more table"))"
    return "\(shown.joined(separator: ", "))\(more): nothing new"
  }
}

extension TableImportReport.Table {
  fileprivate var isUnchanged: Bool { added == 0 && changed == 0 && removed == 0 }

  /// Says what to do about rows that were replaced by others; nil if there is nothing to do.
  fileprivate func replacementAdvice(of document: TableImportReport.Document) -> String? {
    let isOfDatabase = document.format == TableDocument.databaseFormat
    guard !steadyKey.isEmpty else {
      let before = rows - added + removed
      guard isOfDatabase, removed * 5 > before * 4 else { return nil }
      return
        "if a history of \(name) is of no use, as of a cache: "
        + "`\(ProgramName.current) capture \(ShellWord.quoted(document.file)) --drop \(ShellWord.quoted(name))` leaves it out"
    }
    let names = steadyKey.map(ShellWord.quoted).joined(separator: ",")
    let way =
      isOfDatabase
      ? "`\(ProgramName.current) adopt \(ShellWord.quoted(document.file)) --key \(ShellWord.quoted(name))=\(names)` into a new catalog"
      : "a new catalog with the key \(names)"
    return
      "by \(steadyKey.joined(separator: " and ")) most rows are the same ones: \(way) keeps their history"
  }

  /// Says what to do about rows that are new only because a program saw them; nil if there are none to speak of.
  fileprivate var noiseAdvice: String? {
    guard let onlySeen else { return nil }
    let names = onlySeen.columns.map(\.name)
    let members = onlySeen.columns.map {
      "\"\($0.name)\": {\"type\": \"\($0.type.rawValue)\($0.isOptional ? "?" : "")\", \"ignore\": \"alone\"}"
    }
    return
      "nothing but \(names.joined(separator: ", ")) is new in \(Count.grouped(onlySeen.rows)) of "
      + "\(Count.of(changed, "changed row")) of \(name), a later time in each: `\(ProgramName.current) kind change` with "
      + "\(members.joined(separator: ", ")) leaves such rows as they are"
  }

  /// `5,005 rows: 5 added, 650 changed (stock 582, price 80)`
  fileprivate var sentence: String {
    var parts: [String] = []
    if added > 0 { parts.append("\(Count.grouped(added)) added") }
    if removed > 0 {
      let before = mostRemovedBefore.map { $0 == 0 ? "none" : "at most \(Count.grouped($0))" }
      parts.append(
        "\(Count.grouped(removed)) removed" + (before.map { " (\($0) before)" } ?? ""))
    }
    if changed > 0 {
      let counts = columns.map { "\($0.name) \(Count.grouped($0.count))" }
      parts.append("\(Count.grouped(changed)) changed (\(counts.joined(separator: ", ")))")
    }
    return
      "\(Count.of(rows, "row")): \(parts.isEmpty ? "nothing new" : parts.joined(separator: ", "))"
  }
}

extension TableImportReport {
  var json: JSONObject {
    report.json(["described": described?.json, "remarks": remarks]) {
      $0.json(isPlanned: self.outcome == .planned)
    }
  }
}

extension TableImportReport.Document {
  fileprivate func json(isPlanned: Bool) -> JSONObject {
    [
      "path": file, "name": name, "format": format, "bytes": bytes, "sha256": sha256,
      "known": isKnown, "tables": tables.map { $0.json(isPlanned: isPlanned) }, "remarks": remarks,
    ]
  }
}

extension TableImportReport.Table {
  fileprivate func json(isPlanned: Bool) -> JSONObject {
    [
      "table": name, "rows": rows, "added": added, "changed": changed, "removed": removed,
      "setAside": setAside,
      "gone": isPlanned && removed > 0 ? removedKeys.map { $0.map(AnswerCell.value) } : nil,
      "goneFromSource": goneFromSource?.map { $0.map(AnswerCell.value) },
      "mostRemovedBefore": mostRemovedBefore,
      "columns": Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0.count) }),
    ]
  }
}
