import ArgumentParser
import CatalogEngine
import CatalogModel
import ConcertArchive
import EngineCommands

struct ShowsShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show all that the archive has of a show.",
    discussion: "".examples(
      "\(ProgramName.current) shows show 1977-05-08-barton-hall-cornell-u-ithaca-ny-usa"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var argument: ShowArgument

  func run() async throws {
    try await options.readArchive(argument) { archive, id in
      guard let show = try await archive.shows.show(id) else {
        throw UnknownShow(id)
      }
      try Console.current.write(options.format, json: show.json) { $0.write(show) }
    }
  }
}

extension Console {
  fileprivate func write(_ show: Show) {
    write("\(show.showID)")
    write("date        \(show.date)" + (show.showSequence > 1 ? ", show \(show.showSequence)" : ""))
    write("band        \(show.band)")
    let place = [show.venueName, show.city, show.state, show.country].compactMap { $0 }
    write("venue       \(place.filter { !$0.isEmpty }.joined(separator: ", "))")
    if let members = show.memberList { write("lineup      \(members)") }
    if let rating = show.averageRating {
      write("rating      \(rating), \(Count.of(show.totalReviews, "review"))")
    }
    write(
      "recordings  \(show.recordingCount)" + (show.bestRecordingID.map { ", best \($0)" } ?? ""))
    if show.isInLibrary { write("library     saved") }
    if let setlist = show.setlistRaw, case .array(let sets)? = JSONValue(text: setlist) {
      for set in sets { write(set: set) }
    }
  }

  private func write(set: JSONValue) {
    guard case .array(let songs)? = set["songs"] else { return }
    let names = songs.compactMap { song -> String? in
      if case .string(let name)? = song["name"] { name } else { nil }
    }
    var title = "set"
    if case .string(let name)? = set["set"] { title = name }
    write(
      (title + "  ").padded(to: 12) + names.joined(separator: ", "))
  }
}

extension Show {
  fileprivate var json: JSONObject {
    [
      "line": ShowLine(self).json, "band": band, "setlist": setlistRaw, "lineup": lineupRaw,
      "recordings": recordingsRaw, "bestRecordingId": bestRecordingID,
      "totalReviews": totalReviews,
    ]
  }
}
