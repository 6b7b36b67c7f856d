/// The text in which shows are searched: the brief's section 1.6, in its order.
enum ShowSearchText {
  /// `{date} {short dates} {year} {decade} {venue} {city} {state} {country} {members} {songs}`
  ///
  /// - Parameter country: that of the row.
  static func text(of show: ShowFacts, country: String) -> String {
    var words: [String] = [show.date]
    if let date = ShowDate(show.date) {
      let year = String(show.date.prefix(4))
      let short = String(year.suffix(2))
      words += ["-", "/", "."].map { "\(date.month)\($0)\(date.day)\($0)\(short)" }
      words += [year, short, String(year.prefix(3))]
    }
    words.append(show.venue)
    if let city = show.city { words.append(city) }
    if let state = show.state {
      words.append(state)
      if let name = StateNames.name(of: state) { words.append(name) }
    }
    words.append(country)
    words += (show.lineup ?? []).map(\.name)
    words += (show.setlist ?? []).flatMap(\.songs).map(\.name)
    return words.filter { !$0.isEmpty }.joined(separator: " ")
  }
}
