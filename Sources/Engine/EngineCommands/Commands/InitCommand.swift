import ArgumentParser
import CatalogEngine
import CatalogModel
import Recoveries

struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Create an empty catalog.",
    discussion: """
      An empty catalog can be changed, rebuilt and verified like any other.
      """.examples(
        "\(ProgramName.current) init --catalog new"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The kind of catalog; default the first kind of this program.", valueName: "name"),
    completion: .list(KnownKinds.current.names))
  var kind: String?

  func run() async throws {
    let console = Console.current
    let kinds = KnownKinds.current
    let found = try kind.map { name in
      guard let found = kinds.kind(named: name) else {
        throw ValidationError(
          "there is no kind \"\(name)\"; this program knows " + kinds.names.joined(separator: ", "))
      }
      return found
    }
    guard let kind = found ?? kinds.first else {
      throw ValidationError("this program was built without any kind of catalog")
    }
    let directory = try options.directory
    let isNew = try await options.changing(waiting) { opening, _ in
      try await Blocking.run {
        let catalog = try OpenedCatalog.open(directory, kind, options: opening)
        defer { catalog.close() }
        return try catalog.create(by: "cli")
      }
    }
    guard isNew else {
      throw CatalogError(
        .directory, "\(directory.path) already holds a catalog; name another folder")
    }
    switch options.format {
    case .text: console.write("created a catalog of kind \(kind.name) in \(directory.path)")
    case .json: try console.write(json: InitJSON(catalog: directory.path, kind: kind.name))
    }
  }
}

private struct InitJSON: Encodable {
  let catalog: String
  let kind: String
}
