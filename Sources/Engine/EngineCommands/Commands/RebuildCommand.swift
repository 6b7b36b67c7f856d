import ArgumentParser
import CatalogEngine
import CatalogModel
import EventLog
import LibC
import Support

struct RebuildCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rebuild",
    abstract: "Rebuild the database from event 1.",
    discussion: """
      Programs that have the database open see the old rows, then the new ones. With --out the rows are \
      written to a new file and the live database stays as it is; the same log gives the same bytes.
      """.examples(
        "\(ProgramName.current) rebuild",
        "\(ProgramName.current) rebuild --out again.sqlite",
        "\(ProgramName.current) rebuild --discard"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  @Option(
    name: .long,
    help: ArgumentHelp("Write to this new file, not to the live database.", valueName: "file"),
    completion: .file())
  var out: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Copy the old database to this new file first, to study what drifted.",
      valueName: "file"),
    completion: .file())
  var keepOld: String?

  @Flag(
    name: .long,
    help: ArgumentHelp(
      "Throw database and history away first: the log was replaced by an older or another one, as by a checkout in git."
    ))
  var discard = false

  func validate() throws {
    if out != nil, discard {
      throw ValidationError("--out does not change the live database: leave --discard out")
    }
    if keepOld != nil, discard {
      throw ValidationError("--keep-old keeps what --discard throws away: leave one of them out")
    }
    if out != nil, keepOld != nil {
      throw ValidationError("--out does not change the live database: leave --keep-old out")
    }
  }

  func run() async throws {
    if out == nil { try options.directory.requireWritable(isRebuilding: true) }
    try await options.interruptible(waiting, nothing: "the database is as it was") {
      opening, progress in
      try await rebuild(opening, progress)
    }
  }

  /// Removes the database and the history, which a log that exists makes again.
  private func throwAway() throws {
    let directory = try options.directory
    let reader = try directory.existingLog()
    // A log that cannot be read to its end makes no database again.
    _ = try reader.check()
    if let kind = try KnownKinds.current.knownKind(of: reader, besides: nil) {
      try CatalogHistory(directory, CatalogLog(reader, kind))?.remove()
    }
    for ending in ["", "-journal", "-wal", "-shm", "-proved"] {
      let path = directory.database + ending
      guard unlink(path) == 0 || errno == ENOENT else {
        throw CatalogError(.directory, "cannot remove \(path): \(SystemError.current)")
      }
    }
  }

  private func rebuild(_ opening: OpeningOptions, _ progress: ProgressPrinter) async throws {
    let console = Console.current
    if discard { try throwAway() }
    let log = try out == nil ? options.wholeLog() : options.log()
    let target: String
    if let out {
      _ = try NewFile(out, apartFrom: CatalogPlaces(of: options.directory)).make {
        try ProjectionRebuild(log, progress: progress.observer).write(to: $0)
      }
      target = out
    } else {
      let directory = try options.directory
      let copy = keepOld
      try await Blocking.run {
        try OpenedCatalog.rebuild(directory, log.kind, options: opening, keepingOld: copy)
      }
      target = try options.directory.path + "/catalog.sqlite"
    }
    progress.finish()
    guard let head = try log.head() else { return }
    let json: JSONObject = [
      "file": target, "sequence": head.sequence, "chain": head.chain.hex,
    ]
    try console.write(options.format, json: json) {
      $0.write("rebuilt \(target) from \(Count.of(head.sequence, "event"))")
    }
  }
}
