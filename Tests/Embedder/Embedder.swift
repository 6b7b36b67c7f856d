import ArgumentParser
import Foundation

/// What an application does with the engine, in a process of its own that tests can kill, run beside others
/// and feed with hostile bytes.
@main
struct Embedder: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "embedder",
    abstract: "An application that embeds the engine, for tests to kill.",
    subcommands: [
      AppendCommand.self, BrowseCommand.self, ConcertsCommand.self, ContradictCommand.self,
      CopyCommand.self, EditCommand.self, MutateCommand.self, ObjectsCommand.self, ScanCommand.self,
      StatesCommand.self,
      TailCommand.self, TracksCommand.self,
    ])

  /// Writes a line at once: what stands in the pipe was said before whatever came next.
  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}

/// A check of the embedder's own that failed.
struct Failure: Error, CustomStringConvertible {
  let description: String
}
