import ArgumentParser
import CatalogEngine
import EngineCommands
import Foundation
import TrackLibrary

struct PlaylistCreateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Add an empty playlist.",
    discussion: "".examples("\(ProgramName.current) tracks playlist create Evening"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  @Argument(help: ArgumentHelp("The playlist's name.", valueName: "name"))
  var name: String

  @Option(name: .long, help: ArgumentHelp("What it is.", valueName: "text"))
  var description: String?

  func run() async throws {
    let id = EntityID(UUID())
    try await options.changeLibrary(waiting, changed: "created \(id)") { library in
      let isTaken = try await Self.isTaken(name, in: library)
      let change = try await library.playlists.create(id, name: name, description: description)
      if isTaken {
        Console.current.note(
          "another playlist is called \"\(name)\" already, in capitals or not: name each by its id")
      }
      return change
    }
  }

  private static func isTaken(_ name: String, in library: TrackLibrary) async throws -> Bool {
    do {
      _ = try await library.playlists.id(of: PlaylistText(name))
      return true
    } catch let error as PlaylistError where error.code == .notFound {
      return false
    } catch let error as PlaylistError where error.code == .ambiguous {
      return true
    }
  }
}

struct PlaylistChangeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "change",
    abstract: "Change the name, the description or the picture of a playlist.",
    discussion: "What is not given stays. Its tracks stay.".examples(
      "\(ProgramName.current) tracks playlist change Evening --name Night",
      "\(ProgramName.current) tracks playlist change Night --description \"\""))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var argument: PlaylistArgument

  @Option(name: .long, help: ArgumentHelp("The new name.", valueName: "text"))
  var name: String?

  @Option(name: .long, help: ArgumentHelp("What it is; empty for nothing.", valueName: "text"))
  var description: String?

  @Option(
    name: .long, help: ArgumentHelp("Where its picture is; empty for none.", valueName: "url"))
  var artworkURL: String?

  func validate() throws {
    guard name != nil || description != nil || artworkURL != nil else {
      throw ValidationError(
        "There is nothing to change: give --name, --description or --artwork-url.")
    }
  }

  func run() async throws {
    let reference = argument.reference
    try await options.changeLibrary(waiting, changed: "changed \(reference.text)") {
      try await $0.playlists.change(
        reference, name: name, description: description, artworkURL: artworkURL)
    }
  }
}

struct PlaylistAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Put tracks into a playlist.",
    discussion: "".examples(
      "\(ProgramName.current) tracks playlist add Evening 00000000-0000-4000-8000-000000000001",
      "\(ProgramName.current) tracks playlist add Evening 'Lantern Waltz' 'Night Ferry'"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var argument: PlaylistArgument

  @Argument(
    help: ArgumentHelp(
      "Tracks, each by its id, the beginning of it, or its title; one may appear twice.",
      valueName: "track"))
  var tracks: [String]

  @Option(
    name: .long,
    help: ArgumentHelp("The position of the first one. Default: the end.", valueName: "position"))
  var at: Int?

  func run() async throws {
    try await options.changeLibrary(waiting, changed: "added \(Count.of(tracks.count, "track"))") {
      library in
      var ids: [EntityID] = []
      for track in tracks { ids.append(try await options.track([track], in: library)) }
      return try await library.playlists.add(ids, to: argument.reference, at: at)
    }
  }
}

struct PlaylistRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Take the track at a position out of a playlist.",
    discussion: "The same track at another position stays.".examples(
      "\(ProgramName.current) tracks playlist remove Evening 3"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var argument: PlaylistArgument

  @Argument(help: ArgumentHelp("The position, from 0.", valueName: "position"))
  var position: Int

  func run() async throws {
    try await options.changeLibrary(waiting, changed: "removed position \(position)") {
      try await $0.playlists.remove(at: position, from: argument.reference)
    }
  }
}

struct PlaylistMoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move", abstract: "Move the track at a position of a playlist.",
    discussion: "".examples("\(ProgramName.current) tracks playlist move Evening 3 0"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var argument: PlaylistArgument

  @Argument(help: ArgumentHelp("Where it is, from 0.", valueName: "from"))
  var from: Int

  @Argument(help: ArgumentHelp("Where it is afterwards.", valueName: "to"))
  var to: Int

  func run() async throws {
    try await options.changeLibrary(waiting, changed: "moved position \(from) to \(to)") {
      try await $0.playlists.move(from: from, to: to, in: argument.reference)
    }
  }
}

struct PlaylistDeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Remove a playlist; its tracks stay.",
    discussion: "".examples("\(ProgramName.current) tracks playlist delete Evening"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var argument: PlaylistArgument

  func run() async throws {
    let reference = argument.reference
    try await options.changeLibrary(waiting, changed: "deleted \(reference.text)") {
      try await $0.playlists.delete(reference)
    }
  }
}
