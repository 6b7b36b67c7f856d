import AppleMusic
import AppleMusicTokens
import CatalogTestSupport
import DownloadTestSupport
import DownloadsOverCurl
import Foundation
import Promises
import Testing

@Suite(
  .promise(
    "Developer tokens are what Apple asks for, and a key file that others can read is refused",
    by: "`openssl` verifies the signatures"))
struct SignedDeveloperTokensTests {
  private let key: PrivateKey
  private let clock = StoppedClock()

  init() throws {
    key = try PrivateKey()
  }

  private func tokens(
    file: String? = nil, keyID: String = "ABC123DEFG", teamID: String = "DEF123GHIJ",
    lifetime: Duration = .seconds(1_000)
  ) throws -> SignedDeveloperTokens {
    try SignedDeveloperTokens(
      keyFile: file ?? key.file, keyID: keyID, teamID: teamID, lifetime: lifetime,
      now: { [clock] in clock.now })
  }

  /// Making it fails, and nothing of the key is told.
  @discardableResult
  private func expectError(
    _ part: String, sourceLocation: SourceLocation = #_sourceLocation,
    of work: () throws -> SignedDeveloperTokens
  ) throws -> AppleMusicError {
    let error = try #require(
      #expect(throws: AppleMusicError.self, sourceLocation: sourceLocation) { _ = try work() },
      sourceLocation: sourceLocation)
    #expect(error.code == .tokenUnusable, sourceLocation: sourceLocation)
    #expect(error.message.contains(part), "\(error)", sourceLocation: sourceLocation)
    let secret = try String(contentsOfFile: key.file, encoding: .utf8)
      .split(separator: "\n").dropFirst().dropLast()
    #expect(!secret.contains { error.message.contains($0) }, sourceLocation: sourceLocation)
    return error
  }

  // MARK: What is signed

  @Test func opensslVerifiesTheSignature() async throws {
    // Several: a half of a signature may begin with zeros, or look negative.
    for second in 0..<8 {
      clock.advance(by: second * 1_000)
      let token = try Token(try await tokens().token())
      #expect(try key.verifies(token))
    }
  }

  @Test func opensslRefusesTheSignatureOfAnotherKey() async throws {
    let token = try Token(try await tokens().token())
    #expect(try !PrivateKey().verifies(token))
  }

  @Test func headerAndClaimsAreThoseThatAppleAsksFor() async throws {
    let token = try Token(try await tokens().token())
    #expect(
      token.header == ["alg": .text("ES256"), "kid": .text("ABC123DEFG"), "typ": .text("JWT")])
    #expect(
      token.claims == [
        "iss": .text("DEF123GHIJ"), "iat": .number(StoppedClock.start),
        "exp": .number(StoppedClock.start + 1_000),
      ])
  }

  @Test func aTokenIsGoodForTwelveHoursUnlessToldOtherwise() async throws {
    let tokens = try SignedDeveloperTokens(
      keyFile: key.file, keyID: "A", teamID: "B", now: { [clock] in clock.now })
    let claims = try Token(try await tokens.token()).claims
    #expect(claims["exp"] == .number(StoppedClock.start + 43_200))
  }

  // MARK: Renewal

  @Test func aTokenIsKeptUntilATenthOfItsLifeIsLeft() async throws {
    let tokens = try tokens()
    let first = try await tokens.token()
    clock.advance(by: 899)
    #expect(try await tokens.token() == first)
    clock.advance(by: 1)
    #expect(try await tokens.token() == first)
    clock.advance(by: 1)
    let second = try await tokens.token()
    #expect(second != first)
    #expect(try Token(second).claims["iat"] == .number(StoppedClock.start + 901))
    #expect(try key.verifies(Token(second)))
    #expect(try await tokens.token() == second)
  }

  @Test func aTokenOfAShortLifeIsKeptUntilAMinuteIsLeft() async throws {
    let tokens = try tokens(lifetime: .seconds(120))
    let first = try await tokens.token()
    clock.advance(by: 60)
    #expect(try await tokens.token() == first)
    clock.advance(by: 1)
    #expect(try await tokens.token() != first)
  }

  @Test func aClockThatIsPutBackMakesANewToken() async throws {
    let tokens = try tokens()
    _ = try await tokens.token()
    clock.advance(by: -3_600)
    let claims = try Token(try await tokens.token()).claims
    #expect(claims["iat"] == .number(StoppedClock.start - 3_600))
  }

  @Test func manyAtOnceGetTokensThatAreGood() async throws {
    let tokens = try tokens()
    let all = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<20 { group.addTask { try await tokens.token() } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    for text in all { #expect(try key.verifies(Token(text))) }
  }

  @Test func aTokenThatEndsBetweenTwoPagesIsRenewed() async throws {
    let tokens = try tokens()
    let server = try AppleMusicServer([ServedPlaylist(id: MusicTrial.id, numbers: 0..<300)])
    server.script { [clock] _ in
      clock.advance(by: 500)
      return nil
    }
    let client = try AppleMusicClient(
      transport: CurlTransport(), tokens: tokens, baseURL: server.address,
      policy: MusicTrial.policy)
    #expect(try await client.tracks(ofPlaylist: MusicTrial.id, storefront: "us").count == 300)
    let sent = server.requests.compactMap {
      $0[header: "Authorization"]?.dropFirst("Bearer ".count)
    }
    let issued = try sent.map { try Token(String($0)).claims["iat"] }
    let start = StoppedClock.start
    #expect(issued == [.number(start), .number(start), .number(start + 1_000)])
  }

  // MARK: What is refused

  @Test(arguments: [0o644, 0o640, 0o604, 0o660, 0o620, 0o602, 0o610, 0o601, 0o777, 0o440])
  func aKeyFileThatOthersCanTouchIsRefused(mode: Int) throws {
    try key.setMode(mode)
    let error = try expectError("run: chmod 600 \(key.file)") { try tokens() }
    #expect(error.message.contains("mode \(String(mode, radix: 8))"))
  }

  @Test(arguments: [0o600, 0o400, 0o700])
  func aKeyFileThatIsItsOwnersAloneIsTaken(mode: Int) async throws {
    try key.setMode(mode)
    #expect(try key.verifies(Token(try await tokens().token())))
  }

  @Test func aLinkToAKeyFileIsTaken() async throws {
    let link = key.scratch.file("link.p8")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: key.file)
    #expect(try key.verifies(Token(try await tokens(file: link).token())))
  }

  @Test func whatIsNoKeyFileIsRefused() throws {
    let scratch = key.scratch
    try expectError("No such file") { try tokens(file: scratch.file("none")) }
    try expectError("not a regular file") { try tokens(file: scratch.path) }
    try expectError("not a regular file") { try tokens(file: "/dev/null") }
    try expectError("is empty or contains U+0000") { try tokens(file: "") }
    try expectError("is empty or contains U+0000") { try tokens(file: "key\0.p8") }
    let pipe = scratch.file("pipe")
    #expect(try Program("mkfifo", "-m", "600", pipe).status == 0)
    try expectError("not a regular file") { try tokens(file: pipe) }
  }

  @Test(arguments: [
    ("", "is empty or larger than 16384 bytes"),
    (String(repeating: "x", count: 16_385), "is empty or larger than 16384 bytes"),
    (String(repeating: "x", count: 16_384), "does not hold a private key for ES256"),
    (
      "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
      "does not hold a private key"
    ),
    ("{}", "does not hold a private key"),
  ])
  func whatHoldsNoKeyIsRefused(text: String, part: String) throws {
    let file = try key.scratch.write(text, to: "other.p8")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    try expectError(part) { try tokens(file: file) }
  }

  @Test(arguments: ["secp384r1", "secp521r1", "secp256k1"])
  func aKeyOfAnotherCurveIsRefused(curve: String) throws {
    let other = try PrivateKey(curve: curve)
    try expectError("does not hold a private key for ES256") { try tokens(file: other.file) }
  }

  @Test func aPublicKeyIsRefused() throws {
    let file = key.scratch.file("public.pem")
    let made = try Program("openssl", "ec", "-in", key.file, "-pubout", "-out", file)
    try #require(made.status == 0)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    try expectError("does not hold a private key for ES256") { try tokens(file: file) }
  }

  @Test(arguments: [Duration.seconds(15_777_001), .seconds(119), .zero, .seconds(-1)])
  func otherLifetimesAreRefused(lifetime: Duration) throws {
    try expectError("give it 120 to 15777000 s") { try tokens(lifetime: lifetime) }
  }

  @Test func theLongestLifetimeIsTaken() async throws {
    let tokens = try tokens(lifetime: SignedDeveloperTokens.longestLifetime)
    let claims = try Token(try await tokens.token()).claims
    #expect(claims["exp"] == .number(StoppedClock.start + 15_777_000))
  }

  @Test(arguments: [
    "", " ", "ABC 123", "ABC-123", "A\n", "\u{E9}", String(repeating: "A", count: 65),
  ])
  func whatCannotBeAnIDIsRefused(id: String) throws {
    try expectError("is not a key id") { try tokens(keyID: id) }
    try expectError("is not a team id") { try tokens(teamID: id) }
  }

  @Test func descriptionsShowNoSecret() async throws {
    let tokens = try tokens()
    let token = try await tokens.token()
    var dumped = ""
    dump(tokens, to: &dumped)
    let all = "\(tokens) \(String(reflecting: tokens)) \(dumped)"
    #expect(!all.contains(token))
    #expect(all.contains("ABC123DEFG"))
    #expect(Mirror(reflecting: tokens).children.isEmpty)
  }
}
