import ArgumentParser
import CatalogEngine
import ConcertArchive
import EngineCommands

/// The show that a command is about.
struct ShowArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The show's id.", valueName: "show"))
  var show: String
}

extension ShowLine {
  /// `1977-05-08-…  Barton Hall, Ithaca, NY, USA`
  var text: String {
    let place = [venueName, city, state, country].compactMap { $0 }.filter { !$0.isEmpty }
    // A state that is the country is said once.
    let places = place.enumerated().filter { $0 == 0 || place[$0 - 1] != $1 }.map(\.1)
    return "\(showID)  \(places.joined(separator: ", "))" + (isInLibrary ? "  (saved)" : "")
  }
}

/// A show of a list, as JSON.
struct ShowLineJSON: Encodable {
  let showId: String
  let date: String
  let showSequence: Int64
  let venue: String
  let city: String?
  let state: String?
  let country: String
  let recordingCount: Int64
  let averageRating: Double?
  let isInLibrary: Bool

  init(_ line: ShowLine) {
    showId = line.showID
    date = line.date
    showSequence = line.showSequence
    venue = line.venueName
    city = line.city
    state = line.state
    country = line.country
    recordingCount = line.recordingCount
    averageRating = line.averageRating
    isInLibrary = line.isInLibrary
  }
}
