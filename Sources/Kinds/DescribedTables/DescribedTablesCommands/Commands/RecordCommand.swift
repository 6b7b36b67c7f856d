import ArgumentParser
import CatalogEngine
import CatalogModel
import DescribedTables
import EngineCommands
import Projections
import Support

/// Appends events of the kind's own.
struct RecordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record an event that the catalog's description defines.",
    discussion: """
      The event is refused if its conditions are not met, and nothing is appended then. With - instead of an event, lines \
      of standard input are events, as {"event": "name", "data": {}}, and each is answered by a line of JSON as soon as it is \
      in the log or refused: so a program in any language can write. Exit status 2 if a line was refused.
      """.examples(
        "\(ProgramName.current) record product.counted sku=SKU-00001 stock=12",
        "\(ProgramName.current) record product.counted sku=SKU-00001 stock=12 --by scanner"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  @Option(
    name: .long, help: ArgumentHelp("The author of the event; default person.", valueName: "name"))
  var by = "person"

  @OptionGroup var time: EventTimeArguments

  @Argument(help: ArgumentHelp("The name of an event, or -.", valueName: "event"))
  var event: String

  @Argument(help: ArgumentHelp("The members of the event.", valueName: "member=value"))
  var members: [NamedText] = []

  func validate() throws {
    if by.isEmpty || by.utf8.count > 200 { throw ValidationError("--by takes a name") }
    if event == "-", !members.isEmpty {
      throw ValidationError("with - the members are in the lines of standard input")
    }
  }

  func run() async throws {
    let kind = try options.describedKind()
    try await options.changeCatalog(of: kind, waiting, clock: time.clock) { catalog in
      let reader = OwnEventReader(catalog.kind)
      guard event != "-" else { return try await recordLines(catalog, reader) }
      let made = try reader.event(event, members.map { ($0.name, $0.text) })
      let report = try await catalog.change(by: by) { _ in [made] }
      try options.write(
        report, unchanged: "nothing changed", changed: "event \(report.sequence): \(event)")
    }
  }

  private func recordLines(
    _ catalog: EventCatalog<DescribedKind>, _ reader: OwnEventReader
  ) async throws {
    let console = Console.current
    var number = 0
    var isRefused = false
    while let line = readLine() {
      number += 1
      guard !line.allSatisfy(\.isWhitespace) else { continue }
      do {
        let made = try reader.event(ofLine: line, number)
        let report = try await catalog.change(by: by) { _ in [made] }
        try console.write(line: [
          "line": number, "outcome": report.outcome.rawValue, "sequence": report.sequence,
        ])
      } catch let error where error.isRefusalOfEvent {
        isRefused = true
        try console.write(line: [
          "line": number, "outcome": "refused", "reason": "\(error)",
        ])
      }
    }
    if isRefused { throw Exit(status: .findings) }
  }
}

extension Error {
  /// Whether the event is wrong, and not the catalog.
  fileprivate var isRefusalOfEvent: Bool {
    switch self {
    case is DocumentError: true
    case let error as ProjectionError:
      error.code == .contradiction || error.code == .duplicate || error.code == .invalidRow
    case let error as CatalogError: error.code == .changeRefused
    default: false
    }
  }
}

extension OwnEventReader {
  /// Makes an event from a line of JSON: `{"event": "product.counted", "data": {"sku": "SKU-00001"}}`.
  fileprivate func event(ofLine line: String, _ number: Int) throws -> TableEvent {
    let file = "line \(number)"
    let json = try JSONValue.parse(Array(line.utf8), file: file)
    guard case .object(let members) = json, case .string(let name)? = json["event"],
      case .object(let data) = json["data"] ?? .object([]),
      let unknown = .some(members.first { $0.key != "event" && $0.key != "data" })
    else {
      throw DocumentError(
        code: .wrongType, file: file, message: "this is not an event",
        advice: "write {\"event\": \"…\", \"data\": {…}}")
    }
    if let unknown {
      throw DocumentError(
        code: .unknownKey, file: file, path: "$.\(JSONExcerpt.printable(unknown.key))",
        message: "is an unknown key", advice: "the members of the event are in \"data\"")
    }
    return try event(name, data)
  }
}
