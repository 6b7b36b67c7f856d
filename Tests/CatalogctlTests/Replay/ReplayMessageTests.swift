import CatalogEngine
import CatalogTestSupport
import Foundation
import Promises
import Synchronization
import Testing

@testable import EngineCommands

/// A replay reports to the `verify` that started it by messages.
@Suite(
  .promise(
    "A process that was started by another ends with it, and reports to it by messages "
      + "that any pipe may cut"))
struct ReplayMessageTests {
  @Test(arguments: [1, 2, 7, 1_000])
  func messagesAreReadHoweverThePipeCutsThem(pieceLength: Int) throws {
    let sent: [ReplayMessage] = [
      .progress(phase: "replaying events", done: 10, total: 40),
      .progress(phase: "a phase of a later release", done: 1, total: 2),
      .progress(phase: "digesting tables", done: 7, total: nil),
      .result(receipt: "{\n  \"of\": \"\u{1}\u{2028}\"\n}\n"),
    ]
    let written = Mutex("")
    let console = Console(
      output: { text in written.withLock { $0 += text } }, errors: { _ in Issue.record() })
    for message in sent { try message.write(to: console) }
    let bytes = Array(written.withLock { $0 }.utf8)
    var reader = ReplayMessage.Reader()
    var read: [ReplayMessage] = []
    for start in stride(from: 0, to: bytes.count, by: pieceLength) {
      read += try reader.read(Array(bytes[start..<min(start + pieceLength, bytes.count)]))
    }
    #expect(read == sent)
    #expect(
      read.map(\.progress) == [
        CatalogProgress(phase: .folding, done: 10, total: 40), nil,
        CatalogProgress(phase: .digesting, done: 7, total: nil), nil,
      ])
  }

  @Test func aLineThatIsNotAMessageIsRefused() throws {
    var reader = ReplayMessage.Reader()
    #expect(try reader.read(Array("warning".utf8)).isEmpty)
    #expect(throws: DecodingError.self) { try reader.read([0x0A]) }
  }

  /// Progress is reported on standard output, and nothing on standard error.
  @Test(arguments: ["memory", "carried"])
  func aReplayReportsItsPhasesAndItsReceipt(mode: String) async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let outcome = try await catalog.program(
      "replay", "--mode", mode, "--through", "\(try await catalog.head().sequence)", "--out",
      catalog.folder.file("out.sqlite"))
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    var reader = ReplayMessage.Reader()
    let messages = try reader.read(Array(outcome.output.utf8))
    #expect(messages.compactMap { $0.progress?.phase }.last == .digesting)
    #expect(messages.last == .result(receipt: try await catalog.receipt()))
  }
}
