import Projections

extension KindHelp.Subject {
  /// The first table that people know, rather one whose rows have a name; nil if there is none.
  init?(of schema: Schema) {
    let tables = schema.tables.filter { !$0.name.hasPrefix("projection_") && !$0.key.isEmpty }
    guard let table = tables.first(where: { $0.columns.contains { $0.isName } }) ?? tables.first
    else { return nil }
    let column = table.columns.first { $0.isName } ?? table.columns.last
    self.init(
      table: table.name, key: table.key.map { table.columns[$0].name.uppercased() },
      column: column?.name)
  }

  /// Lines to type that help shows with commands of the engine, by the command's name.
  var examples: [String: [String]] {
    let program = ProgramName.current
    let table = ShellWord.quoted(table)
    let row = ([table] + key.map(ShellWord.quoted)).joined(separator: " ")
    let name = SQLName.quoted(self.table)
    let option = column.map { " --column \(ShellWord.quoted($0))" } ?? ""
    func statement(_ sql: String) -> String { ShellWord.quoted(sql) }
    var examples = [
      "bisect": [
        "bisect \(statement("SELECT count(*) > 27 FROM \(name)"))",
        "bisect --all \(statement("SELECT count(*) FROM \(name)"))",
      ],
      "blame": ["blame \(row)", "blame \(row)\(option)", "blame \(table)"],
      "changes": [
        "changes 3533 3600", "changes head~3..head", "changes 1318f01b",
        "changes yesterday..head --summary", "changes 3533 3600 --table \(table)",
        "changes head --follow --format jsonl",
      ],
      "history count": [
        "history count \(statement("SELECT count(*) FROM \(name)"))",
        "history count \(statement("SELECT count(*) FROM \(name)")) --from 99",
      ],
      "history row": ["history row \(row)", "history row \(row) --at 3600"],
      "query": [
        "query \(statement("SELECT count(*) FROM \(name)"))",
        "query --at 3533 \(statement("SELECT count(*) FROM \(name)"))",
        "query --format csv \(statement("SELECT * FROM \(name)"))",
      ],
      "revert": [
        "revert 1318f01b --dry-run", "revert 3534..3600 --reason wrong-export",
        "revert 1318f01b --table \(table)\(option)", "revert 1318f01b --sql",
      ],
    ]
    // Help wraps longer lines, and a shell would read two.
    for (command, lines) in examples {
      examples[command] = lines.map { "\(program) \($0)" }.filter { $0.count <= 76 }
    }
    return examples.filter { !$0.value.isEmpty }
  }
}
