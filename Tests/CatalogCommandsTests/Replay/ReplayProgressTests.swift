import Catalog
import Foundation
import Testing

@testable import EngineCommands
@testable import SoundLibraryCommands

/// What a replay tells `verify` of how far it has come is taken out of what it writes for people.
@Suite struct ReplayProgressTests {
  @Test(arguments: [1, 2, 7, 1_000])
  func linesOfProgressAreTakenOut(pieceLength: Int) {
    let text =
      "catalogctl: warning: one\n\u{1}progress 10 40 replaying events\nprogress: of a person\n"
      + "\u{1}progress 7 - digesting tables\n\u{1}progress x 40 replaying events\nunfinished"
    var reader = ReplayProgress.Reader()
    var told: [CatalogProgress] = []
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: pieceLength) {
      let piece = bytes[start..<min(start + pieceLength, bytes.count)]
      if let progress = reader.read(Data(piece)) { told.append(progress) }
    }
    // Of those that come at once the last one counts.
    #expect(told.last?.phase == .digesting)
    #expect(told.last?.done == 7)
    #expect(told.last?.total == nil)
    if pieceLength == 1 {
      #expect(told.first?.phase == .folding)
      #expect(told.first?.done == 10)
      #expect(told.first?.total == 40)
    }
    // What is no progress is for people, whatever it begins with.
    #expect(
      reader.message
        == "catalogctl: warning: one\nprogress: of a person\n\u{1}progress x 40 replaying events\n"
        + "unfinished")
  }
}
