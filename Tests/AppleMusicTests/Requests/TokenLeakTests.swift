import AppleMusic
import DownloadTestSupport
import Downloads
import DownloadsOverCurl
import Promises
import Testing

/// The developer token goes to the base address alone, whatever an answer says.
@Suite(
  .promise(
    "The developer token of Apple Music goes to the base address and nowhere else",
    by: "a second server that must receive nothing; redirects, next pages, errors and "
      + "descriptions"))
struct TokenLeakTests {
  private static let tracks = "\(MusicTrial.path)/tracks"

  // MARK: Redirects

  @Test(arguments: [300, 301, 302, 303, 304, 305, 307, 308])
  func redirectsAreNotFollowed(status: Int) async throws {
    let elsewhere = try AppleMusicServer([ServedPlaylist(id: MusicTrial.id, numbers: 0..<3)])
    let target = elsewhere.address + MusicTrial.path
    let trial = try MusicTrial { _ in .response(status: status, headers: ["Location": target]) }
    let error = try await trial.expectErrorOfPlaylist(.unsafeAddress)
    #expect(error.message.contains("\(status), a redirect"))
    #expect(trial.server.requests.count == 1)
    #expect(elsewhere.requests.isEmpty)
  }

  @Test func noRedirectOnTheSameHostIsFollowed() async throws {
    let trial = try MusicTrial([ServedPlaylist(id: MusicTrial.id, numbers: 0..<3)])
    trial.server.script { request in
      request.path == MusicTrial.path
        ? .response(status: 302, headers: ["Location": "/elsewhere"]) : nil
    }
    try await trial.expectErrorOfPlaylist(.unsafeAddress)
    #expect(trial.server.requests.map(\.target) == [MusicTrial.path])
  }

  @Test func aRedirectOfALaterPageIsNotFollowed() async throws {
    let elsewhere = try AppleMusicServer([ServedPlaylist(id: MusicTrial.id, numbers: 0..<300)])
    let trial = try MusicTrial([ServedPlaylist(id: MusicTrial.id, numbers: 0..<300)])
    let address = elsewhere.address
    trial.server.script { request in
      request.offset == 100
        ? .response(status: 307, headers: ["Location": address + request.target]) : nil
    }
    try await trial.expectErrorOfTracks(.unsafeAddress)
    #expect(trial.server.requests.count == 2)
    #expect(elsewhere.requests.isEmpty)
  }

  // MARK: Next pages

  @Test(arguments: [
    "HOST\(tracks)?offset=100", "HOST/v1", "//AUTHORITY\(tracks)?offset=100",
    "/\\AUTHORITY\(tracks)?offset=100", "\\\\AUTHORITY\(tracks)?offset=100",
    "///AUTHORITY\(tracks)?offset=100", "http:/\(tracks)?offset=100",
    "@AUTHORITY\(tracks)?offset=1",
    ".AUTHORITY\(tracks)?offset=100", ":1\(tracks)?offset=100",
  ])
  func aNextPageOnAnotherHostIsNotAskedFor(form: String) async throws {
    let elsewhere = try AppleMusicServer([ServedPlaylist(id: MusicTrial.id, numbers: 0..<300)])
    let next = form.replacing("HOST", with: elsewhere.address)
      .replacing("AUTHORITY", with: elsewhere.address.dropFirst("http://".count))
    try await expectRefused(next)
    #expect(elsewhere.requests.isEmpty)
  }

  @Test(arguments: [
    "", "/", "?offset=100", "tracks?offset=100", "\(tracks)", "\(tracks)?", "\(tracks)/?offset=100",
    "\(tracks)#?offset=100", "\(tracks)?offset=100#part", "\(tracks)?offset=100 ",
    " \(tracks)?offset=100", "\(tracks)?offset=1\n00", "\(tracks)?offset=100\r\nX-Evil: 1",
    "\(tracks)?offset=\u{1}", "\(tracks)?offset=\u{7F}", "\(tracks)?off\\set=100",
    "\(tracks)?offset=\u{E9}", "\(MusicTrial.path)/./tracks?offset=100",
    "\(MusicTrial.path)/../\(MusicTrial.id)/tracks?offset=100", "\(tracks)/../../x?offset=100",
    "\(tracks);x?offset=100", "\(tracks)%2F..?offset=100", "\(MusicTrial.path)?offset=100",
    "\(MusicTrial.path)/curator?offset=100", "/v1/me/library/playlists?offset=100",
    "/v1/catalog/de/playlists/\(MusicTrial.id)/tracks?offset=100",
    "/v1/catalog/us/playlists/pl.other/tracks?offset=100",
    "/V1/catalog/us/playlists/\(MusicTrial.id)/tracks?offset=100",
    "/v1//catalog/us/playlists/\(MusicTrial.id)/tracks?offset=100", "javascript:alert(1)",
    "file:///etc/passwd",
  ])
  func aNextPageOnAnotherPathIsNotAskedFor(next: String) async throws {
    try await expectRefused(next)
  }

