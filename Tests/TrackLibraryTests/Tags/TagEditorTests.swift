import CatalogEngine
import CatalogTestSupport
import Promises
import Testing
import TrackLibrary

@Suite(
  .promise(
    "Each source of tags keeps its own, and a tag that changes while it is uploaded stays "
      + "pending"))
struct TagEditorTests {
  private static let apple = "1500000007"

  private func library() async throws -> TestLibrary {
    let test = try await TestLibrary()
    try await test.importing(
      #"{"data": [{"id": "\#(Self.apple)", "type": "songs", "attributes": {"name": "Ferry"}}]}"#,
      as: "songs.json")
    return test
  }

  /// System tags are as any other for songs, and nobody changes them.
  @Test func systemTagsStayAsTheyAre() async throws {
    let test = try await library()
    #expect(try await test.library.tags.list().map(\.name) == ["Favorites", "Recent"])
    for isThere in [false, true] {
      if isThere { try await test.library.tags.set(["Favorites"], of: Self.apple) }
      let before = try test.log()
      for change in ["rename", "color", "remove", "add"] {
        let error = await #expect(throws: TagError.self) {
          switch change {
          case "rename": try await test.library.tags.change("Favorites", to: "X")
          case "color": try await test.library.tags.change("Recent", hexColor: "#000000")
          case "remove": try await test.library.tags.remove("Favorites")
          default: try await test.library.tags.add(" Favorites ")
          }
        }
        #expect(error?.code == (change == "add" ? .nameTaken : .systemTag))
      }
      #expect(try test.log() == before)
    }
    #expect(
      try test.sql("SELECT name, is_system_tag FROM tag ORDER BY 1") == ["Favorites|1", "Recent|1"])
  }

  @Test func namesAreUniqueAndColoursAreColours() async throws {
    let test = try await library()
    try await test.library.tags.add("calm", hexColor: "00aa88")
    #expect(try test.sql("SELECT hex_color FROM tag WHERE name = 'calm'") == ["#00AA88"])
    try await test.library.tags.add("loud")
    for (name, code) in [
      ("calm", TagError.Code.nameTaken), (" ", .nameRefused), ("a\0", .nameRefused),
    ] {
      let error = await #expect(throws: TagError.self) { try await test.library.tags.add(name) }
      #expect(error?.code == code)
    }
    for color in ["", "#12345", "#GGGGGG", "#１２３４５６", "red"] {
      let error = await #expect(throws: TagError.self) {
        try await test.library.tags.add("new", hexColor: color)
      }
      #expect(error?.code == .colorRefused)
    }
    let taken = await #expect(throws: TagError.self) {
      try await test.library.tags.change("calm", to: "loud")
    }
    #expect(taken?.code == .nameTaken)
    #expect(try await test.library.tags.change("calm", to: "calm").outcome == .unchanged)
    // The name is free again, and the new tag is another one.
    try await test.library.tags.change("calm", to: "quiet")
    try await test.library.tags.add("calm")
    #expect(try test.sql("SELECT count(DISTINCT id) FROM tag") == ["5"])
  }

  /// What one source says leaves what others say.
  @Test func eachSourceHasItsTags() async throws {
    let test = try await library()
    for tag in ["a", "b", "c"] { try await test.library.tags.add(tag) }
    let tags = test.library.tags
    try await tags.set(["a", "b"], of: Self.apple)
    try await tags.set(["b", "c"], of: Self.apple, from: "analysis")
    try await tags.set(["c"], of: Self.apple)
    #expect(try await tags.tags(of: Self.apple).map(\.name) == ["b", "c"])
    try await tags.set([], of: Self.apple, from: "analysis")
    #expect(try await tags.tags(of: Self.apple).map(\.name) == ["c"])
    #expect(try await tags.set(["c", "c"], of: Self.apple).outcome == .unchanged)
    #expect(try await tags.list().map { "\($0.name) \($0.songCount)" }.contains("c 1"))
    try await tags.remove("c")
    #expect(try await tags.tags(of: Self.apple).isEmpty)
    let song = await #expect(throws: TagError.self) { try await tags.set(["a"], of: "404") }
    #expect(song?.code == .songNotFound)
    let tag = await #expect(throws: TagError.self) { try await tags.set(["none"], of: Self.apple) }
    #expect(tag?.code == .notFound)
    let near = await #expect(throws: TagError.self) { try await tags.remove("favorits") }
    #expect(near?.message == "there is no tag \"favorits\"; did you mean \"Favorites\"?")
  }

  /// Whatever sources say in whatever order, a song has the tags that any of them gives.
  @Test func tagsAreTheUnionOfTheSources() async throws {
    let test = try await library()
    let names = ["a", "b", "c", "d"]
    for name in names { try await test.library.tags.add(name) }
    var random = SplitMix(seed: 4)
    var model: [String: Set<String>] = [:]
    for _ in 0..<40 {
      let source = random.pick(["person", "analysis", "friend"])
      let chosen = Set(names.filter { _ in random.below(2) == 0 })
      try await test.library.tags.set(chosen.sorted(), of: Self.apple, from: source)
      model[source] = chosen
      let union = model.values.reduce(into: Set()) { $0.formUnion($1) }
      #expect(try await test.library.tags.tags(of: Self.apple).map(\.name) == union.sorted())
    }
  }

  /// What changes while it is uploaded stays pending.
  @Test func aTagThatChangesWhileUploadingStaysPending() async throws {
    let test = try await library()
    let songs = test.library.songs
    let status = { try test.sql("SELECT sync_status FROM song") }
    #expect(try status() == ["1"])
    let upload = try await songs.pending()
    try await songs.synced(upload.songs.map(\.id), through: upload.through)
    #expect(try status() == ["0"])
    #expect(try await songs.pending().songs.isEmpty)

    try await test.library.tags.set(["Favorites"], of: Self.apple)
    let slow = try await songs.pending()
    try await test.library.tags.set(["Favorites", "Recent"], of: Self.apple)
    try await songs.synced(slow.songs.map(\.id), through: slow.through)
    #expect(try status() == ["1"], "the second change is not uploaded")
    let rest = try await songs.pending()
    try await songs.synced(rest.songs.map(\.id), through: rest.through)
    #expect(try status() == ["0"])
  }

  /// A song that goes is kept until the server has removed it; its tracks stay.
  @Test func aSongThatGoesWaitsForTheServer() async throws {
    let test = try await library()
    let songs = test.library.songs
    try await test.library.tags.set(["Favorites"], of: Self.apple)
    try await songs.remove(Self.apple)
    #expect(try test.sql("SELECT id, sync_status FROM song") == ["\(Self.apple)|2"])
    #expect(try test.sql("SELECT count(*) FROM song_tag") == ["0"])
    #expect(try await songs.remove(Self.apple).outcome == .unchanged)
    let error = await #expect(throws: TagError.self) {
      try await test.library.tags.set(["Recent"], of: Self.apple)
    }
    #expect(error?.code == .songNotFound)
    let pending = try await songs.pending()
    try await songs.synced(pending.songs.map(\.id), through: pending.through)
    #expect(try test.sql("SELECT count(*) FROM song") == ["0"])
    #expect(try test.sql("SELECT song_id IS NULL FROM track_source") == ["1"])
    #expect(try test.sql("PRAGMA foreign_key_check").isEmpty)
  }
}
