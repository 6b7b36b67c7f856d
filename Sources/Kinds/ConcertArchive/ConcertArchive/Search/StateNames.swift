import CatalogModel

/// The names of the states of the USA and of the provinces and territories of Canada, which people write as codes too.
///
/// The brief's example of a search text has `NY New York`.
package enum StateNames {
  /// The name that belongs to a code in the search text.
  ///
  /// - Parameter country: that of the row. Other countries have regions with the codes of provinces: BC is also Baja
  ///   California.
  /// - Returns: nil if no state or province has the code.
  static func name(of code: String, in country: String) -> String? {
    states[code] ?? (canada.contains(country.lowercased()) ? provinces[code] : nil)
  }

  /// Other ways to write a state: its name for a code, its codes for a name. Without case, accents and marks.
  package static func others(of state: String) -> [String] {
    let key = key(state)
    if let name = named[key] { return [name] + codes(of: name) }
    return codes(of: state)
  }

  /// The codes of a state that is written out, with those of earlier times; none for other texts.
  static func codes(of name: String) -> [String] { codes[key(name)] ?? [] }

  /// Whether a state of the USA has the code.
  static func isOfUSA(_ code: String) -> Bool { states[code] != nil }

  /// The text without case, accents, marks and spaces: what two spellings of one name have in common.
  package static func key(_ text: String) -> String {
    SearchText(text).words.replacing(" ", with: "")
  }

  /// The country that a row has if its package has none is the first.
  private static let canada: Set = ["usa", "canada", "can", "ca"]

  /// Names by the keys of their codes.
  private static let named = Dictionary(
    uniqueKeysWithValues: (Array(states) + Array(provinces)).map { (key($0.key), $0.value) })

  /// Codes by the keys of their names.
  private static let codes = Dictionary(
    (Array(states) + Array(provinces)).map { (key($0.value), [$0.key]) },
    uniquingKeysWith: { ($0 + $1).sorted() })

  private static let states = [
    "AL": "Alabama", "AK": "Alaska", "AZ": "Arizona", "AR": "Arkansas", "CA": "California",
    "CO": "Colorado", "CT": "Connecticut", "DE": "Delaware", "DC": "District of Columbia",
    "FL": "Florida", "GA": "Georgia", "HI": "Hawaii", "ID": "Idaho", "IL": "Illinois",
    "IN": "Indiana", "IA": "Iowa", "KS": "Kansas", "KY": "Kentucky", "LA": "Louisiana",
    "ME": "Maine", "MD": "Maryland", "MA": "Massachusetts", "MI": "Michigan", "MN": "Minnesota",
    "MS": "Mississippi", "MO": "Missouri", "MT": "Montana", "NE": "Nebraska", "NV": "Nevada",
    "NH": "New Hampshire", "NJ": "New Jersey", "NM": "New Mexico", "NY": "New York",
    "NC": "North Carolina", "ND": "North Dakota", "OH": "Ohio", "OK": "Oklahoma", "OR": "Oregon",
    "PA": "Pennsylvania", "RI": "Rhode Island", "SC": "South Carolina", "SD": "South Dakota",
    "TN": "Tennessee", "TX": "Texas", "UT": "Utah", "VT": "Vermont", "VA": "Virginia",
    "WA": "Washington", "WV": "West Virginia", "WI": "Wisconsin", "WY": "Wyoming",
  ]

  /// With the codes of earlier times: PQ, NF.
  private static let provinces = [
    "AB": "Alberta", "BC": "British Columbia", "MB": "Manitoba", "NB": "New Brunswick",
    "NF": "Newfoundland", "NL": "Newfoundland and Labrador", "NS": "Nova Scotia",
    "NT": "Northwest Territories", "NU": "Nunavut", "ON": "Ontario", "PE": "Prince Edward Island",
    "PQ": "Quebec", "QC": "Quebec", "SK": "Saskatchewan", "YT": "Yukon",
  ]
}
