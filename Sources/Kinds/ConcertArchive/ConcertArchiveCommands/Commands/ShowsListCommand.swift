import ArgumentParser
import CatalogModel
import ConcertArchive
import EngineCommands

struct ShowsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List shows in the order of time.",
    discussion: """
      Case, accents, marks and spaces do not count in the names of cities, states and venues. A state of the USA or a \
      province of Canada is found by its name and by its code.
      """.examples(
        "\(ProgramName.current) shows list --year 1977",
        "\(ProgramName.current) shows list --on 05-08",
        "\(ProgramName.current) shows list --state ontario",
        "\(ProgramName.current) shows list --from 1977-04-22 --to 1977-06-09"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var page: PagingOptions

  @Option(name: .long, help: ArgumentHelp("Only shows of this year.", valueName: "year"))
  var year: Int?

  @Option(name: .long, help: ArgumentHelp("Only shows of this month.", valueName: "yyyy-mm"))
  var month: String?

  @Option(name: .long, help: ArgumentHelp("Only shows in this city.", valueName: "city"))
  var city: String?

  @Option(name: .long, help: ArgumentHelp("Only shows in this state.", valueName: "state"))
  var state: String?

  @Option(name: .long, help: ArgumentHelp("Only shows at this venue.", valueName: "venue"))
  var venue: String?

  @Option(
    name: .long, help: ArgumentHelp("Only shows on this day of any year.", valueName: "mm-dd"))
  var on: String?

  @Option(name: .long, help: ArgumentHelp("Only shows from this day on.", valueName: "yyyy-mm-dd"))
  var from: String?

  @Option(
    name: .long, help: ArgumentHelp("Only shows up to and on this day.", valueName: "yyyy-mm-dd"))
  var to: String?

  @Flag(name: .long, help: "List the newest first.")
  var newestFirst = false

  func validate() throws {
    for (option, day) in [("--from", from), ("--to", to)] {
      if let day, ShowDate(day) == nil {
        throw ValidationError("\(option) takes a day such as 1977-05-08, not \"\(day)\"")
      }
    }
    if let month, ShowDate(month + "-01") == nil {
      throw ValidationError("--month takes a month such as 1977-05, not \"\(month)\"")
    }
    // 2000 had a 29th of February.
    if let on, ShowDate("2000-" + on) == nil {
      throw ValidationError("--on takes a day such as 05-08, not \"\(on)\"")
    }
    guard filters.count <= 1 else {
      throw ValidationError(
        "name one of --year, --month, --city, --state, --venue, --on and --from with --to, "
          + "not \(filters.count)")
    }
  }

  private var filters: [ShowFilter] {
    [
      year.map { .year($0) }, month.map { .month($0) }, city.map { .city($0) },
      state.map { .state($0) }, venue.map { .venue($0) }, on.map { .onThisDay($0) },
      from == nil && to == nil ? nil : .dates(from ?? "0000-01-01", to ?? "9999-12-31"),
    ].compactMap { $0 }
  }

  func run() async throws {
    let (filter, cursor) = (filters.first ?? .all, try page.cursor())
    try await options.readArchive { archive in
      let page = try await archive.shows.list(
        filter, newestFirst: newestFirst, limit: page.limit, after: cursor)
      try Console.current.write(page, "show", options.format, json: \.json) { [$0.text] }
      if page.rows.isEmpty, cursor == nil, let (noun, _, name) = filter.place {
        let near = try await archive.shows.nearMisses(of: filter)
        Console.current.error(
          "no show has the \(noun) \"\(JSONExcerpt.printable(name))\""
            + (near.isEmpty ? "" : "; did you mean \(near.alternatives)?"))
      }
    }
  }
}

extension [String] {
  /// `"a", "b" or "c"`
  fileprivate var alternatives: String {
    let quoted = map { "\"\(JSONExcerpt.printable($0))\"" }
    guard let last = quoted.last, quoted.count > 1 else { return quoted.joined() }
    return quoted.dropLast().joined(separator: ", ") + " or " + last
  }
}