  @Test func aNextPageWithAnEndlessQueryIsNotAskedFor() async throws {
    try await expectRefused("\(Self.tracks)?offset=\(String(repeating: "1", count: 3_000))")
  }

  private func expectRefused(
    _ next: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let text = next.unicodeScalars.map { scalar in
      scalar == "\\" || scalar == "\"" || scalar.value < 0x20
        ? "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
        : String(scalar)
    }.joined()
    let trial = try MusicTrial { request in
      AppleMusicServer.json(#"{"data":[{"id":"1","type":"songs"}],"next":"\#(text)"}"#)
    }
    try await trial.expectErrorOfTracks(.unsafeAddress, sourceLocation: sourceLocation)
    #expect(
      trial.server.requests.map(\.target) == ["\(Self.tracks)?limit=100"],
      sourceLocation: sourceLocation)
  }

  @Test(arguments: [
    ("offset=100", "offset=100&limit=100"), ("offset=100&l=en-gb", "offset=100&l=en-gb&limit=100"),
    ("limit=50&offset=100", "limit=50&offset=100"),
    ("offset=100&limit=100", "offset=100&limit=100"),
    ("unlimited=1", "unlimited=1&limit=100"), ("to=//a/../b?c", "to=//a/../b?c&limit=100"),
  ])
  func theQueryOfANextPageIsKeptAndItsLengthAsked(query: String, asked: String) async throws {
    let trial = try MusicTrial { request in
      AppleMusicServer.json(
        request.index == 0
          ? #"{"data":[],"next":"\#(Self.tracks)?\#(query)"}"# : #"{"data":[]}"#)
    }
    _ = try await trial.tracks()
    #expect(trial.server.requests.last?.target == "\(Self.tracks)?\(asked)")
    trial.expectHeaders()
  }

  // MARK: Base addresses

  @Test(arguments: [
    "http://api.music.apple.com", "http://127.0.0.1.example.com", "ftp://127.0.0.1", "", "https://",
    "api.music.apple.com", "https://user@api.music.apple.com",
    "https://user:secret@api.music.apple.com", "https://api.music.apple.com?key=secret",
    "https://api.music.apple.com/#secret", "https://api.music.apple.com/a b",
    "file:///secret", "https://api.music.apple.com\\@example.com",
  ])
  func anUnsafeBaseAddressIsRefused(base: String) throws {
    let error = try #require(
      #expect(throws: AppleMusicError.self) {
        try AppleMusicClient(
          transport: CurlTransport(), tokens: FixedToken(), baseURL: base)
      })
    #expect(error.code == .unsafeAddress)
    #expect(!error.message.contains("secret"))
  }

  @Test(arguments: [
    "https://api.music.apple.com", "https://mirror.example.org:8443/music", "http://localhost:80",
    "http://127.0.0.1:8080", "http://[::1]:80",
  ])
  func aSafeBaseAddressIsTaken(base: String) async throws {
    let transport = ScriptedTransport { request in
      TransportResponse(
        status: 404,
        headers: [.init("Asked", request.address)], body: ScriptedBody(chunks: []))
    }
    let client = try AppleMusicClient(
      transport: transport, tokens: FixedToken(), baseURL: base)
    let error = await #expect(throws: AppleMusicError.self) {
      try await client.playlist(MusicTrial.id, storefront: "us")
    }
    #expect(error?.message.contains("(\(base)\(MusicTrial.path))") == true)
  }

  // MARK: Ids

  @Test(arguments: [
    "", ".", "..", "a/b", "../me", "pl.a?x=1", "pl.a#b", "pl.a%2Fb", "pl a", "pl.a\n", "pl.\u{E9}",
    "pl.\u{212A}", "pl\\a", "pl.a\0", ":", "@", "[", "`", "{", String(repeating: "a", count: 201),
  ])
  func whatCannotBeAnIDIsRefusedWithoutARequest(id: String) async throws {
    let trial = try MusicTrial()
    try await trial.expectError(.invalidRequest) {
      _ = try await $0.client.playlist(id, storefront: "us")
    }
    try await trial.expectError(.invalidRequest) {
      _ = try await $0.client.tracks(ofPlaylist: id, storefront: "us")
    }
    #expect(trial.server.requests.isEmpty)
  }

  @Test(arguments: ["", "u", "usa", "US", "u1", "..", "u/", "\u{E9}", "uſ", "us\n", "ſs"])
  func whatCannotBeAStorefrontIsRefusedWithoutARequest(storefront: String) async throws {
    let trial = try MusicTrial()
    try await trial.expectError(.invalidRequest) {
      _ = try await $0.client.playlist(MusicTrial.id, storefront: storefront)
    }
    #expect(trial.server.requests.isEmpty)
  }

  @Test(arguments: ["a", "...", "pl.u-_.Z9", String(repeating: "a", count: 200), "-", "0"])
  func whatCanBeAnIDIsAskedFor(id: String) async throws {
    let trial = try MusicTrial([ServedPlaylist(id: id, title: "There")])
    #expect(try await trial.client.playlist(id, storefront: "us").title == "There")
  }

  // MARK: Answers that hold the token

  /// As it is, escaped, as a name, in front of a mark that combines with its last letter, within another text.
  @Test(arguments: [
    #""title":"TOKEN""#, #""title":"ESCAPED""#, #""TOKEN":1"#, #""title":"TOKEN\u0301""#,
    #""title":"a TOKEN b""#, #""title":"Bearer TOKEN","more":[{"TOKEN":[]}]"#,
  ])
  func anAnswerWithTheTokenIsNotUsed(member: String) async throws {
    let escaped = MusicTrial.token.utf8.map { "\\u00" + String($0, radix: 16) }.joined()
    let text = member.replacing("TOKEN", with: MusicTrial.token)
      .replacing("ESCAPED", with: escaped)
    let trial = try MusicTrial { _ in
      AppleMusicServer.json(#"{"data":[{"id":"1","type":"songs","attributes":{\#(text)}}]}"#)
    }
    let error = try await trial.expectErrorOfTracks(.unexpectedContent)
    #expect(error.message.contains("back the developer token"))
    try await trial.expectErrorOfPlaylist(.unexpectedContent)
    #expect(trial.server.requests.count == 2)
  }

  @Test func anAnswerWithTheTokenInAHeaderIsNotUsed() async throws {
    let trial = try MusicTrial { _ in
      .response(
        status: 200, headers: ["Content-Type": "text/\(MusicTrial.token)"], body: Array("{}".utf8))
    }
    let error = try await trial.expectErrorOfPlaylist(.unexpectedContent)
    #expect(!error.message.lowercased().contains(MusicTrial.token.lowercased()))
  }

  // MARK: Tokens

  @Test(arguments: [
    "", " ", "a b", "a\r\nX-Evil: 1", "a\n", "\u{E9}", "a\0b", String(repeating: "a", count: 8_193),
  ])
  func aTokenThatWouldBreakTheHeaderIsNotSent(token: String) async throws {
    let trial = try MusicTrial(tokens: FixedToken(text: token))
    let error = try await trial.expectErrorOfPlaylist(.tokenUnusable)
    #expect(token.count < 3 || !error.message.contains(token))
    #expect(trial.server.requests.isEmpty)
  }

  @Test func whatTheTokenSourceThrowsIsWhatComes() async throws {
    struct NoToken: Error {}
    struct Failing: DeveloperTokenSource {
      func token() async throws -> String { throw NoToken() }
    }
    let trial = try MusicTrial(tokens: Failing())
    await #expect(throws: NoToken.self) { try await trial.playlist() }
    #expect(trial.server.requests.isEmpty)
  }

  @Test func descriptionsOfAClientShowNoToken() throws {
    let transport = ScriptedTransport { _ in throw TransportFailure(.other, "no network") }
    let client = try AppleMusicClient(
      transport: transport, tokens: FixedDeveloperToken(MusicTrial.token))
    var dumped = ""
    dump(client, to: &dumped)
    #expect(!"\(client) \(String(reflecting: client)) \(dumped)".contains(MusicTrial.token))
  }
}
