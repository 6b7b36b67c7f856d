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
    var parts: [String] = [show.date]
    // Dates stay whole: their numbers alone would be words of other days.
    var dates: [String] = [show.date]
    if let date = ShowDate(show.date) {
      let year = String(show.date.prefix(4))
      let short = String(year.suffix(2))
      let shortDates = ["-", "/", "."].map { "\(date.month)\($0)\(date.day)\($0)\(short)" }
      let years = [year, short, String(year.prefix(3))]
      parts += shortDates + years
      dates += [shortDates[0]] + years
    }
    var names = [show.venue]
    if let city = show.city { names.append(city) }
    if let state = show.state {
      names.append(state)
      if let name = StateNames.name(of: state, in: country) { names.append(name) }
    }
    names.append(country)
    names += (show.lineup ?? []).map(\.name)
    names += (show.setlist ?? []).flatMap(\.songs).map(\.name)
    text = (parts + names).filter { !$0.isEmpty }.joined(separator: " ")

    names += show.state.map(StateNames.codes) ?? []
    names += CountryNames.others(of: country)
    // Name by name: most are plain words, which are folded fast.
    let folded = names.map { SearchText($0) }
    words = (dates + folded.map(\.words) + folded.map(\.variants)).filter { !$0.isEmpty }
      .joined(separator: " ")
  }
}
