import CatalogTestSupport
import Foundation
import Testing

/// The commands of track libraries, on the documents of `Examples/Tracks`.
extension OutputStory {
  func tracks() async throws {
    let library = try TestCatalog()
    let documents = ScratchFolder.repository + "/Examples/Tracks"
    let file = library.folder.file("library.json")
    try FileManager.default.copyItem(atPath: documents + "/library.json", toPath: file)
    let track = "5a0e7c1b-63d2-4c11-9c62-7c0b1d1f0a01"
    try await run("init", "--kind", "track-library", in: library)
    try await run("tracks import", documents + "/none.json", status: 1, in: library)
    try await listsAgain()
    try await run("tracks import", file, "--dry-run", status: 2, in: library)
    try await run("tracks import", file, "--move", in: library)
    try await run("tracks import", documents + "/library.json", "--keep", in: library)
    try await run("tracks import", documents + "/spotify", in: library)
    try await run("tracks import", documents + "/apple", in: library)
    try await run("tracks import", documents + "/iTunes.xml", in: library)
    // A list that loses all its tracks.
    let mix = try library.folder.write("/m/one.mp3\n/m/two.mp3\n", to: "mix.m3u8")
    try await run("tracks import", mix, in: library)
    try library.folder.write("#EXTM3U\n", to: "mix.m3u8")
    try await run("tracks import", mix, "--force", in: library)
    try await run(
      "tracks import", documents + "/morning.m3u8", documents + "/iTunes.xml", in: library)
    try await run("tracks play", track, in: library)
    try await run("export", library.folder.file("exported"), in: library)
    try await run("tracks list", "--limit", "2", in: library)
    try await run("tracks list", "--source", "spotify", "--sort", "added", in: library)
    try await run("tracks list", "--source", "local", "--album", "x", status: 64, in: library)
    try await run("tracks list", "--sort", "colour", status: 64, in: library)
    try await run("tracks list", "--after", "x", status: 1, in: library)
    try await run("tracks search", "lantern", "--limit", "1", in: library)
    try await run("tracks search", "qqqq", in: library)
    try await run("tracks tag list", in: library)
    try await run("tracks tag add", "calm", "--color", "#00aa88", in: library)
    try await run("tracks tag add", "calm", status: 1, in: library)
    try await run("tracks tag set", "XXL011100001", "calm", "Favorites", in: library)
    try await run("tracks tag set", "404", "calm", status: 1, in: library)
    try await run("tracks tag rename", "calm", "quiet", in: library)
    try await run("tracks tag rename", "Favorites", "X", status: 1, in: library)
    try await run("tracks songs", "--limit", "1", in: library)
    try await run("tracks tag remove", "quiet", in: library)
    try await run("tracks tag remove", "quiet", status: 1, in: library)
    try await run("tracks playlist create", "Night", "--description", "late", in: library)
    try await run("tracks playlist create", " ", status: 1, in: library)
    try await run(
      "tracks playlist change", "Night", "--description", "", "--artwork-url",
      "https://images.example.com/n", in: library)
    try await run("tracks playlist change", "Night", "--name", " ", status: 1, in: library)
    try await run("tracks playlist change", "Night", status: 64, in: library)
    try await run("tracks playlist add", "Night", track, track, "--at", "0", in: library)
    try await run("tracks playlist add", "Night", "x", status: 64, in: library)
    try await run("tracks playlist move", "Night", "0", "1", in: library)
    try await run("tracks playlist remove", "Night", "0", in: library)
    try await run("tracks playlist remove", "Night", "7", status: 1, in: library)
    try await run("tracks playlist list", "--limit", "3", in: library)
    try await run("tracks playlist show", "Night", in: library)
    try await run("tracks playlist show", "Noon", status: 1, in: library)
    try await run("tracks playlist delete", "Night", in: library)
    try await run("tracks playlist delete", "Night", status: 1, in: library)
    let page = library.folder.file("pictured.json")
    try Data(
      #"""
      {"type": "playlist", "uri": "spotify:playlist:x", "name": "Pictured", "description": "With a picture",
       "images": [{"url": "https://images.example.com/x"}], "tracks": {"items": []}}
      """#.utf8
    ).write(to: URL(filePath: page))
    try await run("tracks import", page, in: library)
    try await run("tracks playlist list", in: library)
    try await run("tracks playlist show", "Pictured", in: library)
    try await run("tracks play", track, in: library)
    try await run("tracks play", "00000000-0000-4000-8000-000000000001", status: 1, in: library)
    try await run("tracks recent", in: library)
    try await run("tracks play", "5a0e7c1b-63d2-4c11-9c62-7c0b1d1f0a02", in: library)
    try await run("tracks recent", "--most-played", "--limit", "1", in: library)
    try await run("tracks queue", "Evening", "--shuffle", "--seed", "7", in: library)
    try await run("tracks queue", "Evening", "--start", "9", status: 64, in: library)
    try await run("tracks export", "Evening", in: library)
    let list = library.folder.file("evening.m3u8")
    try await run("tracks export", "Evening", "--m3u", list, in: library)
    try await run("tracks export", "Evening", "--m3u", list, status: 1, in: library)
    try await run("tracks import", list, in: library)
    try await run("tracks remove", track, in: library)
    try await run("tracks remove", track, status: 1, in: library)
    try await run("tracks remove", "x", status: 64, in: library)
    try await run("tracks recent", in: library)
    // What is another kind's.
    try await run("tracks list", status: 1, in: SharedCatalogs.sample.value)
    try await run("shows import", documents, status: 1, in: library)
  }

  /// A list that makes again what a revert removed.
  private func listsAgain() async throws {
    let library = try TestCatalog()
    try await run("init", "--kind", "track-library", in: library)
    for (number, titles) in [["Elk", "Owl"], ["Fox", "Elk", "Owl"], ["Fox", "Elk", "Cow"]]
      .enumerated()
    {
      let lines = titles.map { "#EXTINF:60,Band - \($0)\n/music/\($0).mp3\n" }.joined()
      let list = try library.folder.write("#EXTM3U\n" + lines, to: "list.m3u8")
      try await run("tracks import", list, in: library)
      if number == 1 { try await run("revert", "head", in: library) }
    }
  }
}
