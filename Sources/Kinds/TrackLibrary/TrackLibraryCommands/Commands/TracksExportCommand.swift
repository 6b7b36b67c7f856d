import ArgumentParser
import EngineCommands
import TrackLibrary

struct TracksExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write a playlist as an M3U8 file.",
    discussion: """
      Importing the file again, here or elsewhere, makes the same playlist with the same tracks in the same order. A \
      file that exists is not replaced.
      """.examples("\(ProgramName.current) tracks export Evening --m3u evening.m3u8"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var argument: PlaylistArgument

  @Option(
    name: .long, help: ArgumentHelp("The new file. Default: standard output.", valueName: "file"),
    completion: .file())
  var m3u: String?

  func validate() throws {
    if m3u?.isEmpty == true { throw ValidationError("--m3u names no file") }
  }

  func run() async throws {
    try await options.readLibrary { library in
      let playlist = try await argument.found(in: library)
      let text = try playlist.m3u8()
      if let m3u { try options.write(text, toNewFile: m3u) }
      let json: JSONObject = [
        "playlist": playlist.id.description, "tracks": playlist.tracks.count, "file": m3u,
        "text": m3u == nil ? text : nil,
      ]
      try Console.current.write(options.format, json: json) { console in
        if let m3u {
          console.write("\(m3u): \(Count.of(playlist.tracks.count, "track"))")
        } else {
          console.write(document: text)
        }
      }
    }
  }
}
