import CatalogTestSupport
import Promises
import Testing
import TrackLibrary

@Suite(
  .promise("Each spelling of a place or an id of a track is one track or song"))
struct TrackURITests {
  @Test(arguments: [
    ("file:///Music/a.mp3", "file:///Music/a.mp3"),
    ("FILE://localhost/Music/a.mp3", "file:///Music/a.mp3"),
    ("file:/Music/a.mp3", "file:///Music/a.mp3"),
    ("file:///Music/./b/../a%2Emp3", "file:///Music/a.mp3"),
    ("file:///Music/a b.mp3", "file:///Music/a%20b.mp3"),
    ("file:///Music/e%CC%81.mp3", "file:///Music/%C3%A9.mp3"),
    ("file:///Music/é.mp3", "file:///Music/%C3%A9.mp3"),
    ("file:///%ff.mp3", "file:///%FF.mp3"),
    ("file:///g:/Music/a.mp3", "file:///G:/Music/a.mp3"),
    ("file://localhost/G:/Music/a.mp3", "file:///G:/Music/a.mp3"),
    ("file://G:/Music/a.mp3", "file:///G:/Music/a.mp3"),
    ("file://Server/share/a.mp3", "file://server/share/a.mp3"),
    ("file:///../../a.mp3", "file:///a.mp3"),
    ("spotify:track:4uLU6hMCjMI75M1A2tKUQC", "spotify:track:4uLU6hMCjMI75M1A2tKUQC"),
    (
      "https://open.spotify.com/track/4uLU6hMCjMI75M1A2tKUQC?si=1",
      "spotify:track:4uLU6hMCjMI75M1A2tKUQC"
    ),
    (
      "https://open.spotify.com/intl-de/track/4uLU6hMCjMI75M1A2tKUQC",
      "spotify:track:4uLU6hMCjMI75M1A2tKUQC"
    ),
    ("spotify:local:::Song%20One:61", "spotify:local:::Song%20One:61"),
    ("HTTP://Example.com:80/a/../b%7e?x#y", "http://example.com/b~?x"),
    ("https://example.com", "https://example.com/"),
    ("itunes:0123456789ABCDEF", "itunes:0123456789ABCDEF"),
  ])
  func onePlaceIsSpelledInOneWay(_ text: String, _ uri: String) {
    #expect(TrackURI.normalized(text) == uri)
    #expect(TrackURI.normalized(uri) == uri)
  }

  @Test(arguments: [
    "", "a.mp3", "/Music/a.mp3", "G:/a.mp3", "http:", "http://", "file:", "file:a", "spotify:",
    "file:///%00", "1a:b",
  ])
  func whatIsNotAURIIsNone(_ text: String) {
    #expect(TrackURI.normalized(text) == nil)
  }

  @Test(arguments: [
    ("/Music/a b%.mp3", "file:///Music/a%20b%25.mp3"),
    ("G:\\Music\\a.mp3", "file:///G:/Music/a.mp3"),
    ("g:/a/../b.mp3", "file:///G:/b.mp3"), ("//a//b.mp3", "file:///a/b.mp3"),
    ("/a\\b.mp3", "file:///a%5Cb.mp3"),
  ])
  func pathsAreFiles(_ path: String, _ uri: String) {
    #expect(TrackURI.file(path: path) == uri)
    #expect(TrackURI.normalized(uri) == uri)
    #expect(TrackURI.path(ofFile: uri).flatMap(TrackURI.file(path:)) == uri)
  }

  /// Whatever is normalised stays as it is when it is normalised again.
  @Test func normalisingTwiceIsNormalisingOnce() {
    var random = SplitMix(seed: 23)
    let pieces = [
      "file:", "http:", "https://open.spotify.com", "spotify:", "//", "/", "localhost", "G:", "..",
      ".",
      "%", "%2F", "%2e", "%25", "%C3%A9", "e\u{301}", "é", " ", "\\", "?", "#", "a", "Z", ":",
      "track", "\u{0}",
      "%ff", "[", "🎵",
    ]
    var known = 0
    for _ in 0..<20_000 {
      let count = Int(random.next() % 9) + 1
      let text = (0..<count).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
      for uri in [TrackURI.normalized(text), TrackURI.file(path: text)] {
        guard let uri else { continue }
        known += 1
        #expect(TrackURI.normalized(uri) == uri, "\(text) → \(uri)")
      }
    }
    #expect(known > 1_000)
  }
}

@Suite(
  .promise("Each spelling of a place or an id of a track is one track or song"))
struct SongIDTests {
  @Test(arguments: [
    ("USS1Z9900001", "USS1Z9900001"), ("US-S1Z-99-00001", "USS1Z9900001"),
    ("us\u{2011}s1z\u{2011}99\u{2011}00001", "USS1Z9900001"), (" gbaye0601498 ", "GBAYE0601498"),
    ("1488408568", "1488408568"),
  ])
  func idsAreKeptInOneForm(_ text: String, _ id: String) {
    #expect(SongID.normalized(text) == id)
  }

  @Test(arguments: [
    "", "i.AbCdEf", "USS1Z990000", "USS1Z99000011", "US_S1Z990001", "0488408568", "12S1Z9900001",
    "ÜSS1Z9900001", "１４８８", "12345678901234567890",
  ])
  func whatIsNeitherIsNone(_ text: String) {
    #expect(SongID.normalized(text) == nil)
  }

  /// Dashes and case never matter, and normalising twice is normalising once.
  @Test func dashesAndCaseDoNotMatter() {
    var random = SplitMix(seed: 7)
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    let all = letters + Array("0123456789")
    let dashes = ["", "", "-", "\u{2011}", "\u{2013}", " "]
    for _ in 0..<2_000 {
      let isrc = String(
        (0..<12).map { place in
          let from = place < 2 ? letters : all
          return from[Int(random.next() % UInt64(from.count))]
        })
      var spelled = ""
      for letter in isrc {
        spelled += random.next() % 2 == 0 ? letter.lowercased() : String(letter)
        spelled += dashes[Int(random.next() % UInt64(dashes.count))]
      }
      #expect(SongID.normalized(spelled) == isrc)
      #expect(SongID.normalized(isrc) == isrc)
    }
  }
}
