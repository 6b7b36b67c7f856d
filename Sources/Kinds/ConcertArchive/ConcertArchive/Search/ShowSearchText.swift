import CatalogModel

/// The texts in which shows are searched.
struct ShowSearchText {
  /// As the brief's section 1.6 prescribes, in its order:
  /// `{date} {short dates} {year} {decade} {venue} {city} {state} {country} {members} {songs}`
  let text: String
  /// Folded words after `{date} {short date} {year} …`, and other forms of them: `us` for `U.S.`, the code
  /// of a state that is written out, names and codes of the country.
  let words: String

  /// - Parameter country: that of the row.
  init(of show: ShowFacts, country: String) {
    self.init(
      date: show.date, venue: show.venue, city: show.city, state: show.state, country: country,
      names: (show.lineup ?? []).map(\.name) + (show.setlist ?? []).flatMap(\.songs).map(\.name))
  }

  /// Makes the texts from a row.
  init(of show: Show) {
    func names(_ array: JSONValue?) -> [String] {
      guard case .array(let elements)? = array else { return [] }
      return elements.compactMap { element in
        if case .string(let name)? = element["name"] { name } else { nil }
      }
    }
    var songs: [String] = []
    if case .array(let sets)? = show.setlistRaw.flatMap({ JSONValue(text: $0) }) {
      songs = sets.flatMap { names($0["songs"]) }
    }
    self.init(
      date: show.date, venue: show.venueName, city: show.city, state: show.state,
      country: show.country,
      names: names(show.lineupRaw.flatMap { JSONValue(text: $0) }) + songs)
  }

  private init(
    date day: String, venue: String, city: String?, state: String?, country: String,
    names others: [String]
  ) {
    var parts: [String] = [day]
    // Dates stay whole: their numbers alone would be words of other days.
    var dates: [String] = [day]
    if let date = ShowDate(day) {
      let year = String(day.prefix(4))
      let short = String(year.suffix(2))
      let shortDates = ["-", "/", "."].map { "\(date.month)\($0)\(date.day)\($0)\(short)" }
      let years = [year, short, String(year.prefix(3))]
      parts += shortDates + years
      dates += [shortDates[0]] + years
    }
    var names = [venue]
    if let city { names.append(city) }
    if let state {
      names.append(state)
      if let name = StateNames.name(of: state, in: country) { names.append(name) }
    }
    names.append(country)
    names += others
    text = (parts + names).filter { !$0.isEmpty }.joined(separator: " ")

    names += state.map(StateNames.codes) ?? []
    names += CountryNames.others(of: country)
    // Name by name: most are plain words, which are folded fast.
    let folded = names.map { SearchText($0) }
    words = (dates + folded.map(\.words) + folded.map(\.variants)).filter { !$0.isEmpty }
      .joined(separator: " ")
  }
}
