import ArgumentParser
import CatalogEngine
import Foundation

struct HistoryViewsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "views",
    abstract: "Write SQL that shows any moment in another program.",
    discussion: """
      The SQL makes temporary views over history.sqlite with the names of the catalog's tables, and a table of one row that \
      names the moment: UPDATE moment SET sequence = 19 moves all of them. Any program that reads SQLite can run it, such as \
      sqlite3 -readonly history.sqlite with .read; the history is only read. A statement fails if the history does not have \
      the moment, was made of other events, or continues in newer tables: write the views again then. FILE is a new \
      file, or one with earlier views. Without FILE the SQL goes to standard output.
      """.examples(
        of: "history views",
        "\(ProgramName.current) history views views.sql"))

  @OptionGroup var options: CatalogOptions

  @Argument(
    help: ArgumentHelp("The file to write.", valueName: "file"),
    completion: .file(extensions: ["sql"]))
  var file: String?

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    let history = try CatalogHistory(
      options.directory, options.log(), progress: progress.observer)
    let views = try history.views(
      advice:
        "\(ProgramName.current) history views \(file.map { ShellWord.quoted($0) + " " } ?? "")--catalog \(ShellWord.quoted(options.directory.path))"
    ) { note in
      progress.finish()
      console.write(note)
    }
    progress.finish()
    if let file { try write(views.sql, to: file) }
    let json: JSONObject = [
      "file": file, "sequence": views.sequence, "moment": views.moment, "views": views.names,
      "sql": file == nil ? views.sql : nil,
    ]
    try console.write(options.format, json: json) { console in
      guard let file else { return console.write(document: views.sql) }
      console.write(
        "\(file): \(Count.of(views.names.count, "view")) of any moment up to event \(views.sequence); `UPDATE \(views.moment) SET sequence = N` moves them"
      )
    }
  }

  /// Writes the views to a new file, or over earlier ones, and over no other file.
  private func write(_ text: String, to file: String) throws {
    let url = URL(fileURLWithPath: file)
    let beginning = try? FileHandle(forReadingFrom: url)
      .read(upToCount: CatalogHistory.Views.mark.utf8.count)
    guard beginning == Data(CatalogHistory.Views.mark.utf8) else {
      return try options.write(text, toNewFile: file)
    }
    try Data(text.utf8).write(to: url, options: .atomic)
  }
}
