import ArgumentParser
import Catalog
import CatalogModel
import EventLog

struct HeadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "head", _superCommandName: "catalogctl",
    abstract: "Show the last sequence of the log and its chain hash.",
    discussion: "".examples(
      "catalogctl head",
      "catalogctl head --format json | jq -r .chain"))

  @OptionGroup var options: CatalogOptions

  /// The command that arguments ask for where they ask for `head` and all is right with them.
  ///
  /// Scripts ask for the head before and after each thing they do. To find it among all commands took a quarter
  /// of its time: whether a type conforms to a protocol is looked up in a list of 12,000. With a super-command
  /// it is parsed as a part of `catalogctl`, and usage says so.
  static func parsed(from arguments: [String]) -> HeadCommand? {
    guard arguments.first == "head" else { return nil }
    return try? parseAsRoot(Array(arguments.dropFirst())) as? HeadCommand
  }

  func run() throws {
    let end = try options.log().end { LostEvents.appliedHead(in: options.directory) }
    guard let (id, head) = end else { return }
    let text = EntityID(bytes: id.bytes).description
    switch options.format {
    case .text: Console.current.write("\(head.sequence) \(head.chain.hex)")
    case .json:
      // Written by hand: this command starts fast, and Foundation's encoder is not needed for it.
      Console.current.write(
        "{\"chain\":\"\(head.chain.hex)\",\"logId\":\"\(text)\",\"sequence\":\(head.sequence)}")
    }
  }
}
