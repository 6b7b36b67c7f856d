import ArgumentParser
import CatalogModel
import CatalogStore
import EngineCommands
import SoundLibrary

struct TagRenameCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Rename a value; the old name becomes an alias.",
    discussion: "A name that another value has is refused: use merge.".examples(
      "\(ProgramName.current) tag rename moods Spooky Eerie"))

  @OptionGroup var changing: ChangeOptions

  @Argument(help: "locations, moods, musicThemes, …")
  var dimension: DimensionArgument

  @Argument(help: "The current name.", completion: LibraryCompletion.tagsOfNamedDimension)
  var name: String

  @Argument(help: "Its new name.")
  var newName: String

  func run() async throws {
    let dimension = dimension.dimension
    try await changing.change { catalog in
      try await catalog.tags.rename(name, in: dimension, to: newName)
    }
  }
}

struct TagMergeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge two values: the items of the first get the second.",
    discussion: """
      The first name becomes an alias, and its id finds the second value in saved filters. A revert of the operation \
      brings both values back.
      """.examples(
        "\(ProgramName.current) tag merge atmosphereThemes 1920s 1920"))

  @OptionGroup var changing: ChangeOptions

  @Argument(help: "locations, moods, musicThemes, …")
  var dimension: DimensionArgument

  @Argument(help: "The value to merge.", completion: LibraryCompletion.tagsOfNamedDimension)
  var name: String

  @Argument(help: "The value to keep.", completion: LibraryCompletion.tagsOfNamedDimension)
  var into: String

  func run() async throws {
    let dimension = dimension.dimension
    try await changing.change { catalog in
      try await catalog.tags.merge(name, into: into, in: dimension)
    }
  }
}

struct TagAliasCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alias",
    abstract: "Map a name to a value in later imports.",
    discussion: "".examples(
      "\(ProgramName.current) tag alias moods Creepy Eerie"))

  @OptionGroup var changing: ChangeOptions

  @Argument(help: "locations, moods, musicThemes, …")
  var dimension: DimensionArgument

  @Argument(help: "The name in documents.")
  var alias: String

  @Argument(help: "The value that it means.", completion: LibraryCompletion.tagsOfNamedDimension)
  var name: String

  func run() async throws {
    let dimension = dimension.dimension
    try await changing.change { catalog in
      try await catalog.tags.alias(alias, for: name, in: dimension)
    }
  }
}
