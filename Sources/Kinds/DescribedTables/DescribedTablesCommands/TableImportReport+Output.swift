import CatalogEngine
import DescribedTables
import EngineCommands

extension Console {
  func write(_ report: TableImportReport) {
    for line in report.described?.sentences ?? [] { write(line) }
    var values = ValueExcerpts(isWhole: false)
    for document in report.documents {
      guard !document.isKnown else {
        write("\(document.file): nothing new, the same document was imported last")
        continue
      }
      for table in document.tables {
        let name = document.tables.count > 1 ? "\(table.name): " : ""
        write("\(document.file): \(name)\(table.sentence)")
        let summary = report.summary?.tables.first { $0.name == table.name }
        for line in summary?.lines(&values, from: max(20, table.rows / 20)) ?? [] {
          write("  \(line)")
        }
        if table.replacesMostKeys {
          write(
            "  most keys of \(table.name) were replaced by others, as if something new were counted"
          )
        }
      }
      for remark in document.remarks { error(remark) }
    }
    write(report.reverted, differing: report.differing, isRows: true)
    switch report.outcome {
    case .unchanged where report.documents.allSatisfy(\.isKnown): break
    case .unchanged, .reverted, .planned, .appended:
      write(report.outcome, types: [("", report.eventCount)])
    case .imported: break
    }
    if let failure = report.failure { error("the database does not have it yet: \(failure)") }
    if report.outcome != .planned, let sequence = report.sequence, let chain = report.chain {
      write("head \(sequence) \(chain)")
    }
  }
}

extension TableImportReport.Table {
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
    [
      "outcome": outcome.rawValue, "events": eventCount, "differing": differing,
      "described": described?.json,
      "documents": documents.map(\.json), "tables": summary?.json, "sequence": sequence,
      "chain": chain,
    ]
  }
}

extension TableImportReport.Document {
  fileprivate var json: JSONObject {
    [
      "file": file, "name": name, "format": format, "bytes": bytes, "sha256": sha256,
      "known": isKnown, "tables": tables.map(\.json), "remarks": remarks,
    ]
  }
}

extension TableImportReport.Table {
  fileprivate var json: JSONObject {
    [
      "table": name, "rows": rows, "added": added, "changed": changed, "removed": removed,
      "setAside": setAside,
      "mostRemovedBefore": mostRemovedBefore,
      "columns": Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0.count) }),
    ]
  }
}
