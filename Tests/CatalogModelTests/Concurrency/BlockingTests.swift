import Promises
import Testing

@testable import CatalogModel

@Suite(
  .promise(
    "Reading leaves a catalog's folder as it is",
    by: "work that a queue holds no longer than it lasts"))
struct BlockingTests {
  private final class Opened: Sendable {}

  /// A work that has the only reference to something opened.
  private static func work() -> (held: HeldWork<Int>, seen: () -> Opened?) {
    let opened = Opened()
    return (
      HeldWork { [opened] in withExtendedLifetime(opened) { 1 } }, { [weak opened] in opened }
    )
  }

  /// The queue releases its block after the caller continues, and the process may end in between.
  @Test func doneWorkIsLetGoOf() throws {
    let (held, seen) = Self.work()
    #expect(seen() != nil)
    #expect(try held.run().get() == 1)
    #expect(seen() == nil)
    withExtendedLifetime(held) {}
  }

  private struct Failure: Error {}

  @Test(arguments: [false, true]) func whatTheWorkThrowsArrives(isLong: Bool) async throws {
    #expect(try await Blocking.run(isLong: isLong) { 1 } == 1)
    await #expect(throws: Failure.self) {
      try await Blocking.run(isLong: isLong) { throw Failure() }
    }
  }
}
