import ArgumentParser
import EngineCommands
import TrackLibrary

struct TracksQueueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue", abstract: "Show the order in which a playlist plays.",
    discussion: """
      Nothing is played, and nothing is changed: a host app plays. The same seed shuffles the same playlist alike.
      """.examples(
        "\(ProgramName.current) tracks queue Evening --shuffle --seed 7",
        "\(ProgramName.current) tracks queue Evening --repeat all --limit 20"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var argument: PlaylistArgument

  @Option(
    name: .long, help: ArgumentHelp("The position of the first track.", valueName: "position"))
  var start = 0

  @Flag(name: .long, help: "Shuffle the tracks after the first one.")
  var shuffle = false

  @Option(name: .long, help: ArgumentHelp("The shuffle's seed. Default: any.", valueName: "n"))
  var seed: UInt64?

  @Option(name: .long, help: "What to repeat.")
  var `repeat` = ChoiceArgument(PlaybackQueue<TrackLine>.RepeatMode.off)

  @Option(name: .long, help: ArgumentHelp("Show at most this many.", valueName: "n"))
  var limit = 50

  func validate() throws {
    try OptionBounds.requireCount(limit, "--limit")
    if seed != nil, !shuffle { throw ValidationError("--seed needs --shuffle") }
    if start < 0 { throw ValidationError("--start takes 0 or more, not \(start)") }
  }

  func run() async throws {
    try await options.readLibrary { library in
      let playlist = try await argument.found(in: library)
      guard playlist.tracks.isEmpty ? start == 0 : playlist.tracks.indices.contains(start) else {
        throw ValidationError(
          "the playlist has \(Count.of(playlist.tracks.count, "track")); --start is \(start)")
      }
      var queue = PlaybackQueue(playlist.tracks, startingAt: start)
      if shuffle {
        var random = SeededRandom(seed: seed ?? .random(in: .min ... .max))
        queue.shuffle(using: &random)
      }
      queue.repeatMode = self.repeat.choice
      var order: [TrackLine] = []
      var next = queue.current
      while let track = next, order.count < limit {
        order.append(track)
        next = queue.next()
      }
      try Console.current.write(
        options.format, json: ["tracks": order.map(\.json)] as JSONObject
      ) { console in
        for track in order { console.write(track.text) }
      }
    }
  }
}
