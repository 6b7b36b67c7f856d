public import CatalogEngine
public import Projections

extension Console {
  /// Writes what an import appended, or would append: one line, and a line for each type of event.
  ///
  /// - Parameters:
  ///   - subject: what was imported, before the line; empty if other lines say it.
  ///   - types: the types of the events, and how many there are, in the order of the lines.
  public func write(
    _ outcome: ImportOutcome, of subject: String = "", types: [(type: String, count: Int)]
  ) {
    let events = Count.of(types.reduce(0) { $0 + $1.count }, "event")
    let verb =
      switch outcome {
      case .unchanged: "nothing new, 0 events"
      case .reverted: "stays reverted, 0 events"
      case .planned: "would append \(events)"
      case .imported: "appended \(events)"
      case .appended: "appended \(events); the database does not have them yet"
      }
    write(subject.isEmpty ? verb : "\(subject): \(verb)")
    for (type, count) in types where count > 0 && !type.isEmpty {
      let number = Count.grouped(count)
      write(String(repeating: " ", count: max(0, 12 - number.count)) + "\(number)  \(type)")
    }
  }
}

extension Console {
  /// Says why a document stays reverted, and how it is brought back.
  ///
  /// - Parameters:
  ///   - differing: how many values of it differ from the catalog; nil if that is not known.
  ///   - obstacle: why `--take-reverted` alone does not take it; nil if it does.
  public func write(_ reverted: RevertedRow?, differing: Int?, unless obstacle: String? = nil) {
    guard let reverted else { return }
    error(
      "\(reverted); `\(ProgramName.current) revert \(reverted.revertedBy)` takes that revert back")
    let (words, object) =
      switch differing {
      case nil: ("this document differs from the catalog", "it")
      case 0: ("this document differs from the catalog only in records of the program", "them")
      case 1: ("1 value of this document differs from the catalog", "it")
      case let count?:
        ("\(Count.of(count, "value")) of this document differ from the catalog", "them")
      }
    error("stays reverted: \(words); \(obstacle ?? "--take-reverted takes \(object)")")
  }

  /// Writes what an import did to tables that had rows: how many it added, removed and changed, and in which columns. Nothing
  /// if it only added rows, which its events say.
  ///
  /// - Parameters:
  ///   - summary: nil if the rows are too many to be kept while they change.
  ///   - sequence: the log's last event afterwards; nil if it was a dry run.
  public func write(
    changesOf summary: OperationSummary?, _ outcome: ImportOutcome, through sequence: UInt64?
  ) {
    if summary == nil, [.imported, .appended].contains(outcome), let sequence {
      write("many rows changed; `\(ProgramName.current) show \(sequence)` shows in which columns")
    }
    var values = ValueExcerpts(isWhole: false)
    let tables = summary?.tables ?? []
    guard tables.contains(where: { $0.changed + $0.removed > 0 }) else { return }
    for table in tables where table.added + table.changed + table.removed > 0 {
      write("\(table.name): \(table.words)")
      for line in table.lines(&values) { write("  \(line)") }
    }
  }
}

extension ImportOutcome {
  /// Ends a command with status 1 if the database does not have the events, and with 2 if a dry run found some.
  public func requireNothingLeft() throws {
    switch self {
    case .appended: throw Exit(status: .error)
    case .planned: throw Exit(status: .findings)
    case .imported, .unchanged, .reverted: break
    }
  }
}
