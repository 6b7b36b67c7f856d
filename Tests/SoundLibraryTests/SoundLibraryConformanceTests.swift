import KindConformance
import Promises
import SoundLibraryTestSupport
import Testing

@testable import SoundLibrary

@Suite(
  .promise(
    "A kind keeps what the engine promises of all kinds, and a kind that does not is found"))
struct SoundLibraryConformanceTests {
  @Test func soundLibrariesKeepItAll() async throws {
    var generator = HistoryGenerator(seed: 5)
    let batches = generator.batches(12).map { batch in
      batch.map(\.event).filter {
        if case .catalogCreated = $0 { false } else { true }
      }
    }
    let findings = try await KindConformance(SoundLibraryKind(), batches: batches).findings()
    #expect(findings.isEmpty, "\(findings)")
  }
}
