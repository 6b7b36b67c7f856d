import ArgumentParser
import ConcertArchive
import EngineCommands

struct ShowsSaveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "save", abstract: "Add a show to the library.",
    discussion: "".examples(
      "\(ProgramName.current) shows save 1977-05-08-barton-hall-cornell-u-ithaca-ny-usa"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var argument: ShowArgument

  func run() async throws {
    try await options.changeArchive(
      waiting, argument, unchanged: { "\($0) is in the library" },
      changed: { "saved \($0)" },
      by: { try await $0.library.add($1) })
  }
}

struct ShowsUnsaveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unsave",
    abstract: "Take a show out of the library, with its notes, tags and rating.",
    discussion: "".examples(
      "\(ProgramName.current) shows unsave 1977-05-08-barton-hall-cornell-u-ithaca-ny-usa"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var argument: ShowArgument

  func run() async throws {
    try await options.changeArchive(
      waiting, argument, unchanged: { "\($0) is not in the library" },
      changed: { "removed \($0) from the library" },
      by: { try await $0.library.remove($1) })
  }
}

struct ShowsRestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Add shows to the library as `export` wrote them to saved-shows.json.",
    discussion: """
      With their pins, notes, tags and ratings. What the document does not say of a show stays as it is, and so do \
      other shows. All its shows must be in the archive: import their package first.
      """.examples(
        "\(ProgramName.current) shows restore package/saved-shows.json",
        "\(ProgramName.current) shows restore package/saved-shows.json --catalog new"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  @Argument(
    help: ArgumentHelp("The document; - is standard input.", valueName: "file"),
    completion: .file())
  var file: String

  func run() async throws {
    let document = try TypedDocument(file, limit: DocumentFile.sizeLimit)
    try await options.changeCatalog(of: ConcertArchiveKind(), waiting) { catalog in
      let change = try await ConcertArchive(catalog).library.restore(
        document.bytes, file: document.name)
      try options.write(
        change, unchanged: "the library has all of \(document.name)",
        changed: "\(document.name): appended \(Count.of(change.events, "event"))")
    }
  }
}

struct ShowsPinCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin", abstract: "Pin a show of the library, or take the pin away.",
    discussion: "".examples(
      "\(ProgramName.current) shows pin 1977-05-08-barton-hall-cornell-u-ithaca-ny-usa",
      "\(ProgramName.current) shows pin --remove 1977-05-08-winterland-san-francisco-ca-usa"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var argument: ShowArgument

  @Flag(name: .long, help: "Take the pin away.")
  var remove = false

  func run() async throws {
    let isPinned = !remove
    try await options.changeArchive(
      waiting, argument, unchanged: { "\($0) is \(isPinned ? "pinned" : "not pinned")" },
      changed: { "\(isPinned ? "pinned" : "unpinned") \($0)" },
      by: { try await $0.library.pin($1, isPinned) })
  }
}

struct ShowsNoteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "note", abstract: "Write notes on a show of the library.",
    discussion: "The notes replace those that it has.".examples(
      "\(ProgramName.current) shows note 1977-05-08-barton-hall-ithaca-ny-usa 'the one'",
      "\(ProgramName.current) shows note 1977-05-08-barton-hall-ithaca-ny-usa --remove"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var argument: ShowArgument

  @Argument(help: ArgumentHelp("The notes.", valueName: "notes"))
  var notes: String?

  @OptionGroup var removal: RemovalArguments

  func validate() throws { try removal.validate("notes", isGiven: notes != nil) }

  func run() async throws {
    removal.note("notes", isGiven: notes != nil)
    let notes = notes ?? ""
    try await options.changeArchive(
      waiting, argument, unchanged: { "\($0) has \(notes.isEmpty ? "no" : "these") notes" },
      changed: { notes.isEmpty ? "removed the notes of \($0)" : "noted on \($0)" },
      by: { try await $0.library.note($1, notes) })
  }
}

struct ShowsRateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rate", abstract: "Give a show of the library a rating of your own.",
    discussion: "The rating replaces the one that it has.".examples(
      "\(ProgramName.current) shows rate 1977-05-08-barton-hall-cornell-u-ithaca-ny-usa 4.5",
      "\(ProgramName.current) shows rate 1977-05-08-barton-hall-ithaca-ny-usa --remove"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var argument: ShowArgument

  @Argument(help: ArgumentHelp("From 0 to 5.", valueName: "rating"))
  var rating: Double?

  @OptionGroup var removal: RemovalArguments

  func validate() throws { try removal.validate("rating", isGiven: rating != nil) }

  func run() async throws {
    removal.note("rating", isGiven: rating != nil)
    try await options.changeArchive(
      waiting, argument,
      unchanged: { "\($0) has \(rating == nil ? "no rating of yours" : "this rating")" },
      changed: { "\(rating == nil ? "removed the rating of" : "rated") \($0)" },
      by: { try await $0.library.rate($1, rating) })
  }
}

struct ShowsTagCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tag", abstract: "Give a show of the library these tags, and no others.",
    discussion: "The tags replace those that it has.".examples(
      "\(ProgramName.current) shows tag 1977-05-08-barton-hall-ithaca-ny-usa spring 'first set'",
      "\(ProgramName.current) shows tag 1977-05-08-barton-hall-ithaca-ny-usa --remove"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var argument: ShowArgument

  @Argument(help: ArgumentHelp("The tags.", valueName: "tags"))
  var tags: [String] = []

  @OptionGroup var removal: RemovalArguments

  func validate() throws { try removal.validate("tags", isGiven: !tags.isEmpty) }

  func run() async throws {
    removal.note("tags", isGiven: !tags.isEmpty)
    try await options.changeArchive(
      waiting, argument, unchanged: { "\($0) has \(tags.isEmpty ? "no" : "these") tags" },
      changed: { "\(tags.isEmpty ? "removed the tags of" : "tagged") \($0)" },
      by: { try await $0.library.tag($1, tags) })
  }
}

struct ShowsPlayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play", abstract: "Count a play of a show.",
    discussion: """
      A play counts from 30 seconds on, or from half of what was played: 10 of 300 seconds count nothing.
      """.examples(
        "\(ProgramName.current) shows play 1977-05-08-barton-hall-ithaca-ny-usa --seconds 45"
      ))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var argument: ShowArgument

  @Option(
    name: .long, help: ArgumentHelp("For how long somebody listened.", valueName: "seconds"))
  var seconds: Double

  @Option(name: .long, help: ArgumentHelp("How long the track is.", valueName: "seconds"))
  var of: Double?

  func validate() throws {
    for value in [seconds, of ?? 0] where !(value >= 0 && value.isFinite) {
      throw ValidationError("--seconds and --of take seconds from 0 on, not \(value)")
    }
  }

  func run() async throws {
    try await options.changeArchive(
      waiting, argument, unchanged: { _ in "not counted: shorter than 30 seconds and than half" },
      changed: { "played \($0)" },
      by: { try await $0.recent.play($1, seconds: seconds, of: of) })
  }
}
