import AppleMusic
import DownloadTestSupport
import Foundation
import Promises
import Testing

/// Answers that the real API does not give every day, or should not give at all.
@Suite(
  .promise(
    "A policy, a document, an answer or an option has no number with which work never "
      + "begins, never ends, or a sum overflows"),
  .promise(
    "The answers of Apple Music's API are read as it sends them, and what is not an answer "
      + "is refused",
    by: "answers that are rare, wrong or hostile"))
struct AnswerTests {
  private static let head = #""id":"pl.acc464c750b94302b8806e5fcbe56e17","type":"playlists""#

  private func playlist(_ text: String) async throws -> CatalogPlaylist {
    try await MusicTrial { _ in AppleMusicServer.json(text) }.playlist()
  }

  private func tracks(_ text: String) async throws -> [CatalogTrack] {
    try await MusicTrial { _ in AppleMusicServer.json(text) }.tracks()
  }

  // MARK: What may be missing

  @Test func aPlaylistNeedsANameAlone() async throws {
    let playlist = try await playlist(#"{"data":[{\#(Self.head),"attributes":{"name":"Rain"}}]}"#)
    #expect(
      playlist
        == CatalogPlaylist(
          id: MusicTrial.id, storefront: "us", title: "Rain", curator: nil, description: nil,
          artworkURL: nil, url: nil, lastModified: nil, isPlayable: false))
  }

  @Test func whatNobodyNeedsMayBeOfAnyType() async throws {
    let playlist = try await playlist(
      """
      {"data":[{\(Self.head),"attributes":{"name":"Rain","curatorName":7,"description":"x",
      "artwork":[],"url":null,"lastModifiedDate":{},"playParams":true}}],"meta":1}
      """)
    #expect(playlist.title == "Rain")
    #expect(playlist.curator == nil && playlist.description == nil && playlist.artworkURL == nil)
    #expect(!playlist.isPlayable)
  }

  @Test func theShortDescriptionStandsInForTheStandardOne() async throws {
    func description(_ json: String) async throws -> String? {
      try await playlist(
        #"{"data":[{\#(Self.head),"attributes":{"name":"Rain","description":\#(json)}}]}"#
      ).description
    }
    #expect(try await description(#"{"short":"s","standard":"long"}"#) == "long")
    #expect(try await description(#"{"short":"s"}"#) == "s")
    #expect(try await description(#"{"short":"s","standard":null}"#) == "s")
    #expect(try await description("{}") == nil)
  }

  @Test func tracksNeedTypeAndIDAlone() async throws {
    let tracks = try await tracks(
      """
      {"data":[{"id":"1","type":"songs"},{"id":"2","type":"uploaded-videos","attributes":null},
      {"id":"3","type":"songs","attributes":{"name":5,"durationInMillis":"long","artwork":{}}},
      {"id":"4","type":"songs","attributes":{"durationInMillis":-1}},
      {"id":"5","type":"songs","attributes":{"durationInMillis":1.5e3}}],"next":null}
      """)
    #expect(tracks.map(\.id) == ["1", "2", "3", "4", "5"])
    #expect(tracks.map(\.kind) == ["songs", "uploaded-videos", "songs", "songs", "songs"])
    #expect(tracks.allSatisfy { $0.title == "" && $0.artist == "" && $0.album == nil })
    #expect(tracks.map(\.duration) == [nil, nil, nil, nil, 1.5])
  }

