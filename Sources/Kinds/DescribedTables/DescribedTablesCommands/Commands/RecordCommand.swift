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

  @Argument(
    help: ArgumentHelp("The name of an event, or -.", valueName: "event"),
    completion: DescriptionCompletion.events)
  var event: String

  @Argument(
    help: ArgumentHelp("The members of the event.", valueName: "member=value"),
    completion: DescriptionCompletion.members)
  var members: [NamedText] = []

  func validate() throws {
    if by.isEmpty || by.utf8.count > 200 { throw ValidationError("--by takes a name") }
    if event == "-", !members.isEmpty {
      throw ValidationError("with - the members are in the lines of standard input")
    }
  }

  func run() async throws {
    guard event != "-" else { return try await recordLines() }
    let kind = try options.describedKind()
    try await options.changeCatalog(of: kind, waiting, clock: time.clock) { catalog in
      let made = try OwnEventReader(catalog.kind).event(event, members.map { ($0.name, $0.text) })
      try write(try await catalog.change(by: by) { _ in [made] })
    }
  }

  private func write(_ report: ChangeReport) throws {
    let json: JSONObject = [
      "outcome": report.outcome.rawValue, "events": report.events, "sequence": report.sequence,
      "remarks": report.remarks,
    ]
    try Console.current.write(options.format, whole: json) { console in
      console.write(
        report.outcome == .unchanged ? "nothing changed" : "event \(report.sequence): \(event)")
      for remark in report.remarks { console.error(remark) }
      if let failure = report.failure {
        console.error("the database does not have it yet: \(failure)")
      }
    }
    if report.outcome == .appended { throw Exit(status: .error) }
  }

  /// Records the events of standard input. If another process takes another description meanwhile, the catalog is opened again with it,
  /// and the line that waits for its answer is tried again.
  private func recordLines() async throws {
    var lines = InputLines()
    var isAtEnd = false
    while !isAtEnd {
      let kind = try options.describedKind()
      var isOpened = false
      do {
        isAtEnd = try await options.changeCatalog(of: kind, waiting, clock: time.clock) {
          isOpened = true
          return try await record(&lines, in: $0)
        }
      } catch {
        // The log got another description since this one was read.
        guard !isOpened, try options.describedKind().fingerprint != kind.fingerprint else {
          throw error
        }
      }
    }
    if lines.isRefused { throw Exit(status: .findings) }
  }

  /// - Returns: false if the catalog has another description now, and the last line was not answered.
  private func record(
    _ lines: inout InputLines, in catalog: EventCatalog<DescribedKind>
  ) async throws -> Bool {
    let console = Console.current
    let reader = OwnEventReader(catalog.kind)
    while let (line, number) = lines.next() {
      do {
        let made = try reader.event(ofLine: line, number)
        let report = try await catalog.change(by: by) { _ in [made] }
        try console.write(line: [
          "line": number, "outcome": report.outcome.rawValue, "sequence": report.sequence,
          "remarks": report.remarks.isEmpty ? nil : report.remarks,
        ])
      } catch {
        // An event that the description before lacked, or had otherwise, is not wrong yet.
        if !lines.isRepeated, try options.describedKind().fingerprint != catalog.kind.fingerprint {
          lines.repeatLast()
          return false
        }
        let isRefusal = error.isRefusalOfEvent
        try console.write(line: [
          "line": number, "outcome": isRefusal ? "refused" : "failed", "reason": "\(error)",
        ])
        guard isRefusal else { throw error }
        lines.isRefused = true
      }
    }
    return true
  }
}

/// The lines of standard input with their numbers, without those that are empty.
private struct InputLines {
  /// Whether a line was refused.
  var isRefused = false
  /// Whether the last line was handed out before.
  private(set) var isRepeated = false
  private var last: (line: String, number: Int)?
  private var waits = false
  private var number = 0

  /// Reads the next line; nil at the end.
  mutating func next() -> (line: String, number: Int)? {
    isRepeated = waits
    if waits {
      waits = false
      return last
    }
    while let line = readLine() {
      number += 1
      guard !line.allSatisfy(\.isWhitespace) else { continue }
      last = (line, number)
      return last
    }
    return nil
  }

  /// Hands the last line out again.
  mutating func repeatLast() { waits = true }
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
