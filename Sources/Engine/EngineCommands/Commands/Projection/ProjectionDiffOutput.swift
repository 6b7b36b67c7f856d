package import CatalogEngine
import CatalogStore

/// Writes the difference of two programs, or of two versions of a kind, as text, JSON and annotations.
package struct ProjectionDiffOutput {
  private let diff: ProjectionDiff
  private let sequence: UInt64
  private let sides: String

  /// - Parameter sides: what makes the rows: `programs`.
  package init(_ diff: ProjectionDiff, through sequence: UInt64, of sides: String = "programs") {
    self.diff = diff
    self.sequence = sequence
    self.sides = sides
  }

  /// The difference as JSON.
  package var json: JSONObject { diff.json(sequence) }

  /// Writes the difference as text.
  package func write(to console: Console) {
    var values = ValueExcerpts(isWhole: false)
    for finding in diff.findings {
      let mark = finding.isAllowed ? " (allowed)" : ""
      console.write("\(finding.place): \(finding.sentence)\(mark)", as: .heading)
      for example in finding.examples {
        console.write("  " + example.line(&values))
        if let event = example.event { console.write("    " + event.line) }
      }
    }
    console.write(verdict)
  }

  func write(_ format: FindingsFormat, to console: Console) throws {
    switch format {
    case .text: write(to: console)
    case .json: try console.write(json: json)
    case .github:
      for finding in diff.findings {
        var values = ValueExcerpts(isWhole: false)
        let example = finding.examples.first.map { "; for example \($0.line(&values))" } ?? ""
        console.write(
          Annotation(
            finding.isAllowed ? .notice : .error, title: "Projection \(finding.place)",
            finding.sentence + example
          ).line)
      }
      console.write(
        Annotation(diff.failing.isEmpty ? .notice : .error, title: "Projection", verdict).line)
    }
  }

  private var verdict: String {
    let events = "after event \(sequence)"
    let allowed = diff.findings.count - diff.failing.count
    let more = allowed > 0 ? "; \(Count.of(allowed, "difference")) allowed" : ""
    return diff.failing.isEmpty
      ? "both \(sides) make the same rows \(events)\(more)"
      : "\(Count.of(diff.failing.count, "difference")) \(events)\(more)"
  }
}

extension ProjectionDiff.Finding {
  /// `12 rows have other values: book.lent 10, book.returned 2`.
  fileprivate var sentence: String {
    let rows = Count.of(rows ?? 0, "row")
    let what =
      switch change {
      case .newTable: "the table is new, with \(rows)"
      case .missingTable: "the table is missing, which had \(rows)"
      case .newColumn: "the column is new, with values in \(rows)"
      case .missingColumn: "the column is missing, which had values in \(rows)"
      case .declaration, .words, .digest: words ?? ""
      case .newRows: "\(rows) \(self.rows == 1 ? "is" : "are") new"
      case .missingRows: "\(rows) \(self.rows == 1 ? "is" : "are") missing"
      case .values: "\(rows) \(self.rows == 1 ? "has another value" : "have other values")"
      }
    guard !types.isEmpty else { return what }
    let part = typedRows < self.rows ?? 0 ? " (of the first \(Count.grouped(typedRows)))" : ""
    return what + ": "
      + types.map { "\($0.type ?? "no event") \(Count.grouped($0.rows))" }.joined(separator: ", ")
      + part
  }
}

extension ProjectionDiff.Example {
  fileprivate func line(_ values: inout ValueExcerpts) -> String {
    let key = key.map { "\($0.column)=\(values.text($0.value))" }.joined(separator: " ")
    switch (old, new) {
    case (let old?, let new?): return "\(key): \(values.change(from: old, to: new))"
    case (let value?, nil), (nil, let value?): return "\(key): \(values.text(value))"
    case (nil, nil): return key
    }
  }
}

// MARK: JSON

extension ProjectionDiff {
  fileprivate func json(_ sequence: UInt64) -> JSONObject {
    [
      "sequence": sequence, "equal": failing.isEmpty, "differences": findings.map(\.json),
    ]
  }
}

extension ProjectionDiff.Finding {
  fileprivate var json: JSONObject {
    [
      "table": table, "column": column, "change": change.rawValue, "message": sentence,
      "rows": rows,
      // Without a type if no event wrote the rows or names their keys.
      "types": types.map { ["type": $0.type, "rows": $0.rows] as JSONObject },
      "examples": examples.map(\.json), "allowed": isAllowed,
    ]
  }
}

extension ProjectionDiff.Example {
  fileprivate var json: JSONObject {
    [
      "key": Dictionary(
        key.map { ($0.column, $0.value.description) }, uniquingKeysWith: { $1 }),
      "old": old?.description, "new": new?.description, "event": event?.json,
    ]
  }
}
