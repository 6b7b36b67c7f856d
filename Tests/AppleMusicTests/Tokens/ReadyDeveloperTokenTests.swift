import DownloadTestSupport
import Foundation
import Promises
import Testing

@testable import AppleMusic

@Suite(
  .promise(
    "Developer tokens are what Apple asks for, and a key file that others can read is refused",
    by: "a token that is ready"))
struct ReadyDeveloperTokenTests {
  private let clock = StoppedClock()

  private func token(_ claims: String) -> String {
    func part(_ text: String) -> String {
      Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")
    }
    return "\(part(#"{"alg":"ES256"}"#)).\(part(claims)).c2lnbmF0dXJl"
  }

  private func ready(_ text: String) throws -> FixedDeveloperToken {
    try FixedDeveloperToken(text, now: { [clock] in clock.now })
  }

  @Test(arguments: [
    #"{"iss":"T","exp":1800000001}"#, #"{"exp":1.9e9}"#, "{}", #"{"exp":"soon"}"#, "[]", "nonsense",
    #"{"exp":null}"#, #"{"a":"???>>>"}"#, #"{"a":"\#u{FF}\#u{FE}"}"#,
  ])
  func aTokenThatIsNotOverIsHandedOut(claims: String) async throws {
    let text = token(claims)
    #expect(try await ready(text).token() == text)
  }

  @Test func aTokenThatIsOverSaysSinceWhen() throws {
    let text = token(#"{"iss":"T","exp":1800000000}"#)
    let error = try #require(#expect(throws: AppleMusicError.self) { try ready(text) })
    #expect(error.code == .tokenUnusable)
    #expect(error.message.contains("expired at 2027-01-15T08:00:00.000Z"))
    #expect(!error.message.contains(text))
  }

  @Test(arguments: ["0", "-1", "-1e300", "1"])
  func aTokenThatWasOverLongAgoIsRefused(expiry: String) throws {
    #expect(throws: AppleMusicError.self) { try ready(token(#"{"exp":\#(expiry)}"#)) }
  }

  @Test func aTokenThatEndsWhileItIsInUseIsNotHandedOut() async throws {
    let ready = try ready(token(#"{"exp":1800000060}"#))
    clock.advance(by: 59)
    _ = try await ready.token()
    clock.advance(by: 1)
    let error = await #expect(throws: AppleMusicError.self) { try await ready.token() }
    #expect(error?.code == .tokenUnusable)
  }

  @Test(arguments: [
    "", "a", "a.b", "a.b.c.d", "a..c", ".b.c", "a.b.", "a.b.c ", " a.b.c", "a.b.c\n", "a. b.c",
    "a.b+.c", "a.b/.c", "a.b=.c", "\u{E9}.b.c", "a.b.\0", "Bearer a.b.c",
    "a.b." + String(repeating: "c", count: 8_192),
  ])
  func whatCannotBeATokenIsRefused(text: String) throws {
    let error = try #require(#expect(throws: AppleMusicError.self) { try ready(text) })
    #expect(error.code == .tokenUnusable)
    #expect(text.count < 4 || !error.message.contains(text))
  }

  @Test func theRealClockIsAskedWithoutAnother() async throws {
    let text = token(#"{"exp":4102444800}"#)
    #expect(try await FixedDeveloperToken(text).token() == text)
    #expect(throws: AppleMusicError.self) {
      try FixedDeveloperToken(token(#"{"exp":1000000000}"#))
    }
  }

  @Test func descriptionsShowNoToken() throws {
    let text = token("{}")
    let ready = try ready(text)
    var dumped = ""
    dump(ready, to: &dumped)
    #expect(!"\(ready) \(String(reflecting: ready)) \(dumped)".contains(text))
    #expect(Mirror(reflecting: ready).children.isEmpty)
  }
}
