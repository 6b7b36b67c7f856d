/// The country of a show whose package says none.
///
/// The brief's DEFAULT 'USA' is right for a state that is written as two letters, and where no state says otherwise.
/// A state such as `Sweden` is the country.
enum CountryRule {
  static let standard = "USA"

  static func country(_ country: String?, state: String?) -> String {
    if let country { return country }
    guard let state, !isCode(state) else { return standard }
    return state
  }

  private static func isCode(_ state: String) -> Bool {
    state.utf8.count == 2
      && state.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
  }
}
