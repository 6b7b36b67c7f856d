import ArgumentParser
import CatalogEngine
import ConcertArchive
import EngineCommands

/// The show that a command is about.
struct ShowArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The show's id, date or venue.", valueName: "show"))
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

extension ShowLine {
  var json: JSONObject {
    [
      "showId": showID, "date": date, "showSequence": showSequence, "venue": venueName,
      "city": city, "state": state, "country": country, "recordingCount": recordingCount,
      "averageRating": averageRating, "isInLibrary": isInLibrary,
    ]
  }
}
