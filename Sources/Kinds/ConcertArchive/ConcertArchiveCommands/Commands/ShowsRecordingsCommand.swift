import ArgumentParser
import ConcertArchive
import EngineCommands

struct ShowsRecordingsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recordings", abstract: "List the recordings of a show, the best first.",
    discussion: """
      By rating, confidence, number of reviews and identifier. A star marks the one that the package calls the best.
      """.examples(
        "\(ProgramName.current) shows recordings 1977-05-08-barton-hall-cornell-u-ithaca-ny-usa"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var argument: ShowArgument

  func run() async throws {
    try await options.readArchive(argument) { archive, id in
      let recordings = try await archive.shows.recordings(of: id)
      let best = try await archive.shows.show(id)?.bestRecordingID
      try Console.current.write(
        options.format, json: recordings.map { $0.json(isBest: $0.identifier == best) }
      ) { console in
        for recording in recordings {
          console.write(
            "\(recording.identifier)\(recording.identifier == best ? "*" : "")  "
              + "\(recording.sourceType ?? "unknown")  \(recording.rating)  "
              + Count.of(recording.reviewCount, "review"))
        }
        console.note(Count.of(recordings.count, "recording"))
      }
    }
  }
}

extension Recording {
  fileprivate func json(isBest: Bool) -> JSONObject {
    [
      "identifier": identifier, "showId": showID, "sourceType": sourceType, "rating": rating,
      "rawRating": rawRating, "reviewCount": reviewCount, "confidence": confidence,
      "highRatings": highRatings, "lowRatings": lowRatings, "taper": taper, "source": source,
      "lineage": lineage, "isBest": isBest,
    ]
  }
}
