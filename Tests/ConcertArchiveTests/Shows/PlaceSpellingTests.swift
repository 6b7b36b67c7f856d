import CatalogTestSupport
import ConcertArchive
import Foundation
import Promises
import Testing

/// Cities, states and venues as people write them.
@Suite(
  .promise(
    "Shows are found by any spelling of a day, a month, a place or words, and nothing that "
      + "is typed is an error"))
struct PlaceSpellingTests {
  private static let package = GeneratedPackage(shows: [
    .init(
      id: "a", date: "1970-01-01", venue: "Théâtre St-Denis", city: "Montréal", state: "QC",
      country: "Canada", songs: ["U.S. Blues"]),
    .init(
      id: "b", date: "1970-01-02", venue: "THEATRE ST. DENIS", city: "MONTREAL", state: "Quebec",
      country: "Canada", songs: ["Don\u{2019}t Ease Me In"]),
    .init(
      id: "c", date: "1970-01-03", venue: "Massey Hall", city: "Toronto", state: "ON",
      country: "Canada", songs: ["US Blues", "Fire on the Mountain"]),
    .init(
      id: "d", date: "1970-01-04", venue: "O'Keefe Centre", city: "Toronto", state: "Ontario",
      songs: ["Jack-A-Roe"]),
    .init(
      id: "e", date: "1970-01-05", venue: "Fillmore East", city: "New York", state: "N.Y.",
      country: "USA", songs: ["R&B Jam"]),
    .init(
      id: "f", date: "1970-01-06", venue: "Fillmore East", city: "New York City", state: "New York",
      country: "USA"),
    .init(
      id: "g", date: "1970-01-07", venue: "Estadio", city: "Tijuana", state: "BC",
      country: "Mexico"),
    .init(id: "h", date: "1970-01-08", venue: "Nowhere"),
  ])

  private static func listed(_ filter: ShowFilter, _ test: TestArchive) async throws -> String {
    try await test.archive.shows.list(filter, limit: 100).rows.map(\.showID).joined()
  }

  @Test func placesAreFoundWithoutCaseAccentsAndMarks() async throws {
    let test = try await TestArchive.containing(Self.package)
    for (filter, wanted) in [
      (ShowFilter.city("montreal"), "ab"), (.city("MONTRÉAL"), "ab"), (.city("Montréal"), "ab"),
      (.city("Montre\u{301}al"), "ab"), (.city("toronto"), "cd"), (.city("new york"), "e"),
      (.city(""), ""), (.city("york"), ""), (.venue("theatre st denis"), "ab"),
      (.venue("okeefe centre"), "d"), (.venue("O\u{2019}Keefe Centre"), "d"),
      (.state("ontario"), "cd"), (.state("on"), "cd"), (.state("ON"), "cd"),
      (.state("québec"), "ab"), (.state("qc"), "ab"), (.state("pq"), "ab"), (.state("ny"), "ef"),
      (.state("new york"), "ef"), (.state("N.Y."), "ef"), (.state("BC"), "g"),
      (.state("British Columbia"), "g"), (.state("%"), ""),
    ] {
      #expect(try await Self.listed(filter, test) == wanted, "\(filter)")
    }
  }

  @Test func aCursorGoesOnInTheSameList() async throws {
    let test = try await TestArchive.containing(Self.package)
    let first = try await test.archive.shows.list(.state("ontario"), limit: 1)
    #expect(first.rows.map(\.showID) == ["c"])
    let second = try await test.archive.shows.list(.state("ontario"), limit: 1, after: first.next)
    #expect(second.rows.map(\.showID) == ["d"])
    #expect(second.next == nil)
  }

  @Test func nearMissesAreNamed() async throws {
    let test = try await TestArchive.containing(Self.package)
    for (filter, wanted) in [
      (ShowFilter.city("Tornto"), ["Toronto"]), (.city("york"), ["New York", "New York City"]),
      (.venue("fillmore"), ["Fillmore East"]), (.venue("Masey Hall"), ["Massey Hall"]),
      (.state("Ontaro"), ["Ontario"]), (.city("Zzyzx"), []), (.city(""), []), (.all, []),
      (.year(1900), []),
    ] {
      #expect(try await test.archive.shows.nearMisses(of: filter) == wanted, "\(filter)")
    }
  }

