import CatalogEngine
import CatalogTestSupport
import Foundation
import Testing
import TrackLibrary

/// Documents as people have them: reports to other programs that do this, with contents of our own.
@Suite struct ForeignDocumentTests {
  private static func song(_ number: Int, _ more: String = "") -> String {
    #"""
    {"type": "track", "uri": "spotify:track:\#(number)", "name": "T\#(number)",
     "external_ids": {"isrc": "XXL01000000\#(number)"}\#(more)}
    """#
  }

  private static func apple(_ id: String, _ attributes: String, _ more: String = "") -> String {
    #"{"data": [{"id": "\#(id)", "type": "songs", "attributes": {\#(attributes)}\#(more)}]}"#
  }

  private static func plist(_ tracks: [String], _ playlists: [String] = []) -> String {
    let tracks = tracks.enumerated().map { "<key>\($0 + 1)</key><dict>\($1)</dict>" }.joined()
    return """
      <?xml version="1.0"?>
      <plist version="1.0"><dict><key>Tracks</key><dict>\(tracks)</dict><key>Playlists</key><array>
      \(playlists.map { "<dict>\($0)</dict>" }.joined())</array></dict></plist>
      """
  }

  private static func item(_ key: String, _ value: String) -> String {
    "<key>\(key)</key><string>\(value)</string>"
  }

  private static func items(_ numbers: Int...) -> String {
    let items = numbers.map { "<dict><key>Track ID</key><integer>\($0)</integer></dict>" }
    return "<key>Playlist Items</key><array>\(items.joined())</array>"
  }

  // MARK: Said, said to be empty, not said

  /// The fields of a track's row after a full document and then one that says less.
  private static let fields =
    "SELECT artist, album, album_artist, duration, artwork_url, genre, year, track_number FROM tracks"

  @Test(arguments: [
    (#""artists": []"#, "||B|3.0|p||1999|4", 0), (#""artists": null"#, "A|L|B|3.0|p||1999|4", 1),
    (#""duration_ms": 0"#, "A|L|B|0.0|p||1999|4", 2),
    (#""duration_ms": null"#, "A|L|B|3.0|p||1999|4", 3),
    (#""track_number": 0"#, "A|L|B|3.0|p||1999|", 4),
    (#""album": {"name": ""}"#, "A||B|3.0|p||1999|4", 5),
    (#""album": {"name": null}"#, "A|L|B|3.0|p||1999|4", 6),
    (#""album": {}"#, "A|L|B|3.0|p||1999|4", 7),
    (#""album": {"artists": []}"#, "A|L||3.0|p||1999|4", 8),
    (#""album": {"images": []}"#, "A|L|B|3.0|||1999|4", 9),
    (#""album": {"release_date": "0000"}"#, "A|L|B|3.0|p|||4", 10),
    (#""album": {"release_date": ""}"#, "A|L|B|3.0|p|||4", 11),
    (#""album": {"release_date": null}"#, "A|L|B|3.0|p||1999|4", 12),
    (#""name": null"#, "A|L|B|3.0|p||1999|4", 13), (#""name": """#, "A|L|B|3.0|p||1999|4", 14),
  ])
  func whatSpotifySaysIsEmptyIsEmpty(_ field: String, _ row: String, _ number: Int) async throws {
    let full = Self.song(
      1,
      #"""
      , "artists": [{"name": "A"}], "duration_ms": 3000, "track_number": 4, "album": {"name": "L",
       "artists": [{"name": "B"}], "images": [{"url": "p"}], "release_date": "1999"}
      """#)
    let test = try await TestLibrary()
    try await test.importing("[\(full)]", as: "full.json")
    let less =
      field.contains("name\": ") && !field.contains("album")
      ? #"{"type": "track", "uri": "spotify:track:1", \#(field)}"# : Self.song(1, ", " + field)
    try await test.importing("[\(less)]", as: "less.json")
    // An album without artists is not a track without artists.
    let expected = number == 0 ? "|L|B|3.0|p||1999|4" : row
    #expect(try test.sql(Self.fields) == [expected])
    #expect(try test.sql("SELECT title FROM tracks") == ["T1"])
  }

  @Test(arguments: [
    (#""artistName": """#, "|L||3.0|p|G|1999|4"), (#""artistName": null"#, "A|L||3.0|p|G|1999|4"),
    (#""albumName": """#, "A|||3.0|p|G|1999|4"), (#""durationInMillis": 0"#, "A|L||0.0|p|G|1999|4"),
    (#""genreNames": []"#, "A|L||3.0|p||1999|4"), (#""genreNames": null"#, "A|L||3.0|p|G|1999|4"),
    (#""trackNumber": 0"#, "A|L||3.0|p|G|1999|"), (#""releaseDate": """#, "A|L||3.0|p|G||4"),
    (#""artwork": {"url": ""}"#, "A|L||3.0||G|1999|4"),
    (#""artwork": null"#, "A|L||3.0|p|G|1999|4"),
  ])
  func whatAppleMusicSaysIsEmptyIsEmpty(_ field: String, _ row: String) async throws {
    let test = try await TestLibrary()
    try await test.importing(
      Self.apple(
        "15",
        #"""
        "name": "T", "artistName": "A", "albumName": "L", "durationInMillis": 3000, "artwork": {"url": "p"},
        "genreNames": ["G"], "releaseDate": "1999-01-01", "trackNumber": 4
        """#), as: "full.json")
    #expect(try test.sql(Self.fields) == ["A|L||3.0|p|G|1999|4"])
    try await test.importing(Self.apple("15", #""name": "T", \#(field)"#), as: "less.json")
    #expect(try test.sql(Self.fields) == [row])
  }

  @Test(arguments: [
    ("Artist", "|L|B|3.0||G|1999|4"), ("Album", "A||B|3.0||G|1999|4"),
    ("Album Artist", "A|L||3.0||G|1999|4"), ("Genre", "A|L|B|3.0|||1999|4"),
    ("Name", "A|L|B|3.0||G|1999|4"), ("Location", "A|L|B|3.0||G|1999|4"),
  ])
  func whatITunesSaysIsEmptyIsEmpty(_ key: String, _ row: String) async throws {
    let place = Self.item("Persistent ID", "P1")
    let test = try await TestLibrary()
    try await test.importing(
      Self.plist([
        place + Self.item("Name", "T") + Self.item("Artist", "A") + Self.item("Album", "L")
          + Self.item("Album Artist", "B") + Self.item("Genre", "G")
          + "<key>Year</key><integer>1999</integer><key>Track Number</key><integer>4</integer>"
          + "<key>Total Time</key><integer>3000</integer>"
      ]), as: "full.xml")
    try await test.importing(Self.plist([place + Self.item(key, "")]), as: "less.xml")
    #expect(try test.sql(Self.fields) == [row])
    #expect(try test.sql("SELECT title FROM tracks") == ["T"])
  }

  /// A list of files says less than any other document, also of what is empty.
  @Test func anM3UTakesNothingAway() async throws {
    let test = try await TestLibrary()
    try await test.importing(
      "#EXTART:A\n#EXTALB:L\n#EXTGENRE:G\n#EXTINF:3,A - T\n/a.mp3\n", as: "full.m3u8")
    let before = try test.sql(Self.fields)
    try await test.importing(
      "#EXTART:\n#EXTALB:\n#EXTGENRE:\n#EXTINF:0,\n/a.mp3\n", as: "less.m3u8")
    #expect(try test.sql(Self.fields) == before)
  }

  @Test func aDescriptionThatIsEmptiedIsGone() async throws {
    func list(_ text: String) -> String {
      #"{"type": "playlist", "uri": "spotify:playlist:x", "name": "Mix", "description": \#(text), "images": [], "tracks": {"items": []}}"#
    }
    func apple(_ text: String) -> String {
      #"{"data": [{"id": "p.1", "type": "playlists", "attributes": {"name": "Mix", "description": {"standard": \#(text)}}, "relationships": {"tracks": {"data": []}}}]}"#
    }
    for document in [list, apple] {
      let test = try await TestLibrary()
      for (text, row) in [
        (#""Calm""#, "Calm"), ("null", "Calm"), (#""""#, ""), (#""More""#, "More"),
      ] {
        try await test.importing(document(text), as: "list.json")
        #expect(try test.sql("SELECT description FROM collection_info") == [row])
      }
    }
  }

  /// A mark that is false is no mark; neither is a number 0, nor an empty rule.
  @Test(arguments: [
    ("<key>Master</key><false/>", true), ("<key>Folder</key><false/>", true),
    ("<key>Distinguished Kind</key><integer>0</integer>", true),
    ("<key>Master</key><true/>", false), ("<key>Folder</key><true/>", false),
    ("<key>Distinguished Kind</key><integer>4</integer>", false),
    ("<key>Smart Info</key><data></data>", true),
  ])
  func aMarkThatIsFalseIsNone(_ mark: String, _ isUsed: Bool) async throws {
    let test = try await TestLibrary()
    let track =
      Self.item("Location", "file:///a.mp3") + "<key>Total Time</key><integer>1</integer>"
      + Self.item("Name", "T") + "<key>Has Video</key><false/><key>Movie</key><false/>"
    let report = try await test.importing(
      Self.plist(
        [track],
        [
          Self.item("Name", "Walk") + Self.item("Playlist Persistent ID", "A") + mark
            + Self.items(1, 1)
        ]),
      as: "Library.xml")
    #expect(report.remarks.count == (isUsed ? 0 : 1), "\(report.remarks)")
    #expect(try test.sql("SELECT count(*) FROM collection_tracks") == [isUsed ? "2" : "0"])
  }

  // MARK: Pages

  private static let address = "https://api.spotify.example/v1/playlists/x/tracks"

  /// Entries from `first` on, two a page, of a playlist of six.
  private static func page(_ first: Int, _ tracks: [Int]? = nil) -> String {
    let tracks = (tracks ?? [first, first + 1]).map { #"{"track": \#(song($0))}"# }
    let next = first < 4 ? #""\#(address)?offset=\#(first + 2)&limit=2""# : "null"
    return #"""
      {"href": "\#(address)?offset=\#(first)&limit=2", "items": [\#(tracks.joined(separator: ","))],
       "limit": 2, "offset": \#(first), "total": 6, "next": \#(next)}
      """#
  }

  private static func list(_ page: String) -> String {
    #"{"type": "playlist", "uri": "spotify:playlist:x", "name": "Mix", "tracks": \#(page)}"#
  }

  @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
  func pagesThatAreNamedOneByOneAreOneList(_ order: [Int]) async throws {
    let test = try await TestLibrary()
    let texts = [Self.list(Self.page(0)), Self.page(2), Self.page(4)]
    let files = try texts.enumerated().map { try test.folder.write($1, to: "\($0).json") }
    let report = try await test.library.imports.apply(order.map { files[$0] })
    #expect(report.remarks.isEmpty)
    let list = try await test.playlist("Mix")
    #expect(try await test.uris(of: list) == (0..<6).map { "spotify:track:\($0)" })

    // One of them alone never shortens the list, and says nothing new.
    for file in files {
      #expect(try await test.library.imports.apply(file).outcome == .unchanged)
    }
  }

  /// A page says what is on it, and in which order; a whole list says what is gone.
  @Test func aPageNeverShortensAList() async throws {
    let test = try await TestLibrary()
    let uri = { (number: Int) in "spotify:track:\(number)" }
    let whole = { (tracks: [Int]) in
      #"{"type": "playlist", "uri": "spotify:playlist:x", "name": "Mix", "tracks": {"items": [\#(tracks.map { Self.song($0) }.joined(separator: ","))]}}"#
    }
    try await test.importing(whole([0, 1, 2, 3, 4, 5]), as: "whole.json")
    let list = try await test.playlist("Mix")
    try await test.importing(Self.list(Self.page(0, [1, 0])), as: "first.json")
    #expect(try await test.uris(of: list) == [1, 0, 2, 3, 4, 5].map(uri))
    try await test.importing(Self.page(2, [7, 2]), as: "second.json")
    #expect(try await test.uris(of: list) == [1, 0, 7, 2, 3, 4, 5].map(uri))
    try await test.importing(whole([5, 1]), as: "whole.json")
    #expect(try await test.uris(of: list) == [5, 1].map(uri))
  }

  /// A page without its playlist says by its address of which it is; the name comes when it comes.
  @Test func aPageAloneKeepsItsOrder() async throws {
    let test = try await TestLibrary()
    let pages = [Self.page(2), Self.page(4)]
    for (number, text) in pages.enumerated() {
      try await test.importing(text, as: "\(number).json")
    }
    let list = try await test.playlist("spotify:playlist:x")
    #expect(try await test.uris(of: list) == (2..<6).map { "spotify:track:\($0)" })
    try await test.importing(Self.list(Self.page(0)), as: "first.json")
    #expect(try await test.uris(of: list) == (0..<6).map { "spotify:track:\($0)" })
    #expect(try await test.library.playlists.playlist(list)?.name == "Mix")
  }

  /// Playlists of Apple Music name their next page, and that its own.
  @Test func pagesOfAppleMusicNeverShortenAList() async throws {
    func songs(_ range: Range<Int>) -> String {
      range.map { #"{"id": "15\#($0)", "type": "songs", "attributes": {"name": "S\#($0)"}}"# }
        .joined(separator: ",")
    }
    let path = "/v1/me/library/playlists/p.1/tracks?offset="
    func list(_ range: Range<Int>, _ next: String) -> String {
      #"{"data": [{"id": "p.1", "type": "library-playlists", "attributes": {"name": "Mix"}, "relationships": {"tracks": {"data": [\#(songs(range))]\#(next)}}}]}"#
    }
    let test = try await TestLibrary()
    let files = [
      try test.folder.write(list(0..<2, #", "next": "\#(path)2""#), to: "1.json"),
      try test.folder.write(
        #"{"data": [\#(songs(2..<4))], "next": "\#(path)4"}"#, to: "2.json"),
    ]
    try await test.library.imports.apply(files)
    let id = try await test.playlist("Mix")
    #expect(try await test.uris(of: id) == (0..<4).map { "apple-music:song:15\($0)" })
    try await test.importing(list(0..<6, ""), as: "whole.json")
    #expect(try await test.uris(of: id).count == 6)
    try await test.library.imports.apply(files)
    #expect(try await test.uris(of: id).count == 6)
  }

  /// A larger page of the same place counts, whichever is read first.
  @Test(arguments: [true, false])
  func aSmallerPageDoesNotReplaceALarger(_ smallFirst: Bool) async throws {
    let test = try await TestLibrary()
    let items = { (count: Int) in
      (0..<count).map { #"{"track": \#(Self.song($0))}"# }.joined(separator: ",")
    }
    let large = #"{"href": "\#(Self.address)", "offset": 0, "total": 6, "items": [\#(items(6))]}"#
    let small = #"{"href": "\#(Self.address)", "offset": 0, "total": 6, "items": [\#(items(2))]}"#
    let files = try (smallFirst ? [Self.list(small), large] : [Self.list(large), small])
      .enumerated().map { try test.folder.write($1, to: "\($0).json") }
    try await test.library.imports.apply(files)
    #expect(try await test.uris(of: try await test.playlist("Mix")).count == 6)
  }

  /// A playlist that leaves out its URI or the place of its page is no whole list because of that.
  @Test(arguments: [
    #"{"name": "Mix", "tracks": {"total": 6, "next": "n", "items": [ITEMS]}}"#,
    #"{"name": "Mix", "id": "x", "type": "playlist", "tracks": {"total": 6, "offset": 0, "items": [ITEMS]}}"#,
    #"{"name": "Mix", "tracks": {"href": "ADDRESS?offset=0&limit=2", "total": 6, "items": [ITEMS]}}"#,
    #"{"href": "ADDRESS?offset=0&limit=2", "items": [ITEMS]}"#,
  ])
  func aPartIsAPartHoweverItSaysSo(_ text: String) async throws {
    let test = try await TestLibrary()
    let song = { (number: Int) in #"{"track": \#(Self.song(number))}"# }
    let whole = (0..<6).map(song).joined(separator: ",")
    let named = text.contains("uri") || text.contains("ADDRESS") || text.contains(#""id""#)
    try await test.importing(
      named
        ? Self.list(#"{"items": [\#(whole)]}"#)
        : #"{"name": "Mix", "tracks": {"items": [\#(whole)]}}"#,
      as: "whole.json")
    let part = text.replacing("ITEMS", with: [0, 1].map(song).joined(separator: ","))
      .replacing("ADDRESS", with: Self.address)
    let report = try await test.importing(part, as: "part.json")
    #expect(try test.sql("SELECT count(*) FROM collections") == ["1"])
    #expect(try test.sql("SELECT count(*) FROM collection_tracks") == ["6"])
    if text.contains("total") {
      #expect(report.remarks.contains { $0.message.contains("on a page that is not here") })
    }
  }

  /// Pages that come one after the other, with tracks that are in the list twice.
  @Test(arguments: [
    [["A", "B", "X", "C"], ["D", "X", "E"]], [["A", "A", "A"], ["A", "A", "A"]],
    [["A", "B"], ["C", "D"], ["A", "C"]],
  ])
  func tracksThatAreTwiceInAListStay(_ pages: [[String]]) async throws {
    let test = try await TestLibrary()
    var first = 0
    for (number, page) in pages.enumerated() {
      let items = page.map {
        #"{"track": {"type": "track", "uri": "spotify:track:\#($0)", "name": "\#($0)"}}"#
      }
      let text = #"""
        {"href": "\#(Self.address)?offset=\#(first)&limit=\#(page.count)", "offset": \#(first),
         "total": 99, "items": [\#(items.joined(separator: ","))]}
        """#
      try await test.importing(text, as: "\(number).json")
      // Once more, it says nothing new.
      #expect(try await test.importing(text, as: "\(number).json").outcome == .unchanged)
      first += page.count
    }
    let list = try await test.playlist("spotify:playlist:x")
    #expect(
      try await test.uris(of: list) == pages.flatMap { $0 }.map { "spotify:track:\($0)" })
  }

  @Test func aPlaylistOfAppleMusicListsWhatIsMissing() async throws {
    let test = try await TestLibrary()
    let song = { (number: Int) in
      #"{"id": "15\#(number)", "type": "songs", "attributes": {"name": "S"}}"#
    }
    let path = "/v1/me/library/playlists/p.1/tracks"
    let list =
      #"{"data": [{"id": "p.1", "type": "library-playlists", "attributes": {"name": "Mix"}, "relationships": {"tracks": {"data": [\#(song(1)), \#(song(2))], "next": "\#(path)?offset=2", "meta": {"total": 3}}}}]}"#
    let report = try await test.importing(list, as: "list.json")
    #expect(
      report.remarks.map(\.message) == [
        "the entries 3 to 3 of the list are on a page that is not here"
      ])
    let last = #"{"data": [\#(song(3))], "href": "\#(path)?offset=2"}"#
    let files = [test.folder.file("list.json"), try test.folder.write(last, to: "last.json")]
    #expect(try await test.library.imports.apply(files).remarks.isEmpty)
    #expect(try await test.uris(of: try await test.playlist("Mix")).count == 3)
  }

  /// An older URI of a playlist names its owner: it is the same playlist, also if an earlier release imported it.
  @Test func anOldURIOfAPlaylistIsTheSame() async throws {
    let test = try await TestLibrary()
    let old = Self.list(#"{"items": [\#(Self.song(1))]}"#).replacing(
      "spotify:playlist:x", with: "spotify:user:me:playlist:x")
    try await test.importing(Self.page(0), as: "page.json")
    try await test.importing(old, as: "old.json")
    try await test.importing(Self.list(#"{"items": [\#(Self.song(2))]}"#), as: "new.json")
    #expect(try test.sql("SELECT name FROM collections") == ["Mix"])
  }

  // MARK: Answers

  /// Valid answers without tracks are left out with a line, and the set is imported.
  @Test(arguments: [
    (#"{"artists": {"items": [{"name": "x", "type": "artist"}], "total": 1}}"#, "1 artists"),
    (#"{"artists": [{"name": "x"}, {"name": "y"}]}"#, "2 artists"),
    (#"{"devices": [{"id": "1", "name": "Kitchen"}]}"#, "1 devices"),
    (#"{"categories": {"items": [{"id": "toplists", "name": "Top"}]}}"#, "1 categories"),
    (#"{"audio_features": [{"danceability": 0.7, "id": "1"}]}"#, "1 audio features"),
    (#"{"genres": ["ambient"]}"#, "1 genres"),
    (#"{"meta": {}, "track": {"tempo": 98}, "bars": [], "beats": [], "segments": []}"#, "analysis"),
    (
      #"{"playlists": {"items": [{"type": "playlist", "uri": "spotify:playlist:1", "name": "P", "tracks": {"href": "h", "total": 4}}]}}"#,
      "has no tracks here"
    ),
    (
      #"{"message": "Editor's picks", "playlists": {"items": [{"type": "playlist", "uri": "spotify:playlist:1", "name": "P"}]}}"#,
      "has no tracks here"
    ),
    (
      #"{"danceability": 0.7, "type": "audio_features", "uri": "spotify:track:1"}"#,
      "audio_features"
    ),
    (
      #"[{"endTime": "2024-03-01 08:00", "artistName": "A", "trackName": "T", "msPlayed": 1}]"#,
      "1 plays"
    ),
  ])
  func anAnswerWithoutTracksIsLeftOut(_ text: String, _ words: String) async throws {
    let test = try await TestLibrary()
    try FileManager.default.createDirectory(
      atPath: test.folder.file("pages"), withIntermediateDirectories: false)
    try test.folder.write("[\(Self.song(1))]", to: "pages/a.json")
    try test.folder.write(text, to: "pages/b.json")
    let report = try await test.library.imports.apply(test.folder.file("pages"))
    #expect(try test.uris() == ["spotify:track:1"])
    #expect(
      report.remarks.count == 1 && report.remarks[0].message.contains(words), "\(report.remarks)")
    #expect(report.remarks[0].place.contains("pages/b.json"))
  }

  /// Two recordings of one track, of which one plays in this country: the playlist names the other.
  @Test func aTrackThatIsLinkedIsOne() async throws {
    let test = try await TestLibrary()
    try await test.importing("[\(Self.song(1))]", as: "all.json")
    let linked = Self.song(2, #", "linked_from": {"type": "track", "uri": "spotify:track:1"}"#)
    try await test.importing("[\(linked)]", as: "here.json")
    #expect(try test.uris() == ["spotify:track:1"])
  }

  /// A byte order mark, UTF-16, half of an emoji, a time before times were kept, and a zone without a colon.
  @Test func oddValuesOfAnswersAreRead() async throws {
    let test = try await TestLibrary()
    let text = "[\(Self.song(1))]"
    for (name, bytes) in [
      ("utf8", [0xEF, 0xBB, 0xBF] + Array(text.utf8)),
      ("utf16", [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }),
    ] as [(String, [UInt8])] {
      let other = try await TestLibrary()
      try await other.importing(bytes, as: "\(name).json")
      #expect(try other.uris() == ["spotify:track:1"], "\(name)")
    }
    try await test.importing(
      #"""
      {"items": [{"added_at": "1970-01-01T00:00:00Z", "track": \#(Self.song(1))},
       {"added_at": "2024-03-01T08:00:00.000+0000", "track": \#(Self.song(2))},
       {"added_at": "2024-03-01", "track": {"uri": "spotify:track:3", "name": "cut \ud83d",
        "external_ids": {"isrc": ""}, "popularity": 1e400}}]}
      """#, as: "page.json")
    #expect(
      try test.sql(
        "SELECT title, date_added < '2000' FROM tracks JOIN track_source ON id = track_id ORDER BY uri"
      )
        == ["T1|0", "T2|0", "cut \u{FFFD}|0"])
    #expect(
      try test.sql("SELECT date_added FROM track_source WHERE uri > 'spotify:track:1' ORDER BY uri")
        == ["2024-03-01T08:00:00.000Z", "2024-03-01T00:00:00.000Z"])
  }

  /// Files of programs that back up an account, and those that Spotify sends its owner.
  @Test func playlistsOfOtherProgramsAreRead() async throws {
    let track = { (number: Int) in #"{"track": \#(Self.song(number))}"# }
    let documents = [
      #"[{"name": "Liked", "tracks": [\#(track(1))]}, {"name": "Ferry", "uri": "spotify:playlist:1", "tracks": [\#(track(2)), \#(track(1))]}]"#,
      #"{"playlists": [{"name": "Ferry", "type": "playlist", "uri": "spotify:playlist:1", "tracks": [\#(track(2)), \#(track(1))]}], "albums": []}"#,
      #"{"type": "playlist", "uri": "spotify:playlist:1", "name": "Ferry", "tracks": [\#(Self.song(2)), \#(Self.song(1))]}"#,
      #"{"playlists": [{"name": "Ferry", "items": [{"track": {"trackName": "T2", "artistName": "A", "albumName": "L", "trackUri": "spotify:track:2"}, "episode": null, "addedDate": "2024-03-01"}, {"track": {"trackName": "T1", "trackUri": "spotify:track:1"}}]}]}"#,
    ]
    for text in documents {
      let test = try await TestLibrary()
      let report = try await test.importing(text, as: "backup.json")
      #expect(
        report.remarks.allSatisfy { $0.message.contains("belong") }, "\(report.remarks)")
      #expect(
        try await test.uris(of: try await test.playlist("Ferry"))
          == ["spotify:track:2", "spotify:track:1"])
    }
    let test = try await TestLibrary()
    try await test.importing(
      #"{"tracks": [{"artist": "A", "album": "L", "track": "T", "uri": "spotify:track:1"}], "albums": [], "shows": []}"#,
      as: "YourLibrary.json")
    #expect(try test.sql("SELECT title, artist, album FROM tracks") == ["T|A|L"])
  }

  /// Several answers, and several formats, in one folder: all that are refused are named at once.
  @Test func aFolderHasDocumentsOfSeveralFormats() async throws {
    let test = try await TestLibrary()
    try FileManager.default.createDirectory(
      atPath: test.folder.file("saved"), withIntermediateDirectories: false)
    try test.folder.write("[\(Self.song(1))]", to: "saved/a.json")
    try test.folder.write(Self.apple("15", #""name": "S""#), to: "saved/b.json")
    try test.folder.write(LibraryText.small, to: "saved/c.json")
    let report = try await test.library.imports.apply(test.folder.file("saved"))
    #expect(report.documents.map(\.imported.format) == ["spotify", "apple-music", "library.json"])
    #expect(try test.uris().count == 5)
    try test.folder.write("[", to: "saved/d.json")
    try test.folder.write(#"{"what": 1}"#, to: "saved/e.json")
    let error = await #expect(throws: DocumentError.self) {
      try await test.library.imports.apply(test.folder.file("saved"))
    }
    #expect(error?.description.contains("saved/d.json") == true)
    #expect(error?.description.contains("saved/e.json") == true)
  }

  /// The answer names the song of the catalog that a song of a library is, if it was asked for.
  @Test func aSongOfALibraryIsKnownByTheCatalog() async throws {
    let test = try await TestLibrary()
    let linked = Self.apple(
      "1500000001", #""name": "One", "isrc": "QZX000400001", "trackNumber": 3"#)
    func song(_ id: String, _ more: String, _ relations: String = "") -> String {
      #"{"id": "\#(id)", "type": "library-songs", "attributes": {"name": "S"\#(more)}\#(relations)}"#
    }
    let songs = [
      song("i.a", "", #", "relationships": {"catalog": \#(linked)}"#),
      song("i.b", #", "playParams": {"catalogId": "1500000002"}"#),
      song("i.c", #", "playParams": {"catalogId": null}"#), song("a.1500000001", ""),
      song("i.d", "").replacing(#""name": "S""#, with: #""artistName": "A""#),
    ]
    try await test.importing(#"{"data": [\#(songs.joined(separator: ","))]}"#, as: "songs.json")
    #expect(
      try test.sql(
        "SELECT uri, song_id, title, track_number FROM track_source JOIN tracks ON id = track_id ORDER BY uri"
      )
        == [
          "apple-music:library:a.1500000001||S|", "apple-music:library:i.a|QZX000400001|S|3",
          "apple-music:library:i.b|1500000002|S|", "apple-music:library:i.c||S|",
          "apple-music:library:i.d||apple-music:library:i.d|",
        ])
  }

  @Test func whatIsCountedIsCountedOnce() async throws {
    let test = try await TestLibrary()
    let list = Self.list(#"{"items": [\#(Self.song(1))]}"#)
    let report = try await test.importing(#"{"items": [\#(list), \#(list)]}"#, as: "lists.json")
    #expect(report.documents.map(\.imported.collections) == [1])
    let apple =
      #"{"id": "p.1", "type": "playlists", "attributes": {}, "relationships": {"tracks": {"data": []}}}"#
    let second = try await test.importing(#"{"data": [\#(apple), \#(apple)]}"#, as: "a.json")
    #expect(second.documents.map(\.imported.collections) == [1])
    #expect(
      try await test.playlist("apple-music:playlist:p.1")
        == NameBasedID.collection("apple-music", "p.1"))
  }

  // MARK: iTunes

  /// A bare percent sign is itself, booklets are no tracks, and lists are known by their names.
  @Test func aLibraryOfITunesIsReadEntryByEntry() async throws {
    let test = try await TestLibrary()
    let time = "<key>Total Time</key><integer>1</integer>"
    let report = try await test.importing(
      Self.plist(
        [
          Self.item("Location", "file://localhost/C:/Music/50% Off.mp3") + Self.item("Name", "A")
            + time,
          Self.item("Location", "nowhere") + Self.item("Name", "B") + time,
          Self.item("Location", "file:///Music/Booklet.pdf") + Self.item("Name", "C"),
          Self.item("Location", "file:///Music/d.mp3") + Self.item("Name", "Two\nLines") + time,
        ],
        [
          Self.item("Name", "Walking") + Self.items(4, 1),
          Self.item("Name", "Walking") + Self.items(4),
          Self.item("Name", " "), Self.items(4),
        ]), as: "Library.xml")
    #expect(try test.uris() == ["file:///C:/Music/50%25%20Off.mp3", "file:///Music/d.mp3"])
    let file = test.folder.file("Library.xml")
    #expect(
      report.remarks.map(\.description) == [
        "\(file): Tracks/2: nowhere is not a URI: the Location is left out",
        "\(file): Tracks/2: the track has neither a Location nor a Persistent ID; left out",
        "\(file): Tracks/3: this is not a track but a file .pdf; left out",
        "\(file): Playlists/2/Name: \" \" is blank; left out",
        "\(file): Playlists/2: the playlist has neither a name nor a Playlist Persistent ID by which it is known; left out",
        "\(file): Playlists/3: the playlist has neither a name nor a Playlist Persistent ID by which it is known; left out",
        "\(file): another list is called Walking too; this one is Walking (2)",
      ])
    #expect(
      try test.sql(
        "SELECT name, count(*) FROM collections JOIN collection_tracks ON collection_id = id GROUP BY id ORDER BY name"
      )
        == ["Walking|2", "Walking (2)|1"])
  }

  /// Empty elements, days that are none, white space, and UTF-16: one odd value is that value's fault.
  @Test(arguments: [
    ("<date/>", "|1", 1), ("<date></date>", "|1", 1),
    ("<date>2012-13-45T25:61:61Z</date>", "|1", 1),
    ("<date>2012-01-31T12:00:00+0000</date>", "2012-01-31T12:00:00.000Z|1", 0),
    ("<date> 2012-01-31T12:00:00Z </date>", "2012-01-31T12:00:00.000Z|1", 0),
  ])
  func oddElementsOfAPropertyListAreTheirOwnFault(
    _ date: String, _ row: String, _ remarks: Int
  ) async throws {
    let text = Self.plist([
      Self.item("Location", "file:///a.mp3") + Self.item("Name", "A")
        + "<key>Total Time</key><integer>1</integer>"
        + "<key>Track Number</key><integer> 1 </integer><key>Date Added</key>\(date)"
    ])
    let wide = text.replacing(
      "<?xml version=\"1.0\"?>", with: "<?xml version=\"1.0\" encoding=\"UTF-16\"?>")
    let utf16: [UInt8] = [0xFF, 0xFE] + wide.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    for bytes in [Array(text.utf8), utf16] {
      let test = try await TestLibrary()
      let report = try await test.importing(bytes, as: "Library.xml")
      #expect(report.remarks.count == remarks, "\(report.remarks)")
      let known = row.hasPrefix("|") ? "''" : "date_added"
      #expect(
        try test.sql("SELECT \(known), track_number FROM tracks JOIN track_source ON id = track_id")
          == [row])
    }
    for element in ["<integer/>", "<real/>", "<data/>"] {
      let test = try await TestLibrary()
      try await test.importing(
        Self.plist([Self.item("Location", "file:///a.mp3") + "<key>Year</key>\(element)"]),
        as: "Library.xml")
      #expect(try test.uris() == ["file:///a.mp3"])
    }
  }

  /// Two lists of one id are two lists.
  @Test func listsOfOneIdBothStay() async throws {
    let test = try await TestLibrary()
    let track = { (name: String) in Self.item("Location", "file:///\(name).mp3") }
    let list = { (name: String) in
      Self.item("Name", name) + Self.item("Playlist Persistent ID", "A")
    }
    let text = Self.plist(
      ["a", "b"].map(track), [list("One") + Self.items(1), list("Two") + Self.items(2)])
    let report = try await test.importing(text, as: "Library.xml")
    #expect(report.documents.map(\.imported.collections) == [2])
    #expect(report.remarks.contains { $0.message.hasSuffix("both stay") })
    #expect(try test.sql("SELECT count(*) FROM collection_tracks") == ["2"])
    #expect(try await test.importing(text, as: "Library.xml").outcome == .unchanged)
  }

  /// A file of a folder that is named besides its folder, and names that are not UTF-8, are refused with their names.
  @Test func filesOfASetAreReadOnceAndAllOfThem() async throws {
    let test = try await TestLibrary()
    try FileManager.default.createDirectory(
      atPath: test.folder.file("saved"), withIntermediateDirectories: false)
    let file = try test.folder.write("[\(Self.song(1))]", to: "saved/a.json")
    let folder = test.folder.file("saved")
    let twice = await #expect(throws: DocumentError.self) {
      try await test.library.imports.apply([folder, file])
    }
    #expect(twice?.code == .duplicateValue)
    #expect(
      try Program("sh", "-c", "cp \"$0/a.json\" \"$0/$(printf 'caf\\351.json')\"", folder).status
        == 0)
    let refused = await #expect(throws: DocumentError.self) {
      try await test.library.imports.apply([folder])
    }
    #expect(refused?.message == "the name is not UTF-8")
  }

  // MARK: Paths

  /// A path is bytes: what is stored, opened and exported is what the folder says.
  @Test(arguments: ["Bla\u{30A} So\u{338}ndag e\u{301}.mp3", "Blå é.mp3"])
  func aNameIsSpelledAsTheFolderHasIt(_ name: String) async throws {
    let test = try await TestLibrary()
    try FileManager.default.createDirectory(
      atPath: test.folder.file("lib"), withIntermediateDirectories: false)
    let made = try Program("touch", test.folder.file("lib") + "/" + name)
    #expect(made.status == 0)
    // The list has the other normal form, as a Mac or a person writes it.
    let other =
      name.unicodeScalars.contains("\u{30A}")
      ? name.precomposedStringWithCanonicalMapping : name.decomposedStringWithCanonicalMapping
    for document in ["lib", "list.m3u8"] {
      if document == "list.m3u8" { try test.folder.write("lib/\(other)\n", to: document) }
      try await test.library.imports.apply(test.folder.file(document))
      let address = try #require(try test.sql("SELECT file_url FROM tracks").first)
      let path = try #require(URL(string: address)).path
      #expect(try Program("test", "-e", path).status == 0, "\(document)")
    }
    let list = try #require(
      try await test.library.playlists.playlist(try await test.playlist("list")))
    let line = try #require(try list.m3u8().split(separator: "\n").last)
    #expect(Array(line.utf8) == Array((test.folder.file("lib") + "/" + name).utf8))
    #expect(try test.sql("SELECT count(*) FROM tracks") == ["1"])
  }

  /// Names that are not UTF-8 are names too, in folders and in lists of the same bytes.
  @Test func aNameNeedNotBeUTF8() async throws {
    let test = try await TestLibrary()
    try FileManager.default.createDirectory(
      atPath: test.folder.file("lib"), withIntermediateDirectories: false)
    #expect(
      try Program("sh", "-c", "touch \"$0/$(printf 'caf\\351.mp3')\"", test.folder.file("lib"))
        .status
        == 0)
    try await test.library.imports.apply(test.folder.file("lib"))
    let uri = "file://\(test.folder.file("lib"))/caf%E9.mp3"
    #expect(try test.sql("SELECT file_url, title FROM tracks") == ["\(uri)|café"])
    try await test.importing(Array("lib/caf".utf8) + [0xE9] + Array(".mp3".utf8), as: "l.m3u")
    #expect(try await test.uris(of: try await test.playlist("l")) == [uri])
  }

  /// Paths of Windows are compared without case; those of this machine are not.
  @Test func windowsHasOneCase() async throws {
    let test = try await TestLibrary()
    try await test.importing(
      "C:\\Music\\Ola\\Gate.mp3\nc:\\music\\ola\\gate.MP3\n\\\\Nas\\Share\\A.mp3\n\\\\nas\\share\\a.mp3\n/x/A.mp3\n/x/a.mp3",
      as: "twins.m3u8")
    #expect(
      try test.uris() == [
        "file:///C:/Music/Ola/Gate.mp3", "file:///x/A.mp3", "file:///x/a.mp3",
        "file://nas/Share/A.mp3",
      ])
    #expect(try await test.uris(of: try await test.playlist("twins")).count == 6)
    let again = try await test.importing("C:\\MUSIC\\OLA\\GATE.MP3", as: "again.m3u8")
    #expect(again.count(of: "track.upserted") == 0)
    #expect(
      try await test.uris(of: try await test.playlist("again")) == ["file:///C:/Music/Ola/Gate.mp3"]
    )
  }

  @Test(arguments: [
    "file://server/share/a.mp3", "file:////server/share/a.mp3", "file://///server/share/a.mp3",
    "file:\\\\server\\share\\a.mp3", "\\\\server\\share\\a.mp3", "\\\\server\\share/a.mp3",
    "\\\\?\\UNC\\server\\share\\a.mp3",
  ])
  func aServerIsKeptInEverySpelling(_ entry: String) async throws {
    let test = try await TestLibrary()
    try await test.importing(entry, as: "list.m3u8")
    #expect(try test.uris() == ["file://server/share/a.mp3"])
  }

  // MARK: M3U

  /// Backslashes part folders, quotes are none of the name, and `Artist - ` names no title.
  @Test func entriesAreReadAsTheyAreMeant() async throws {
    let test = try await TestLibrary()
    let base = "file://\(test.folder.path)"
    for (entry, uri) in [
      (
        "/mnt/d5/Ola Fen\\Far Shore\\01 Gate.mp3",
        "file:///mnt/d5/Ola%20Fen/Far%20Shore/01%20Gate.mp3"
      ),
      ("sub\\..\\lists/Ola\\02.mp3", "\(base)/lists/Ola/02.mp3"),
      ("Ola\\\u{338}n\\x.mp3", "\(base)/Ola/%CC%B8n/x.mp3"),
      ("Ola Fen\\AC/DC cover.mp3", "\(base)/Ola%20Fen/AC/DC%20cover.mp3"),
      ("C:\\Music/Ola\\x.mp3", "file:///C:/Music/Ola/x.mp3"),
      ("\\\\?\\C:\\Music\\x.mp3", "file:///C:/Music/x.mp3"),
      ("Reed (%C).mp3", "\(base)/Reed%20(%25C).mp3"), ("100%25.mp3", "\(base)/100%25.mp3"),
      ("file:///Music/100% sure.mp3", "file:///Music/100%25%20sure.mp3"),
      ("file:///Music/a#b?c.mp3", "file:///Music/a%23b%3Fc.mp3"),
      ("\"C:\\Music\\Ola Fen\\Gate.mp3\"", "file:///C:/Music/Ola%20Fen/Gate.mp3"),
      ("'a b.mp3'", "\(base)/a%20b.mp3"),
    ] {
      let list = try test.folder.write(entry, to: "list.m3u8")
      #expect(try TrackDocumentReader.read(list).playlists[0].uris == [uri], "\(entry)")
    }
    // A file that has this very name is that.
    try test.folder.write("", to: "a\\b.mp3")
    try test.folder.write("", to: "'q'")
    let list = try test.folder.write("a\\b.mp3\n'q'", to: "list.m3u8")
    #expect(
      try TrackDocumentReader.read(list).playlists[0].uris == ["\(base)/a%5Cb.mp3", "\(base)/'q'"])

    try await test.importing(
      "#EXTINF:61, \n/one.mp3\n#EXTINF:62,  -  \n/two.mp3\n#EXTINF:0,Ola - \n/three.mp3\n#EXTINF:64,- Four\n/four.mp3",
      as: "names.m3u8")
    #expect(
      try test.sql("SELECT title, artist FROM tracks ORDER BY duration, title") == [
        "three|Ola", "one|", "two|", "Four|",
      ])
  }

  /// Odd lines before an entry keep their titles; white space of names that exist is theirs.
  @Test func linesOfOtherProgramsKeepTheirTitles() async throws {
    let test = try await TestLibrary()
    try test.folder.write("", to: " intro.mp3")
    try await test.importing(
      """
      #EXTINF:-1 tvg-name="12" Mix",Twelve Inch
      /1.mp3
      #EXTINF:Ola - Two
      /2.mp3
      #EXTINF:3,\u{301}Three
      /3.mp3
       intro.mp3
      \\\\?\\unc\\Nas\\S\\x.mp3
      """, as: "odd.m3u8")
    #expect(
      try test.sql("SELECT title, artist FROM tracks ORDER BY file_url") == [
        "Twelve Inch|", "Two|Ola", "\u{301}Three|", " intro|", "x|",
      ])
    #expect(
      try await test.uris(of: try await test.playlist("odd")).suffix(2) == [
        "file://\(test.folder.path)/%20intro.mp3", "file://nas/S/x.mp3",
      ])
    // The name of a list keeps its white space in a file of our own.
    try await test.importing(
      LibraryText.library(
        [LibraryText.track(1, "A", file: "/1.mp3")], [LibraryText.collection(9, "Trail ", [1])]),
      as: "library.json")
    let text = try #require(try await test.library.playlists.playlist(.number(9))).m3u8()
    #expect(try await test.importing(text, as: "trail.m3u8").outcome == .unchanged)
  }

  /// A tag that is said once, before all entries, is of the whole list. The artist of an album is not that of each title.
  @Test(arguments: [
    (
      "#EXTALB:Shore\n#EXTART:Ola Fen\n#EXTINF:61,Ola Fen - One\n/1.mp3\n#EXTINF:62,Ola Fen - Two\n/2.mp3",
      ["One|Ola Fen|Shore|Ola Fen", "Two|Ola Fen|Shore|Ola Fen"]
    ),
    (
      "#EXTALB:Sampler\n#EXTART:Various\n#EXTINF:61,Ola - One\n/1.mp3\n#EXTINF:62,Ida - Two\n/2.mp3",
      ["One|Ola|Sampler|Various", "Two|Ida|Sampler|Various"]
    ),
    (
      "#EXTALB:A\n#EXTINF:61,Ola - One\n/1.mp3\n#EXTALB:B\n#EXTINF:62,Ida - Two\n/2.mp3\n#EXTINF:63,Three\n/3.mp3",
      ["One|Ola|A|", "Two|Ida|B|", "Three|||"]
    ),
    (
      "#EXTINF:61,One\n/1.mp3\n#EXTALB:B\n#EXTART:Ida\n#EXTINF:62,Two\n/2.mp3\n#EXTINF:63,Three\n/3.mp3",
      ["One|||", "Two|Ida|B|Ida", "Three|||"]
    ),
  ])
  func aTagMayBeOfTheWholeList(_ text: String, _ rows: [String]) async throws {
    let test = try await TestLibrary()
    try await test.importing("#EXTM3U\n" + text, as: "list.m3u8")
    #expect(
      try test.sql("SELECT title, artist, album, album_artist FROM tracks ORDER BY file_url")
        == rows)
  }

  /// Two lists of one name, from two folders: both stay, and are the same lists when they come again.
  @Test func twoListsOfOneNameBothStay() async throws {
    let test = try await TestLibrary()
    for (folder, track) in [("A", "/one.mp3"), ("B", "/two.mp3")] {
      try FileManager.default.createDirectory(
        atPath: test.folder.file(folder), withIntermediateDirectories: false)
      try test.folder.write(track, to: "\(folder)/mix.m3u8")
    }
    let files = ["B", "A"].map { test.folder.file("\($0)/mix.m3u8") }
    let report = try await test.library.imports.apply(files)
    #expect(
      report.remarks.map(\.message) == ["another list is called mix too; this one is mix (B)"])
    let lists =
      "SELECT name, uri FROM collections JOIN collection_tracks ON collection_id = id JOIN track_source USING (track_id) ORDER BY name"
    let both = ["mix|file:///one.mp3", "mix (B)|file:///two.mp3"]
    #expect(try test.sql(lists) == both)
    for again in [files, files.reversed(), [files[0]], [files[1]]] {
      #expect(try await test.library.imports.apply(again).outcome == .unchanged)
    }
    #expect(try test.sql(lists) == both)
  }

  /// Files whose lists could take each other's names: each keeps its own, and the same import again appends nothing.
  @Test(arguments: [
    ["Mix (Old).m3u8", "Old/Mix.m3u8"], ["Old/Mix.m3u8", "Old/Mix.m3u"],
    ["Mix.m3u8", "Old/Mix.m3u8", "Old/Mix.m3u", "Mix (Old).m3u8", "New/Mix.m3u8"],
  ])
  func noListTakesTheNameOfAnother(_ names: [String]) async throws {
    let test = try await TestLibrary()
    for folder in ["Old", "New"] {
      try FileManager.default.createDirectory(
        atPath: test.folder.file(folder), withIntermediateDirectories: false)
    }
    for (number, name) in names.enumerated() {
      try test.folder.write("/\(number).mp3", to: name)
    }
    let files = names.map { test.folder.file($0) }
    try await test.library.imports.apply(files)
    let lists =
      "SELECT uri FROM collection_tracks JOIN track_source USING (track_id) GROUP BY collection_id ORDER BY uri"
    #expect(try test.sql(lists) == names.indices.map { "file:///\($0).mp3" })
    for again in [files, files.reversed()] {
      #expect(try await test.library.imports.apply(again).outcome == .unchanged)
    }
    // A track that is added to the last file, which comes alone or with the others, is in its list.
    for (number, again) in [files, [files[files.count - 1]]].enumerated() {
      try test.folder.write(
        "/\(names.count - 1).mp3\n/new \(number).mp3", to: names[names.count - 1])
      try await test.library.imports.apply(again)
      #expect(
        try test.sql("SELECT count(*) FROM collection_tracks")
          == ["\(names.count + 1)"])
    }
  }

  // MARK: Search

  /// Marks are no words, and begin titles, artists and albums all the same.
  @Test func aSearchForMarksFindsWhatBeginsWithThem() async throws {
    let test = try await TestLibrary()
    try await test.importing(
      LibraryText.library([
        LibraryText.track(1, "$ave", "A", "L", file: "/1.mp3"),
        LibraryText.track(2, "Money", "$hop", "L", file: "/2.mp3"),
        LibraryText.track(3, "Other", "A", "$$$", file: "/3.mp3"),
        LibraryText.track(4, "\\\"Heroes\\\"", "A", "L", file: "/4.mp3"),
        LibraryText.track(5, "Plain", "\\\"Q\\\"", "L", file: "/5.mp3"),
        LibraryText.track(6, "A $", "A", "L", file: "/6.mp3"),
      ]), as: "library.json")
    for (query, found) in [
      ("$", [1, 2, 3]), ("\"", [4, 5]), (" $ ", [1, 2, 3]), ("$$", [3]), ("%", []), ("\0", []),
    ] {
      let rows = try await test.library.tracks.search(query, limit: 9).rows
      #expect(rows.map(\.id) == found.map { EntityID.number($0) }, "\(query)")
    }
  }
}
