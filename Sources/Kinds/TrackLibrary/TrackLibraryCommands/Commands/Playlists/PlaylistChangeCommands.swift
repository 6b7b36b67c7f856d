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
      let change = try await library.playlists.create(id, name: name, description: description)
      try await library.noteOthers(called: name)
      return change
    }
  }
}

extension TrackLibrary {
  /// Says that another playlist has a name that was just given.
  fileprivate func noteOthers(called name: String) async throws {
    let lowered = NormalForm.nfc(name).lowercased()
    var found: [String] = []
    var cursor: KeysetCursor?
    repeat {
      let page = try await playlists.list(limit: 500, after: cursor)
      found += page.rows.map(\.name).filter { $0.lowercased().utf8.elementsEqual(lowered.utf8) }
      cursor = page.next
    } while cursor != nil
    let same = found.count { $0.utf8.elementsEqual(NormalForm.nfc(name).utf8) }
    if same > 1 {
      Console.current.note("another playlist is called \"\(name)\", too: name each by its id")
    } else if found.count > 1 {
      Console.current.note(
        "another playlist has this name in other capitals: each is found by its own spelling")
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
    try await options.changeLibrary(waiting, changed: "changed \(reference.text)") { library in
      let change = try await library.playlists.change(
        reference, name: name, description: description, artworkURL: artworkURL)
      if let name { try await library.noteOthers(called: name) }
      return change
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
