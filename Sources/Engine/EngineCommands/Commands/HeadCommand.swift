import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog

struct HeadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "head",
    abstract: "Show the last sequence of the log and its chain hash.",
    discussion: """
      Exit status 3 if the log lacks events that the database has applied.
      """.examples(
        "\(ProgramName.current) head",
        "\(ProgramName.current) head --format json | jq -r .chain"))

  @OptionGroup var options: CatalogOptions

  func run() throws {
    try Self.show(options.location.catalog, options.format, isStrict: options.isStrict)
  }

  /// - Parameters:
  ///   - catalog: the folder that was named, if any.
  ///   - isStrict: whether the server of the log must answer.
  static func show(_ catalog: String?, _ format: OutputFormat, isStrict: Bool = false) throws {
    let directory = try CatalogLocation.directory(catalog)
    guard let (logID, head) = try end(of: directory, isStrict: isStrict) else { return }
    let text = logID.description
    switch format {
    case .text: Console.current.write("\(head.sequence) \(head.chain.hex)")
    case .json where Console.current.shape == .csv:
      Console.current.write(
        document: "sequence,chain,logId\n\(head.sequence),\(head.chain.hex),\(text)\n")
    case .json:
      // Written by hand: this command starts fast, and Foundation's encoder is not needed for it.
      Console.current.write(
        "{\"chain\":\"\(head.chain.hex)\",\"logId\":\"\(text)\",\"sequence\":\(head.sequence)}")
    }
  }
}

extension HeadCommand {
  /// The end of a catalog's log; what the database has applied of it if the server of the log cannot be reached.
  private static func end(
    of directory: CatalogDirectory, isStrict: Bool
  ) throws -> (LogID, LogHead)? {
    do {
      let log = try directory.logThatShouldBe()
      guard let end = try LostEvents.end(of: log, in: directory) else { return nil }
      if let lost = end.lost { Console.current.warn(ofLost: lost) }
      return (end.logID, end.head)
    } catch let error as EventLogError where error.isSilence {
      let known = try directory.applied(without: error, isStrict: isStrict)
      return (known.logID, known.head)
    }
  }
}

/// `head` as scripts ask for it, before and after each thing they do: found without the parser, which takes more
/// time than all the rest. (It asks for each type which protocols that conforms to, and the answer is in a list of
/// 12,000.)
struct HeadFastPath {
  private(set) var catalog: String?
  private(set) var format = OutputFormat.text

  /// Nil where the arguments ask for another command, or for this one in any other way than by its name and
  /// each option once: the parser reads those, and says what is wrong with them.
  init?(_ arguments: [String]) {
    guard arguments.first == "head" else { return nil }
    var rest = arguments.dropFirst()
    var names: [String] = []
    while let name = rest.popFirst() {
      guard let value = rest.popFirst(), !value.isEmpty, value.utf8.first != UInt8(ascii: "-"),
        !names.contains(name)
      else { return nil }
      names.append(name)
      switch name {
      case "--catalog": catalog = value
      case "--format":
        guard let known = OutputFormat(rawValue: value) else { return nil }
        format = known
      default: return nil
      }
    }
  }
}
