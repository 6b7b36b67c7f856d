import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog

struct RebuildCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rebuild",
    abstract: "Rebuild the database from event 1.",
    discussion: """
      Programs that have the database open see the old rows, then the new ones. With --out the rows are \
      written to a new file and the live database stays as it is; the same log gives the same bytes.

      If the log lacks events that the database has seen, they were lost, or the log was replaced by an older or another \
      one, as a checkout of git does: nothing is changed then unless --discard says that the log is right.
      """.examples(
        "\(ProgramName.current) rebuild",
        "\(ProgramName.current) rebuild --discard",
        "\(ProgramName.current) rebuild --out again.sqlite"))

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
    help: "Rebuild also if the log lacks events that the database has seen; their rows go.")
  var discard = false

  func validate() throws {
    if out != nil, discard {
      throw ValidationError("--out does not change the live database: leave --discard out")
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

  private func log() throws -> CatalogLog {
    guard out == nil else { return try options.log() }
    let directory = try options.directory
    guard try discard || isLinkToAnother(directory) else { return try options.wholeLog() }
    return try KnownKinds.current.log(directory.logThatShouldBe(), besides: directory.database)
  }

  /// Whether the database is a link to that of another log, which says nothing about this one.
  private func isLinkToAnother(_ directory: CatalogDirectory) throws -> Bool {
    guard DatabaseFile.isLink(directory.database),
      let checkpoint = LostEvents.checkpoint(in: directory)
    else { return false }
    return try directory.store().logID() != checkpoint.logID
  }

  private func rebuild(_ opening: OpeningOptions, _ progress: ProgressPrinter) async throws {
    let console = Console.current
    let log = try log()
    let target: String
    if let out {
      _ = try NewFile(out, apartFrom: CatalogPlaces(of: options.directory)).make {
        try ProjectionRebuild(log, progress: progress.observer).write(to: $0)
      }
      target = out
    } else {
      let directory = try options.directory
      let (copy, discards) = (keepOld, discard)
      try await Blocking.run {
        try OpenedCatalog.rebuild(
          directory, log.kind, options: opening, keepingOld: copy, discarding: discards)
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
