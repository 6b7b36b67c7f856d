import AppleMusic
import AppleMusicTokens
import Promises
import Testing

@Suite(
  .promise(
    "Developer tokens are what Apple asks for, and a key file that others can read is refused",
    by: "the settings that name a token or a key"))
struct DeveloperTokensTests {
  private static let token = "APPLE_MUSIC_TOKEN"
  private static let keyNames = [
    "APPLE_MUSIC_KEY_FILE", "APPLE_MUSIC_KEY_ID", "APPLE_MUSIC_TEAM_ID",
  ]

  private func expectError(_ environment: [String: String]) throws -> String {
    let error = try #require(
      #expect(throws: AppleMusicError.self) {
        _ = try DeveloperTokens.fromEnvironment(environment)
      })
    #expect(error.code == .tokenUnusable)
    return error.message
  }

  @Test func whereNothingIsSetThereIsNone() throws {
    #expect(try DeveloperTokens.fromEnvironment([:]) == nil)
    #expect(try DeveloperTokens.fromEnvironment(["PATH": "/bin"]) == nil)
    var empty = [Self.token: ""]
    for name in Self.keyNames { empty[name] = "" }
    #expect(try DeveloperTokens.fromEnvironment(empty) == nil)
  }

  @Test func aReadyTokenIsTakenAndComesFirst() async throws {
    let one = try DeveloperTokens.fromEnvironment([Self.token: MusicTrial.token])
    #expect(try await one?.token() == MusicTrial.token)
    let other = try DeveloperTokens.fromEnvironment([
      Self.token: MusicTrial.token, Self.keyNames[0]: "/nowhere",
    ])
    #expect(other is FixedDeveloperToken)
    #expect(!(try expectError([Self.token: "secret token"])).contains("secret"))
  }

  @Test func aKeyIsTakenWhereAllOfItIsSet() async throws {
    let key = try PrivateKey()
    let source = try DeveloperTokens.fromEnvironment([
      "APPLE_MUSIC_KEY_FILE": key.file, "APPLE_MUSIC_KEY_ID": "ABC123DEFG",
      "APPLE_MUSIC_TEAM_ID": "DEF123GHIJ", Self.token: "",
    ])
    let token = try Token(#require(try await source?.token()))
    #expect(token.header["kid"] == .text("ABC123DEFG"))
    #expect(token.claims["iss"] == .text("DEF123GHIJ"))
    #expect(try key.verifies(token))
  }

  @Test(arguments: 1..<7)
  func whereSomeAreMissingTheyAreNamed(set: Int) throws {
    var environment: [String: String] = [:]
    for (bit, name) in Self.keyNames.enumerated() where set & 1 << bit != 0 {
      environment[name] = "x"
    }
    let message = try expectError(environment)
    let said = message.prefix { $0 != ";" }
    for name in Self.keyNames { #expect(said.contains(name) == (environment[name] == nil)) }
  }

  @Test func whatIsOfNoUseIsAnError() throws {
    let message = try expectError([
      "APPLE_MUSIC_KEY_FILE": "/nowhere/key.p8", "APPLE_MUSIC_KEY_ID": "A",
      "APPLE_MUSIC_TEAM_ID": "B",
    ])
    #expect(message.contains("/nowhere/key.p8"))
  }
}
