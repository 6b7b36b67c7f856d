import ArgumentParser
import ConcertArchive
import EngineCommands

struct ShowsSaveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "save", abstract: "Add a show to the library.",
    discussion: "".examples(
      "\(ProgramName.current) shows save 1977-05-08-barton-hall-cornell-u-ithaca-ny-usa"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var argument: ShowArgument

  func run() async throws {
    let (options, show) = (options, argument.show)
    try await options.withArchive { archive in
      try options.write(
        try await archive.library.add(show), unchanged: "\(show) is in the library",
        changed: "saved \(show)")
    }
  }
}

struct ShowsUnsaveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unsave", abstract: "Take a show out of the library, with its notes.",
    discussion: "".examples(
      "\(ProgramName.current) shows unsave 1977-05-08-barton-hall-cornell-u-ithaca-ny-usa"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var argument: ShowArgument

  func run() async throws {
    let (options, show) = (options, argument.show)
    try await options.withArchive { archive in
      try options.write(
        try await archive.library.remove(show), unchanged: "\(show) is not in the library",
        changed: "removed \(show) from the library")
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
  @OptionGroup var argument: ShowArgument

  @Flag(name: .long, help: "Take the pin away.")
  var remove = false

  func run() async throws {
    let (options, show, isPinned) = (options, argument.show, !remove)
    try await options.withArchive { archive in
      try options.write(
        try await archive.library.pin(show, isPinned),
        unchanged: "\(show) is \(isPinned ? "pinned" : "not pinned")",
        changed: "\(isPinned ? "pinned" : "unpinned") \(show)")
    }
  }
}

struct ShowsNoteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "note", abstract: "Write notes on a show of the library.",
    discussion: "Without notes, those that it has are removed.".examples(
      "\(ProgramName.current) shows note 1977-05-08-barton-hall-ithaca-ny-usa 'the one'"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var argument: ShowArgument

  @Argument(help: ArgumentHelp("The notes.", valueName: "notes"))
  var notes: String?

  func run() async throws {
    let (options, show, notes) = (options, argument.show, notes)
    try await options.withArchive { archive in
      try options.write(
        try await archive.library.note(show, notes), unchanged: "\(show) has these notes",
        changed: notes == nil ? "removed the notes of \(show)" : "noted on \(show)")
    }
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
    let (options, show, seconds, total) = (options, argument.show, seconds, of)
    try await options.withArchive { archive in
      try options.write(
        try await archive.recent.play(show, seconds: seconds, of: total),
        unchanged: "not counted: shorter than 30 seconds and than half", changed: "played \(show)")
    }
  }
}