  @Test func textsAreInNFC() async throws {
    let decomposed = "Cafe\u{301} \u{1112}\u{1161}\u{11AB}"
    let composed = "Caf\u{E9} \u{D55C}"
    let playlist = try await playlist(
      #"{"data":[{\#(Self.head),"attributes":{"name":"\#(decomposed)"}}]}"#)
    #expect(Array(playlist.title.utf8) == Array(composed.utf8))
    let track = try await tracks(
      #"{"data":[{"id":"1","type":"songs","attributes":{"artistName":"\#(decomposed)"}}]}"#)[0]
    #expect(Array(track.artist.utf8) == Array(composed.utf8))
  }

  // MARK: What is refused

  @Test(arguments: [
    "", " ", "nonsense", "{", "[]", "7", "null", #"{"data":[]}"#, #"{"data":{}}"#,
    #"{"data":null}"#, #"{"errors":[]}"#, #"{"data":[7]}"#, #"{"data":[{\#(head)}]}"#,
    #"{"data":[{\#(head),"attributes":{}}]}"#, #"{"data":[{\#(head),"attributes":{"name":7}}]}"#,
    #"{"data":[{\#(head),"attributes":{"name":" "}}]}"#,
    #"{"data":[{\#(head),"attributes":{"name":"a\u0000b"}}]}"#,
    #"{"data":[{\#(head),"attributes":{"name":"a","url":"\u0000"}}]}"#,
    #"{"data":[{\#(head),"attributes":{"name":"\ud800"}}]}"#,
    #"{"data":[{\#(head),"attributes":{"name":"a","name":"b"}}]}"#,
    #"{"data":[{"type":"playlists","attributes":{"name":"a"}}]}"#,
    #"{"data":[{"id":"pl.other","type":"playlists","attributes":{"name":"a"}}]}"#,
    #"{"data":[{"id":"\#(MusicTrial.id)","type":"albums","attributes":{"name":"a"}}]}"#,
    #"{"data":[{\#(head),"attributes":{"name":"a"}}]} more"#,
    "\u{FEFF}{}",
  ])
  func whatIsNoSuchPlaylistIsRefused(text: String) async throws {
    let trial = try MusicTrial { _ in AppleMusicServer.json(text) }
    let error = try await trial.expectErrorOfPlaylist(.unexpectedContent)
    #expect(error.message.contains("\(trial.server.address)\(MusicTrial.path)"))
    #expect(trial.server.requests.count == 1)
  }

  @Test func anotherCharacterThatSwiftTakesForALetterIsAnotherID() async throws {
    // U+212A is canonically equivalent to K.
    let trial = try MusicTrial { _ in
      AppleMusicServer.json(
        #"{"data":[{"id":"pl.\#u{212A}","type":"playlists","attributes":{"name":"a"}}]}"#)
    }
    try await trial.expectError(.unexpectedContent) {
      _ = try await $0.client.playlist("pl.K", storefront: "us")
    }
  }

  @Test func textsThatTheCatalogCannotHoldAreRefused() async throws {
    let long = String(repeating: "x", count: 65_537)
    let trial = try MusicTrial { _ in
      AppleMusicServer.json(#"{"data":[{\#(Self.head),"attributes":{"name":"\#(long)"}}]}"#)
    }
    let error = try await trial.expectErrorOfPlaylist(.unexpectedContent)
    #expect(error.message.contains("attributes.name is too long"))
  }

  @Test(arguments: [
    "{}", #"{"data":7}"#, #"{"data":[{"type":"songs"}]}"#, #"{"data":[{"id":"1"}]}"#,
    #"{"data":[{"id":1,"type":"songs"}]}"#, #"{"data":[{"id":"","type":"songs"}]}"#,
    #"{"data":["1"]}"#, #"{"data":[],"next":7}"#, #"{"data":[],"next":{}}"#,
    #"{"data":[{"id":"1","type":"songs","attributes":{"albumName":"\u0000"}}]}"#,
  ])
  func whatIsNoPageOfTracksIsRefused(text: String) async throws {
    let trial = try MusicTrial { _ in AppleMusicServer.json(text) }
    try await trial.expectErrorOfTracks(.unexpectedContent)
    #expect(trial.server.requests.count == 1)
  }

  // MARK: Content types and sizes

  @Test(arguments: [
    "text/html", "text/html; charset=utf-8", "application/xml", "application/json5",
    "text/json", "application/vnd.api+json", "application/octet-stream", "", "json",
  ])
  func otherContentTypesAreRefused(type: String) async throws {
    let body = Array(try Resources.text("playlist-answer.json").utf8)
    let trial = try MusicTrial { _ in .response(headers: ["Content-Type": type], body: body) }
    try await trial.expectErrorOfPlaylist(.unexpectedContent)
    #expect(trial.server.requests.count == 1)
  }

  @Test func noContentTypeIsRefused() async throws {
    let body = Array(try Resources.text("playlist-answer.json").utf8)
    let trial = try MusicTrial { _ in .response(body: body) }
    let error = try await trial.expectErrorOfPlaylist(.unexpectedContent)
    #expect(error.message.contains("without a content type"))
  }

  @Test(arguments: [
    "application/json", "Application/JSON", "application/json;charset=utf-8",
    "application/json ; charset=UTF-8",
  ])
  func parametersOfTheContentTypeAreTaken(type: String) async throws {
    let body = Array(try Resources.text("playlist-answer.json").utf8)
    let trial = try MusicTrial { _ in .response(headers: ["Content-Type": type], body: body) }
    #expect(try await trial.playlist().title == "Janet Jackson: No.1 Songs")
  }

  @Test func whatIsEncodedUnaskedIsRefused() async throws {
    let trial = try MusicTrial { _ in
      .response(
        headers: ["Content-Type": "application/json", "Content-Encoding": "gzip"], body: [31, 139])
    }
    let error = try await trial.expectErrorOfPlaylist(.unexpectedContent)
    #expect(error.message.contains("gzip"))
  }

  @Test(arguments: [true, false])
  func moreThan16MiBAreRefused(isDeclared: Bool) async throws {
    let count = Int64(16 << 20) + 1
    let trial = try MusicTrial { _ in
      .head(
        headers: [
          "Content-Type": "application/json", (isDeclared ? "Content-Length" : "X"): "\(count)",
        ],
        then: .generate(count: count, seed: 1))
    }
    let error = try await trial.expectErrorOfPlaylist(.unexpectedContent)
    #expect(error.message.contains("more than 16777216 bytes"))
    #expect(trial.server.requests.count == 1)
  }

  @Test func aPageOfNearly16MiBIsTaken() async throws {
    let filler = String(repeating: " ", count: (16 << 20) - 40)
    let text = #"{"data":[{"id":"1","type":"songs"}]}"# + filler
    #expect(try await tracks(text).count == 1)
  }

  // MARK: Statuses

  @Test(arguments: [
    (400, AppleMusicError.Code.invalidRequest), (401, .tokenRefused), (402, .invalidRequest),
    (403, .forbidden), (404, .unexpectedContent), (405, .invalidRequest),
    (410, .unexpectedContent),
    (414, .invalidRequest), (204, .unexpectedContent), (206, .unexpectedContent),
  ])
  func aStatusIsATypedErrorWithoutAnyErrorDocument(
    status: Int, code: AppleMusicError.Code
  ) async throws {
    for body in ["", "<html>", "{}", #"{"errors":7}"#, #"{"errors":[7]}"#] where status >= 400 {
      let trial = try MusicTrial { _ in .response(status: status, body: Array(body.utf8)) }
      let error = try await trial.expectErrorOfPlaylist(code)
      #expect(error.errors.isEmpty)
      #expect(error.message.contains("\(status) (\(trial.server.address)\(MusicTrial.path))"))
      #expect(trial.server.requests.count == 1)
    }
    if status < 400 {
      let trial = try MusicTrial { _ in .response(status: status) }
      try await trial.expectErrorOfPlaylist(code)
    }
  }

  @Test func theErrorDocumentIsReadAndTold() async throws {
    let trial = try MusicTrial { _ in
      AppleMusicServer.error(
        400, code: "40005", title: "Invalid Parameter Value", detail: "Value must be a storefront",
        source: #"{"parameter":"storefront"}"#)
    }
    let error = try await trial.expectErrorOfPlaylist(.invalidRequest)
    #expect(
      error.errors == [
        AppleMusicError.Item(
          status: "400", code: "40005", title: "Invalid Parameter Value",
          detail: "Value must be a storefront", source: "parameter storefront")
      ])
    #expect(
      error.message.contains(
        "Invalid Parameter Value, Value must be a storefront, parameter storefront"))
    #expect("\(error)" == error.message)
  }

  /// A wrong base address, a portal's page, another service's JSON: none of them knows of a playlist.
  @Test(arguments: [
    "<html>Not Found</html>", "", "{}", #"{"errors":[]}"#, #"{"errors":[{"message":"no route"}]}"#,
    #"{"errors":[{"status":"200","code":"1","title":"no"}]}"#,
  ])
  func a404OfAnotherServerSaysNothingOfThePlaylist(body: String) async throws {
    let trial = try MusicTrial { _ in .response(status: 404, body: Array(body.utf8)) }
    let error = try await trial.expectErrorOfPlaylist(.unexpectedContent)
    #expect(error.message.contains("without the error document of Apple Music"))
    try await trial.expectErrorOfTracks(.unexpectedContent)
  }

  @Test func anUnknownStorefrontSaysNothingOfThePlaylist() async throws {
    let trial = try MusicTrial { _ in
      AppleMusicServer.error(
        404, code: "40400", title: "Resource Not Found", detail: "No such storefront",
        source: #"{"parameter":"storefront"}"#)
    }
    try await trial.expectErrorOfPlaylist(.invalidRequest)
  }

  /// Read as infinity it would be a number that no event can hold.
  @Test func aLengthBeyondEveryNumberIsRefused() async throws {
    let trial = try MusicTrial { _ in
      AppleMusicServer.json(
        #"{"data":[{"id":"1","type":"songs","attributes":{"durationInMillis":1e999}}]}"#)
    }
    try await trial.expectErrorOfTracks(.unexpectedContent)
  }

  @Test(arguments: ["1e300", "9007199254740992"])
  func aLengthThatTheCatalogDoesNotHoldIsRefusedByName(number: String) async throws {
    let trial = try MusicTrial { _ in
      AppleMusicServer.json(
        #"{"data":[{"id":"1","type":"songs","attributes":{"durationInMillis":\#(number)}}]}"#)
    }
    let error = try await trial.expectErrorOfTracks(.unexpectedContent)
    #expect(error.message.contains("data[0].attributes.durationInMillis is \(number)"), "\(error)")
    #expect(error.message.contains("0 to 9007199254740991"), "\(error)")
  }

  @Test func errorDocumentsAreReadLeniently() async throws {
    let trial = try MusicTrial { _ in
      AppleMusicServer.json(
        """
        {"errors":[{"status":403,"code":40300,"source":{"pointer":"/data/0"}},"x",
        {"title":"Cafe\u{301}","detail":null,"source":{"header":"y"}}]}
        """, status: 403)
    }
    let error = try await trial.expectErrorOfPlaylist(.forbidden)
    #expect(
      error.errors == [
        .init(status: "403", code: "40300", title: "", source: "pointer /data/0"),
        .init(status: "", code: "", title: "Caf\u{E9}"),
      ])
  }

  @Test func anErrorDocumentWithoutEndIsNotReadToItsEnd() async throws {
    let trial = try MusicTrial { _ in
      .head(
        403, headers: ["Content-Type": "application/json"], then: .generate(count: 1 << 30, seed: 1)
      )
    }
    #expect(try await trial.expectErrorOfPlaylist(.forbidden).errors.isEmpty)
  }

  @Test func anErrorDocumentThatBreaksOffLeavesTheStatus() async throws {
    let trial = try MusicTrial { _ in
      .response(status: 403, body: Array(#"{"errors":["#.utf8), length: .declared(500))
    }
    #expect(try await trial.expectErrorOfPlaylist(.forbidden).errors.isEmpty)
    #expect(trial.server.requests.count == 1)
  }

  @Test func aServerThatSendsTheTokenBackDoesNotGetItIntoAnError() async throws {
    let trial = try MusicTrial { request in
      let header = request[header: "Authorization"] ?? ""
      return AppleMusicServer.error(
        400, code: "4", title: "No \(header)", detail: header,
        source: #"{"parameter":"\#(header)"}"#)
    }
    let error = try await trial.expectErrorOfPlaylist(.invalidRequest)
    #expect(error.errors.first?.title == "No Bearer (token)")
    #expect(error.message.contains("No Bearer (token)"))
  }

  // MARK: Tokens that are over

  @Test func aTokenThatIsOverIsRefusedAndSaidToBe() async throws {
    let trial = try MusicTrial([ServedPlaylist(id: MusicTrial.id, numbers: 0..<3)])
    trial.server.accept(tokens: ["another"])
    let error = try await trial.expectErrorOfTracks(.tokenRefused)
    #expect(error.errors.map(\.code) == ["40100"])
    #expect(error.message.contains("The developer token has expired"))
    #expect(error.message.contains("create a new developer token"))
    #expect(trial.server.requests.count == 1)
  }

  @Test func whatTheStorefrontLacksIsNotFound() async throws {
    let trial = try MusicTrial([ServedPlaylist(id: MusicTrial.id, numbers: 0..<3)])
    #expect(try await trial.tracks().count == 3)
    let error = try await trial.expectError(.notFound) {
      _ = try await $0.client.playlist(MusicTrial.id, storefront: "de")
    }
    #expect(error.errors.map(\.code) == ["40400"])
  }
}
