public import ArgumentParser
public import CatalogEngine

/// The part of a list to show: `--limit` and `--after`.
public struct PagingOptions: ParsableArguments {
  @Option(
    name: [.long, .customShort("n")], help: ArgumentHelp("List at most this many.", valueName: "n"))
  public var limit = 50

  @Option(
    name: .long,
    help: ArgumentHelp("Continue after the page that printed this cursor.", valueName: "cursor"))
  public var after: String?

  public init() {}

  public func validate() throws {
    try OptionBounds.requireCount(limit, "--limit")
  }

  /// The place after which the page begins; nil if it is the first.
  ///
  /// - Throws: `StoreError` with `invalidCursor` if no page can have printed the text.
  public func cursor() throws -> KeysetCursor? { try after.map { try KeysetCursor($0) } }
}

extension Console {
  /// Writes a page: each row as lines, and on standard error how many there are and how to get the next page; or all of it
  /// as one JSON object with `rows` and `next`.
  ///
  /// ```swift
  /// try console.write(page, "show", .text, json: ShowJSON.init) { [$0.title] }
  /// ```
  /// - Parameter noun: of one row: `show`.
  public func write<Row, RowJSON: Encodable>(
    _ page: KeysetPage<Row>, _ noun: String, _ format: OutputFormat, json: (Row) -> RowJSON,
    text: (Row) -> [String]
  ) throws {
    try write(
      format,
      json: ["rows": page.rows.map(json), "next": page.next?.description] as JSONObject
    ) { console in
      for row in page.rows {
        for line in text(row) { console.write(line) }
      }
      console.summarize(page, noun)
    }
  }

  /// Writes how many rows a page has, and how to get the next one, to standard error.
  public func summarize<Row>(_ page: KeysetPage<Row>, _ noun: String) {
    note(
      Count.of(page.rows.count, noun)
        + (page.next.map { "; the next page: --after \($0)" } ?? ""))
  }
}
