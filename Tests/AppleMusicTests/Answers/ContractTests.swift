import AppleMusic
import DownloadTestSupport
import Promises
import Testing

/// Answers of the real API, as other projects recorded them (Resources/LICENSES.md).
@Suite(
  .promise(
    "The answers of Apple Music's API are read as it sends them, and what is not an answer "
      + "is refused",
    by: "recorded answers"))
struct ContractTests {
  @Test func aPlaylistIsReadFromAWholeAnswer() async throws {
    let text = try Resources.text("playlist-answer.json")
    let trial = try MusicTrial { _ in AppleMusicServer.json(text) }
    let playlist = try await trial.playlist()
    #expect(
      playlist
        == CatalogPlaylist(
          id: MusicTrial.id, storefront: "us", title: "Janet Jackson: No.1 Songs",
          curator: "Apple Music R&B",
          description:
            "Few female artists have reached the top of the charts as frequently as Janet Jackson. "
            + "We've assembled all of her number one hits for a chart-topping collection which confirms "
            + "her status as the true Queen of pop-R&B.",
          artworkURL:
            "https://is4-ssl.mzstatic.com/image/thumb/Features71/v4/49/f0/f6/"
            + "49f0f636-cefe-0fba-a6a1-01321374e768/source/{w}x{h}cc.jpg",
          url:
            "https://itunes.apple.com/us/playlist/janet-jackson-no-1-songs/"
            + "idpl.acc464c750b94302b8806e5fcbe56e17",
          lastModified: "2015-04-11T16:15:51Z", isPlayable: true))
    #expect(trial.server.requests.map(\.target) == [MusicTrial.path])
    trial.expectHeaders()
  }

  @Test func aPlaylistIsReadFromAResource() async throws {
    let text = try Resources.answer("playlist.json")
    let trial = try MusicTrial { _ in AppleMusicServer.json(text) }
    let playlist = try await trial.playlist()
    #expect(playlist.title == "Janet Jackson: No.1 Songs")
    #expect(playlist.curator == "Apple Music R&B")
    #expect(playlist.lastModified == "2015-04-11T16:15:51Z")
    #expect(playlist.isPlayable)
  }

  @Test func songsAndMusicVideosAreTracks() async throws {
    let text = try Resources.answer("song.json", "music-video.json")
    let trial = try MusicTrial { _ in AppleMusicServer.json(text) }
    #expect(
      try await trial.tracks() == [
        CatalogTrack(
          id: "900032829", kind: "songs", title: "Something For the Pain",
          artist: "Michael de Jong", album: "Something For the Pain", duration: 327.693,
          artworkURL:
            "https://example.mzstatic.com/image/thumb/Music3/v4/8d/5f/4e/"
            + "8d5f4e8f-d677-ba24-15f0-f8035047a4cc/source/{w}x{h}bb.jpeg"),
        CatalogTrack(
          id: "401135199", kind: "music-videos", title: "Rubber Soul (Documentary)",
          artist: "The Beatles", album: "Rubber Soul", duration: nil,
          artworkURL:
            "https://example.mzstatic.com/image/thumb/Video/80/7c/7b/mzi.whntyxqw.jpg/"
            + "{w}x{h}bb.jpeg"),
      ])
    #expect(trial.server.requests.map(\.target) == ["\(MusicTrial.path)/tracks?limit=100"])
    trial.expectHeaders()
  }

  @Test func aMusicVideoWithoutAnAlbumIsATrack() async throws {
    let text = try Resources.text("music-video-answer.json")
    let trial = try MusicTrial { _ in AppleMusicServer.json(text) }
    let track = try #require(try await trial.tracks().first)
    #expect(track.id == "639032181")
    #expect(track.kind == "music-videos")
    #expect(track.title == "#thatPOWER (feat. Justin Bieber)")
    #expect(track.artist == "will.i.am")
    #expect(track.album == nil)
    #expect(track.duration == 292.833)
  }
}
