import AppleMusic
import Promises
import Testing

@Suite(
  .promise(
    "An application says by its own source whether a playlist of Apple Music can be played",
    by: "a source as an embedder writes it"))
struct MusicAvailabilityTests {
  /// An app's side, as an embedder would write it for its own tests.
  private struct Scripted: MusicAvailabilitySource {
    var answers: [String: MusicAvailability]

    func availability(ofPlaylist id: String) async -> MusicAvailability { answers[id] ?? .unknown }
  }

  @Test func anAppTellsWhatItsSideFoundOut() async {
    let source: any MusicAvailabilitySource = Scripted(answers: [
      "pl.a": .playable, "pl.b": .noSubscription(canSubscribe: true),
    ])
    #expect(await source.availability(ofPlaylist: "pl.a") == .playable)
    #expect(await source.availability(ofPlaylist: "pl.b") == .noSubscription(canSubscribe: true))
    #expect(await source.availability(ofPlaylist: "pl.b") != .noSubscription(canSubscribe: false))
    #expect(await source.availability(ofPlaylist: "pl.c") == .unknown)
  }
}
