public import ArgumentParser
public import CatalogEngine

/// The part of a list to show: `--limit`, 50 if it is not given, and `--after`.
public struct PagingOptions: ParsableArguments {
  @Option(
    name: [.long, .customShort("n")], help: ArgumentHelp("List at most this many.", valueName: "n"))
  public var limit = 50

  @OptionGroup var start: PageStart

  public var after: String? { start.after }

  public init() {}

  public func validate() throws {
    try OptionBounds.requireCount(limit, "--limit")
  }

  /// The place after which the page begins; nil if it is the first.
  ///
  /// - Throws: `StoreError` with `malformedCursor` if no page can have printed the text.
  public func cursor() throws -> KeysetCursor? { try start.cursor() }
}

/// `--limit` and `--after` for a list that is shown whole if `--limit` is not given.
public struct WholeListOptions: ParsableArguments {
  @Option(
    name: [.long, .customShort("n")],
    help: ArgumentHelp("List at most this many. (default: all)", valueName: "n"))
  public var limit: Int?

  @OptionGroup var start: PageStart

  public init() {}

  public func validate() throws {
    try OptionBounds.requireCount(limit, "--limit")
  }

  /// The place after which the page begins; nil if it is the first.
  ///
  /// - Throws: `StoreError` with `malformedCursor` if no page can have printed the text.
  public func cursor() throws -> KeysetCursor? { try start.cursor() }
}

/// The beginning of a page: `--after`.
struct PageStart: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp("Continue after the page that printed this cursor.", valueName: "cursor"))
  var after: String?

  func cursor() throws -> KeysetCursor? { try after.map { try KeysetCursor($0) } }
}

extension Console {
  /// Writes a page: each row as lines, and on standard error how many there are and how to get the next page; or all of it
  /// as one JSON object with the rows, `next`, and `total` if the page has one.
  ///
  /// ```swift
  /// try console.write(page, "show", .text, json: ShowJSON.init) { [$0.title] }
  /// ```
  /// - Parameters:
  ///   - noun: of one row: `show`.
  ///   - member: the name of the rows in JSON.
  public func write<Row, RowJSON: Encodable>(
    _ page: KeysetPage<Row>, _ noun: String, _ format: OutputFormat, as member: String = "rows",
    json: (Row) -> RowJSON, text: (Row) -> [String]
  ) throws {
    try write(
      format,
      json: [
        member: page.rows.map(json), "next": page.next?.description, "total": page.total,
      ] as JSONObject
    ) { console in
      for row in page.rows {
        for line in text(row) { console.write(line) }
      }
      console.summarize(page, noun)
    }
  }

  /// Writes how many rows a page has, of how many if they were counted, and how to get the next one, to standard error.
  public func summarize<Row>(_ page: KeysetPage<Row>, _ noun: String) {
    let total = page.total ?? page.rows.count
    let part = total == page.rows.count ? "" : "\(Count.grouped(page.rows.count)) of "
    note(
      part + Count.of(total, noun) + (page.next.map { "; the next page: --after \($0)" } ?? ""))
  }
}
