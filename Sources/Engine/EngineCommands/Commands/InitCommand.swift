import ArgumentParser
import CatalogEngine
import CatalogModel
import EventLog
import Foundation
import Support

struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Create an empty catalog.",
    discussion: """
      An empty catalog can be changed, rebuilt and verified like any other. With --log its events are in PostgreSQL, \
      where other machines read them and append to them, each with its own folder. If there is such a log \
      already, this folder joins it; if there are only others, a new one needs its --kind. A password is in PGPASSWORD or ~/.pgpass, never in the address.

      Kinds of this program: \(KnownKinds.current.names.joined(separator: ", ")).\(describedKinds)
      """.examples(
        "\(ProgramName.current) init --catalog new",
        "\(ProgramName.current) init --catalog new --log postgresql://db.example/catalogs#sounds"))

  /// Says with which options a description makes a kind; empty if the program has no such command.
  private static var describedKinds: String {
    let options = CatalogProgram.current?.variants.compactMap { variant -> [String]? in
      guard variant.command.configuration.commandName == "init" else { return nil }
      if case .options(let options) = variant.condition { return options }
      return nil
    }.first
    guard let options, let first = options.first else { return "" }
    return
      " A kind of tables of your own comes from a file, with \(options.joined(separator: " or ")): "
      + "`\(ProgramName.current) init \(first) FILE --help` says how."
  }

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The kind of catalog; default the first kind of this program.", valueName: "name"),
    completion: .list(KnownKinds.current.names))
  var kind: String?

  @OptionGroup var sharing: SharedLogArguments

  // For histories that have to be the same in each run, as that of README: a log with this id may exist once only.
  @Option(name: .customLong("log-id"), help: .hidden)
  var logID: String?

  @Option(name: .long, help: .hidden)
  var at: String?

  func validate() throws {
    if let logID, LogID(logID) == nil {
      throw ValidationError("--log-id takes a UUID in lower case, not \"\(logID)\"")
    }
    if let at, Timestamp(at) == nil {
      throw ValidationError("--at takes a time such as 2026-01-31T12:00:00Z, not \"\(at)\"")
    }
  }

  func run() async throws {
    let console = Console.current
    let kinds = KnownKinds.current
    let found = try kind.map { name in
      guard let found = kinds.kind(named: name) else {
        // As its commands are called: "tracks" for "track-library".
        let near =
          NearMiss.find(name, among: kinds.names)
          ?? kinds.names.first { known in
            name.count > 2 && name.lowercased().hasPrefix(known.prefix { $0 != "-" })
          }
        throw ValidationError(
          "there is no kind \"\(name)\"; "
            + (near.map { "did you mean \"\($0)\"?" }
              ?? "this program knows " + kinds.names.joined(separator: ", ")))
      }
      return found
    }
    let address = try sharing.address
    let shared = try address.flatMap { try kinds.knownKind(of: $0.store(), besides: nil) }
    guard let kind = found ?? shared ?? kinds.first else {
      throw ValidationError("this program was built without any kind of catalog")
    }
    if self.kind == nil, shared == nil {
      try sharing.requireName("--kind: " + kinds.names.joined(separator: ", "))
    }
    let directory = try options.directory
    let clock = at.flatMap { Timestamp($0) }.map { CatalogClock.fixed($0) } ?? .system
    let isNew = try await options.changing(waiting, clock: clock) { opening, _ in
      var opening = opening
      let id = logID.flatMap { LogID($0) } ?? opening.newLogID()
      opening.newLogID = { id }
      return try await Blocking.run { [opening] in
        try sharing.joining(directory, logID: id) {
          let catalog = try OpenedCatalog.open(directory, kind, options: opening)
          defer { catalog.close() }
          // A folder joins a log that it can only read, too.
          return try shared == nil && catalog.create(by: "cli")
        }
      }
    }
    if !isNew, let address { return try joined(directory, address, console) }
    guard isNew else {
      throw CatalogError(
        .directory, "\(directory.path) already holds a catalog; name another folder")
    }
    let json: JSONObject = [
      "catalog": directory.path, "kind": kind.name, "log": address?.description,
    ]
    try console.write(options.format, json: json) {
      $0.write("created a catalog of kind \(kind.name) in \(directory.path)")
      if let address {
        console.note(
          "there was no log at \(address): it is new; to join another one, check the name")
      }
    }
  }

  /// Says that the folder has the events of a log that existed before.
  private func joined(
    _ directory: CatalogDirectory, _ address: SharedLogAddress, _ console: Console
  ) throws {
    let kind = try KnownKinds.current.kind(of: directory).name
    let sequence = try directory.store().head()?.sequence ?? 0
    let json: JSONObject = [
      "catalog": directory.path, "kind": kind, "log": "\(address)",
      // The event at which the existing log was joined.
      "joined": sequence,
    ]
    try console.write(options.format, json: json) {
      $0.write("\(directory.path) joined \(address) at event \(sequence), of kind \(kind)")
    }
  }
}
