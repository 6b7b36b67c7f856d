import ArgumentParser

/// The option that names keys of a database's tables.
struct KeyOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The columns of a table's key, with commas between them.", valueName: "table=column"))
  var key: [NamedText] = []

  /// The columns of each table.
  var columns: [(table: String, columns: [String])] {
    key.map { ($0.name, $0.text.split(separator: ",").map(String.init)) }
  }
}