  @Test func marksWithinWordsDoNotHideThem() async throws {
    let test = try await TestArchive.containing(Self.package)
    for (query, wanted) in [
      ("us blues", "ca"), ("u.s. blues", "ac"), ("U.S. Blues", "ac"), ("dont ease", "b"),
      ("don't ease", "b"), ("jackaroe", "d"), ("jack a roe", "d"), ("jack-a-roe", "d"),
      ("r b jam", "e"), ("r&b jam", "e"), ("okeefe", "d"), ("o'keefe", "d"), ("ny", "ef"),
      ("n.y.", "ef"), ("new york", "ef"), ("ontario", "cd"), ("quebec", "ab"), ("québec", "ab"),
      ("qc", "ab"), ("st denis", "ab"), ("baja", ""), ("columbia", ""), ("fire on the", "c"),
      ("blue*", "ac"), ("u.s. blue*", "ac"), ("1970-01-0*", "abcdefgh"),
      ("1970-01* okeefe", "d"), ("\u{345}", ""),
    ] {
      #expect(try await test.found(query).joined() == wanted, "\(query)")
    }
    _ = try await test.found("us \u{345}")
  }

  /// Countries are found by their names and codes, however a package writes them; codes of states are those of states.
  @Test(arguments: [
    ("usa", "abcd"), ("united states", "abcd"), ("united states of america", "abcd"),
    ("us", "abcdm"),
    ("U.S.", "abcdm"), ("U.S.A.", "abcd"), ("uk", "efgh"), ("united kingdom", "efgh"),
    ("gb", "efgh"),
    ("great britain", "efgh"), ("england", "ef"), ("scotland", "g"), ("wales", "h"),
    ("germany", "ijk"), ("deutschland", "ijk"), ("deu", "ijk"), ("de", "d"), ("japan", "l"),
    ("jp", "l"), ("日本", "l"), ("france", ""), ("us blues", "m"), ("ca", "a"), ("can", "m"),
    ("canada", "m"),
  ])
  func countriesAreFoundByNamesAndCodes(_ query: String, _ wanted: String) async throws {
    let countries =
      [
        ("US", "CA", []), ("U.S.A.", nil, ["Blues"]), ("United States", nil, []), ("USA", "DE", []),
        ("UK", nil, []), ("England", nil, []), ("Scotland", nil, []), ("Wales", nil, []),
        ("Germany", nil, []), ("Deutschland", nil, []), ("DEU", nil, []), ("日本", nil, []),
        ("Canada", nil, ["US Blues"]),
      ] as [(String, String?, [String])]
    let test = try await TestArchive.containing(
      GeneratedPackage(
        shows: countries.enumerated().map { place, show in
          .init(
            id: String(UnicodeScalar(UInt8(97 + place))), date: "1970-01-0\(1 + place % 9)",
            state: show.1, country: show.0, songs: show.2)
        }))
    #expect(try await test.found(query).sorted().joined() == wanted)
  }

  /// Words that no show has, written as words that one has; no state is guessed by two letters.
  @Test func nearMissesOfSearchesAndCodes() async throws {
    let test = try await TestArchive.containing(Self.package)
    let shows = test.archive.shows
    for (query, near) in [
      ("filmore", "fillmore"), ("filmore eest", "fillmore east"), ("toronto", nil), ("zzyzx", nil),
      ("5-8-77", nil),
    ] {
      #expect(try await shows.nearMiss(of: query) == near, "\(query)")
    }
    for state in ["IN", "nu", "oh"] {
      #expect(try await shows.nearMisses(of: .state(state)).isEmpty, "\(state)")
    }
  }

  /// A hit is exact only if the text has the words as they were typed.
  @Test func onlyWordsAsTypedAreExact() async throws {
    let test = try await TestArchive.containing(Self.package)
    let hits = try await test.archive.shows.search("us blues", limit: 10).rows
    #expect(hits.map(\.line.showID) == ["c", "a"])
    #expect(hits.map(\.isExact) == [true, false])
  }

  /// Names of provinces are for Canada: BC is also Baja California.
  @Test func theTextOfAProvinceHasItsName() async throws {
    let test = try await TestArchive.containing(Self.package)
    let texts = try test.sql("SELECT search_text FROM show_search ORDER BY rowid")
    #expect(texts[0].contains("Montréal QC Quebec Canada"))
    #expect(texts[6].contains("Tijuana BC Mexico"))
  }
}
