import Downloads
import Promises
import Testing

/// What stands between an HTTP client and a reader.
@Suite(
  .promise(
    "Both transports keep the same contract, or their limits are stated",
    by: "between an HTTP client and a reader: a cancelled body never looks complete"))
struct IncomingResponseTests {
  private let response = IncomingResponse()

  private func receive(_ count: Int) {
    [UInt8](repeating: 7, count: count).withUnsafeBytes { response.receive($0) }
  }

  private func chunk(_ resume: () -> Void = {}) async throws -> Int? {
    try await response.chunk(below: 500_000, resume)?.count
  }

  @Test func whatCameBeforeAnErrorIsReadBeforeIt() async throws {
    receive(10)
    receive(20)
    response.finish(TransportFailure(.cut, "gone"))
    receive(30)
    #expect(try await chunk() == 30)
    for _ in 0..<2 {
      await #expect(throws: TransportFailure(.cut, "gone")) { try await chunk() }
    }
  }

  /// A body that was cut short by a cancellation must not look like a whole one.
  @Test func aCancelledReaderGetsNothingMoreThoughAllHasCome() async throws {
    receive(10)
    response.finish(nil)
    response.finish(CancellationError())
    await #expect(throws: CancellationError.self) { try await chunk() }
  }

  @Test func theClientIsHeldBackOnceAndGoesOnWhereLittleWaits() async throws {
    var held = 0
    var wentOn = 0
    for _ in 0..<4 {
      receive(256 << 10)
      _ = response.pause(above: 700_000) { held += 1 }
    }
    #expect(held == 1 && response.pause(above: 700_000))
    for left in [768, 512, 256, 0] {
      #expect(try await chunk { wentOn += 1 } == 256 << 10)
      #expect(wentOn == (left << 10 < 500_000 ? 1 : 0))
    }
    #expect(!response.pause(above: 700_000))
  }
}
