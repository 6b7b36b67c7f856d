import CatalogTestSupport
import DownloadTestSupport
import DownloadsOverCurl
import Promises
import Testing

@testable import AppleMusic

/// Lists of tracks over many pages.
@Suite(
  .promise(
    "A list of tracks comes as a whole or not at all, in order, with its doubles",
    by: "lists of any length over many pages"),
  .timeLimit(.minutes(10)))
struct TracksTests {
  @Test func aListOf20PagesComesWholeAndInOrder() async throws {
    // Every track of the first half is there twice, and the last one three times in a row.
    let numbers = Array(0..<1_000) + Array((0..<998).reversed()) + [7, 7]
    let trial = try MusicTrial([ServedPlaylist(id: MusicTrial.id, numbers: numbers)])
    let tracks = try await trial.tracks()
    #expect(tracks.map(\.id) == numbers.map { "\(1_000_000 + $0)" })
    #expect(tracks.map(\.title) == numbers.map { "Track \($0)" })
    #expect(tracks.map(\.album) == numbers.map { $0 % 3 == 0 ? nil : "Album \($0 / 10)" })
    #expect(tracks.map(\.duration) == numbers.map { Double(180_000 + $0) / 1_000 })
    let path = "\(MusicTrial.path)/tracks"
    #expect(
      trial.server.requests.map(\.target) == ["\(path)?limit=100"]
        + (1..<20).map { "\(path)?offset=\($0 * 100)&limit=100" })
    trial.expectHeaders()
  }

  @Test(arguments: [0, 1, 99, 100, 101, 199, 200, 201])
  func listsOfAnyLengthComeWhole(count: Int) async throws {
    let trial = try MusicTrial([ServedPlaylist(id: MusicTrial.id, numbers: 0..<count)])
    #expect(try await trial.tracks().map(\.id) == (0..<count).map { "\(1_000_000 + $0)" })
    #expect(trial.server.requests.count == max(1, (count + 99) / 100))
  }

  @Test func randomListsComeWhole() async throws {
    var random = SeededGenerator("random lists of tracks")
    let trial = try MusicTrial()
    for _ in 0..<20 {
      let numbers = (0..<Int.random(in: 0...700, using: &random)).map { _ in
        Int.random(in: 0...300, using: &random)
      }
      trial.server.publish(ServedPlaylist(id: MusicTrial.id, numbers: numbers))
      let ids = try await trial.tracks().map(\.id)
      #expect(ids == numbers.map { "\(1_000_000 + $0)" })
    }
    trial.expectHeaders()
  }

  @Test func anEmptyPlaylistHasNoTracksAndIsThere() async throws {
    let trial = try MusicTrial([ServedPlaylist(id: MusicTrial.id, title: "Silence")])
    #expect(try await trial.tracks() == [])
    #expect(try await trial.playlist().title == "Silence")
    trial.server.script { _ in AppleMusicServer.json(#"{"data":[]}"#) }
    #expect(try await trial.tracks() == [])
  }

  @Test func aPlaylistThatIsGoneHasNoEmptyList() async throws {
    let playlist = ServedPlaylist(id: MusicTrial.id, numbers: 0..<3)
    let trial = try MusicTrial([playlist])
    trial.server.withdraw(playlist)
    try await trial.expectErrorOfTracks(.notFound)
    try await trial.expectErrorOfPlaylist(.notFound)
  }

  @Test func aPlaylistThatShrinksWhileItIsReadGivesAnErrorAndNoList() async throws {
    let trial = try MusicTrial([ServedPlaylist(id: MusicTrial.id, numbers: 0..<500)])
    trial.server.script { $0.offset == 200 ? AppleMusicServer.nothingRelated : nil }
    // Not `notFound`: the playlist is there.
    let error = try await trial.expectErrorOfTracks(.unexpectedContent)
    #expect(error.message.contains("page 3 of the tracks is gone"))
    #expect(error.errors.map(\.code) == ["40403"])
  }

  @Test func otherErrorsOfALaterPageAreTheListsError() async throws {
    let trial = try MusicTrial([ServedPlaylist(id: MusicTrial.id, numbers: 0..<500)])
    trial.server.script { $0.offset == 400 ? AppleMusicServer.notFound : nil }
    try await trial.expectErrorOfTracks(.notFound)
    trial.server.script { $0.offset == 400 ? AppleMusicServer.expiredToken : nil }
    try await trial.expectErrorOfTracks(.tokenRefused)
    trial.server.script { $0.offset == 400 ? AppleMusicServer.json("{}") : nil }
    try await trial.expectErrorOfTracks(.unexpectedContent)
  }

  @Test func tracksOfAllSortsComeAsTheyAre() async throws {
    typealias Track = ServedPlaylist.Track
    var video = Track(id: "2", title: "A Video")
    video.kind = "music-videos"
    var other = Track(id: "3", title: "Something New")
    other.kind = "holograms"
    var song = Track(id: "1", title: "A \"Song\" \u{1F3B5}")
    song.milliseconds = 0
    let playlist = ServedPlaylist(
      id: MusicTrial.id, title: "All Sorts",
      tracks: [song, video, Track(id: "4", title: nil), other, song])
    let tracks = try await MusicTrial([playlist]).tracks()
    #expect(tracks.map(\.id) == ["1", "2", "4", "3", "1"])
    #expect(tracks.map(\.kind) == ["songs", "music-videos", "songs", "holograms", "songs"])
    #expect(
      tracks.map(\.title) == [song.title, "A Video", "", "Something New", song.title])
    #expect(tracks.map(\.artist) == ["An Artist", "An Artist", "", "An Artist", "An Artist"])
    #expect(tracks.map(\.duration) == [0, nil, nil, nil, 0])
  }

  @Test func whatAPlaylistSaysOfItselfComes() async throws {
    var playlist = ServedPlaylist(id: "pl.u-A_b-9", title: "Regen & \"Wind\"")
    playlist.storefront = "de"
    playlist.curator = "Jemand"
    playlist.description = "<b>Nass</b>"
    playlist.lastModified = "2026-01-31"
    playlist.isPlayable = false
    let trial = try MusicTrial([playlist])
    #expect(
      try await trial.client.playlist("pl.u-A_b-9", storefront: "de")
        == CatalogPlaylist(
          id: "pl.u-A_b-9", storefront: "de", title: "Regen & \"Wind\"", curator: "Jemand",
          description: "<b>Nass</b>", artworkURL: "https://example.org/pl.u-A_b-9/{w}x{h}.jpg",
          url: "https://music.apple.com/de/playlist/pl.u-A_b-9", lastModified: "2026-01-31",
          isPlayable: false))
    trial.expectHeaders()
  }

  // MARK: Lists without an end

  @Test(arguments: [20, 21])
  func atTheLimitOfPagesItEnds(pages: Int) async throws {
    let trial = try MusicTrial { request in
      let page = request.offset + 1
      let next = page < pages ? #","next":"\#(MusicTrial.path)/tracks?offset=\#(page)""# : ""
      return AppleMusicServer.json(#"{"data":[{"id":"\#(page)","type":"songs"}]\#(next)}"#)
    }
    var client = trial.client
    #expect(client.pageLimit == 1_000)
    client.pageLimit = 20
    if pages == 20 {
      let tracks = try await client.tracks(ofPlaylist: MusicTrial.id, storefront: "us")
      #expect(tracks.map(\.id) == (1...20).map { "\($0)" })
    } else {
      let error = await #expect(throws: AppleMusicError.self) {
        try await client.tracks(ofPlaylist: MusicTrial.id, storefront: "us")
      }
      #expect(error?.code == .unexpectedContent)
    }
    #expect(trial.server.requests.count == 20)
  }

  @Test(arguments: [["limit=100"], ["offset=100"], ["offset=100&limit=100", "offset=100"]])
  func aNextPageThatWasReadBeforeIsAnError(queries: [String]) async throws {
    let trial = try MusicTrial { request in
      let query = queries[min(request.index, queries.count - 1)]
      return AppleMusicServer.json(
        #"{"data":[{"id":"1","type":"songs"}],"next":"\#(MusicTrial.path)/tracks?\#(query)"}"#)
    }
    try await trial.expectErrorOfTracks(.unexpectedContent)
    #expect(trial.server.requests.count <= 2)
  }

  // MARK: Base addresses

  @Test(arguments: ["", "/", "//"])
  func aSlashAtTheEndOfTheBaseAddressIsNothing(end: String) async throws {
    let playlist = ServedPlaylist(id: MusicTrial.id, numbers: 0..<150)
    let server = try AppleMusicServer([playlist], tokens: [MusicTrial.token])
    let client = try AppleMusicClient(
      transport: CurlTransport(), tokens: FixedToken(), baseURL: server.address + end,
      policy: MusicTrial.policy)
    #expect(try await client.tracks(ofPlaylist: MusicTrial.id, storefront: "us").count == 150)
    #expect(server.requests.allSatisfy { $0.target.hasPrefix("/v1/") })
  }

  @Test func aBaseAddressMayHaveAPath() async throws {
    let server = try AppleMusicServer()
    server.script { request in
      let next = request.offset == 0 ? #","next":"\#(MusicTrial.path)/tracks?offset=1""# : ""
      return AppleMusicServer.json(#"{"data":[{"id":"1","type":"songs"}]\#(next)}"#)
    }
    let client = try AppleMusicClient(
      transport: CurlTransport(), tokens: FixedToken(), baseURL: server.address + "/mirror",
      policy: MusicTrial.policy)
    #expect(try await client.tracks(ofPlaylist: MusicTrial.id, storefront: "us").count == 2)
    #expect(
      server.requests.map(\.path) == Array(repeating: "/mirror\(MusicTrial.path)/tracks", count: 2))
  }
}
