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
    let (id, format) = (argument.show, options.format)
    try await options.readArchive { archive in
      let recordings = try await archive.shows.recordings(of: id)
      let best = try await archive.shows.show(id)?.bestRecordingID
      let console = Console.current
      switch format {
      case .text:
        for recording in recordings {
          console.write(
            "\(recording.identifier)\(recording.identifier == best ? "*" : "")  "
              + "\(recording.sourceType ?? "unknown")  \(recording.rating)  "
              + Count.of(recording.reviewCount, "review"))
        }
        console.error(Count.of(recordings.count, "recording"))
      case .json:
        try console.write(json: recordings.map { RecordingJSON($0, isBest: $0.identifier == best) })
      }
    }
  }
}

private struct RecordingJSON: Encodable {
  let identifier: String
  let showId: String
  let sourceType: String?
  let rating: Double
  let rawRating: Double
  let reviewCount: Int64
  let confidence: Double
  let highRatings: Int64
  let lowRatings: Int64
  let taper: String?
  let source: String?
  let lineage: String?
  let isBest: Bool

  init(_ recording: Recording, isBest: Bool) {
    identifier = recording.identifier
    showId = recording.showID
    sourceType = recording.sourceType
    rating = recording.rating
    rawRating = recording.rawRating
    reviewCount = recording.reviewCount
    confidence = recording.confidence
    highRatings = recording.highRatings
    lowRatings = recording.lowRatings
    taper = recording.taper
    source = recording.source
    lineage = recording.lineage
    self.isBest = isBest
  }
}
