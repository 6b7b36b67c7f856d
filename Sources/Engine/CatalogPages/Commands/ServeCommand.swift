import ArgumentParser
import CatalogEngine
import EngineCommands
import EventLog
import Foundation

struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Look at the catalog's past in a browser.",
    discussion: """
      Serves pages to browsers of this machine: an answer over time, one operation, one row and the events that wrote \
      it, whether the database is what the log says, SQL at any moment, and events. Prints the address, which has a \
      random token. Nothing is changed but the history, with --beside also that of the other catalog. Ctrl-C ends it.
      """.examples(
        "\(ProgramName.current) serve --open", "\(ProgramName.current) serve --beside backup"))

  @OptionGroup var location: CatalogLocation

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The folder of another catalog, with which the page Truth compares this one.",
      valueName: "dir"),
    completion: .directory)
  var beside: String?

  @Option(
    name: .long,
    help: ArgumentHelp("The port to listen on; default one of the system's.", valueName: "port"))
  var port = 0

  @Flag(name: .long, help: "Open the page in the browser.")
  var open = false

  func validate() throws {
    guard 0...65_535 ~= port else { throw ValidationError("--port takes 0 to 65535, not \(port)") }
  }

  func run() throws {
    // Reports a missing catalog before a server is started, or one whose log does not answer and whose history lacks events.
    let directory = try location.directory
    let log =
      try location.strict
      ? location.reader() : directory.pastLog(location.reader, of: .current).reader
    _ = try log.end()
    if let remembered = log as? RememberedLog {
      Console.current.error("\(ProgramName.current): warning: \(remembered.words)")
    }
    if let beside { _ = try CatalogDirectory(beside).logThatShouldBe() }
    let name = "\(ProgramName.current)-serve"
    let program = try Self.found(name)
    var words = [
      program, "--catalog", directory.path, "--port", String(port),
    ]
    if let beside { words += ["--beside", beside] }
    if open { words.append("--open") }
    // This process becomes the server: Ctrl-C and the end of a terminal reach it.
    var arguments = words.map { strdup($0) } + [nil]
    execv(program, &arguments)
    throw CatalogError(.directory, "cannot start \(program): \(String(cString: strerror(errno)))")
  }

  /// The server's program: beside this one, or in one of the folders of `PATH`.
  private static func found(_ name: String) throws -> String {
    var folders: [String] = []
    if let own = Bundle.main.executablePath {
      folders.append(
        URL(fileURLWithPath: own).resolvingSymlinksInPath().deletingLastPathComponent().path)
    }
    folders += (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(
      String.init)
    if let folder = folders.first(where: { access("\($0)/\(name)", X_OK) == 0 }) {
      return "\(folder)/\(name)"
    }
    throw CatalogError(
      .notFound,
      "\(name) is not beside this program, nor in a folder of PATH; Tools/build-release \(name) builds that of catalogctl"
    )
  }
}
