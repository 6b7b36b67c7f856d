import ArgumentParser
import EngineCommands
import TrackLibrary

struct TracksTagCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tag", abstract: "List and change the tags of songs.",
    discussion: """
      Favorites and Recent are system tags: songs have them as any other, and nobody renames or removes them.
      """.examples(
        "\(ProgramName.current) tracks tag add calm --color '#00AA88'",
        "\(ProgramName.current) tracks tag set USS1Z9900001 calm Favorites"),
    subcommands: [
      TracksTagListCommand.self, TracksTagAddCommand.self, TracksTagRemoveCommand.self,
      TracksTagRenameCommand.self, TracksTagSetCommand.self,
    ])
}

struct TracksTagListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List all tags by name.",
    discussion: "".examples("\(ProgramName.current) tracks tag list"))

  @OptionGroup var options: CatalogOptions

  func run() async throws {
    try await options.readLibrary { library in
      let tags = try await library.tags.list()
      try Console.current.write(
        options.format, json: ["tags": tags.map(\.json)] as JSONObject
      ) { console in
        for tag in tags {
          console.write(
            "\(tag.hexColor)  \(tag.name) (\(Count.of(tag.songCount, "song")))"
              + (tag.isSystemTag ? "  system" : ""))
        }
      }
    }
  }
}

struct TracksTagAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a tag.",
    discussion: "".examples("\(ProgramName.current) tracks tag add calm --color '#00AA88'"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  @Argument(help: ArgumentHelp("The tag's name.", valueName: "tag"))
  var tag: String

  @Option(name: .long, help: ArgumentHelp("Its colour.", valueName: "#rrggbb"))
  var color = "#8E8E93"

  func run() async throws {
    try await options.changeLibrary(waiting, changed: "added \"\(tag)\"") {
      try await $0.tags.add(tag, hexColor: color)
    }
  }
}

struct TracksTagRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a tag, also from all songs.",
    discussion: "".examples("\(ProgramName.current) tracks tag remove calm"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  @Argument(help: ArgumentHelp("The tag's name.", valueName: "tag"))
  var tag: String

  func run() async throws {
    try await options.changeLibrary(waiting, changed: "removed \"\(tag)\"") {
      try await $0.tags.remove(tag)
    }
  }
}

struct TracksTagRenameCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Give a tag another name, another colour, or both.",
    discussion: "".examples(
      "\(ProgramName.current) tracks tag rename calm quiet",
      "\(ProgramName.current) tracks tag rename calm calm --color '#00AA88'"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  @Argument(help: ArgumentHelp("The tag's name.", valueName: "tag"))
  var tag: String

  @Argument(help: ArgumentHelp("Its name from now on.", valueName: "name"))
  var name: String

  @Option(name: .long, help: ArgumentHelp("Its colour from now on.", valueName: "#rrggbb"))
  var color: String?

  func run() async throws {
    try await options.changeLibrary(waiting, changed: "\"\(tag)\" is \"\(name)\" now") {
      try await $0.tags.change(tag, to: name, hexColor: color)
    }
  }
}

struct TracksTagSetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Say all tags that one source gives a song.",
    discussion: """
      They replace those that this source gave it before. What other sources give it stays.
      """.examples(
        "\(ProgramName.current) tracks tag set USS1Z9900001 calm Favorites",
        "\(ProgramName.current) tracks tag set 1488408568 loud --source analysis",
        "\(ProgramName.current) tracks tag set 1488408568 --remove --source analysis"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  @Argument(
    help: ArgumentHelp("The song's ISRC, Apple Music id, or title.", valueName: "song"))
  var song: String

  @Argument(help: ArgumentHelp("Names of tags.", valueName: "tag"))
  var tags: [String] = []

  @Option(name: .long, help: ArgumentHelp("Who says so.", valueName: "source"))
  var source = TagEditor.person

  @OptionGroup var removal: RemovalArguments

  func validate() throws { try removal.validate("tags", isGiven: !tags.isEmpty) }

  func run() async throws {
    removal.note("tags", isGiven: !tags.isEmpty)
    try await options.changeLibrary(
      waiting, unchanged: "\(song) has these tags",
      changed: "\(song): \(Count.of(tags.count, "tag"))"
    ) { library in
      let id = try await options.key(of: song, Song.table.description, in: library.catalog)
      return try await library.tags.set(tags, of: id, from: source)
    }
  }
}

extension TagLine {
  fileprivate var json: JSONObject {
    [
      "id": id.description, "name": name, "hexColor": hexColor, "isSystemTag": isSystemTag,
      "songs": songCount,
    ]
  }
}
