import ArgumentParser
import CatalogControl
import CatalogEngine
import CatalogPages
import CatalogServer
import EngineCommands
import Foundation

/// Serves the inspector. `catalogctl serve` starts it.
@main
struct ServeProgram: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "catalogctl-serve",
    abstract: "Serve pages that show a catalog's past, to browsers of this machine.")

  @Option(name: .long, help: "The folder of the catalog.")
  var catalog: String

  @Option(name: .long, help: "The folder of another catalog, to compare this one with.")
  var beside: String?

  @Option(name: .long, help: "The port to listen on; 0 leaves it to the system.")
  var port = 0

  @Flag(name: .long, help: "Open the page in the browser.")
  var open = false

  @Option(name: .long, help: .hidden)
  var patience = 20.0

  func validate() throws {
    guard patience > 0 else { throw ValidationError("--patience takes seconds") }
    guard 0...65_535 ~= port else { throw ValidationError("--port takes 0 to 65535, not \(port)") }
  }

  func run() async throws {
    let inspector = CatalogInspector(
      CatalogControl.program, CatalogDirectory(catalog),
      beside: beside.map { CatalogDirectory($0) },
      patience: .milliseconds(Int64(patience * 1_000)))
    let server: CatalogServer
    do {
      server = try await CatalogServer.start(inspector, port: port)
    } catch {
      Console.standard.error(
        "catalogctl: cannot listen on port \(port) of 127.0.0.1: \(error); name another with --port"
      )
      throw ExitCode(1)
    }
    Console.standard.write(server.address)
    Console.standard.error("The address gives access to the catalog. Ctrl-C ends the server.")
    if open { try Self.openBrowser(server.address) }
    try await server.run()
  }

  private static func openBrowser(_ address: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    #if os(macOS)
      process.arguments = ["open", address]
    #else
      process.arguments = ["xdg-open", address]
    #endif
    try process.run()
  }
}
