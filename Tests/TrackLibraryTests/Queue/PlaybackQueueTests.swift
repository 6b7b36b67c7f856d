import CatalogTestSupport
import Promises
import Testing
import TrackLibrary

@Suite(
  .promise("The queue plays each track in its order, and loses none", by: "random calls"))
struct PlaybackQueueTests {
  @Test func tracksPlayInTheirOrderAndEnd() {
    var queue = PlaybackQueue(["a", "b", "a"], startingAt: 1)
    #expect(queue.current == "b")
    #expect(queue.upcoming == ["a"])
    #expect(queue.next() == "a")
    #expect(queue.next() == nil)
    #expect(queue.next() == nil)
    #expect(queue.history == ["b", "a"])
    #expect(queue.previous() == "a")
    #expect(PlaybackQueue<String>([]).current == nil)
  }

  @Test func allAreRepeatedFromTheBeginning() {
    var queue = PlaybackQueue([1, 2])
    queue.repeatMode = .all
    #expect((0..<5).map { _ in queue.next() } == [2, 1, 2, 1, 2])
    #expect((0..<3).map { _ in queue.previous() } == [1, 2, 1])
  }

  @Test func oneIsRepeatedUntilAPersonSkipsIt() {
    var queue = PlaybackQueue([1, 2])
    queue.repeatMode = .one
    #expect((0..<3).map { _ in queue.next() } == [1, 1, 1])
    #expect(queue.skip() == 2)
    #expect(queue.next() == 2)
    #expect(queue.skip() == 1)
  }

  @Test func theModesFollowEachOther() {
    let first = PlaybackQueue<Int>.RepeatMode.off
    #expect([first, first.following, first.following.following] == [.off, .all, .one])
    #expect(first.following.following.following == first)
  }

  /// A queue that was at its end plays what is put there.
  @Test func whatIsPutAtTheEndPlays() {
    var queue = PlaybackQueue<Int>([])
    queue.append(1)
    #expect(queue.current == 1)
    #expect(queue.next() == nil)
    queue.append(2)
    queue.append(3)
    #expect(queue.current == 2)
    #expect(queue.next() == 3)
    #expect(queue.play(at: 0) == 1)
    #expect(queue.play(at: 3) == nil)
    #expect(queue.current == 1)
    queue.play(at: 2)
    queue.repeatMode = .all
    #expect(queue.remove(at: 2) == 3)
    #expect(queue.current == 1)
    queue.repeatMode = .off
    queue.play(at: 1)
    #expect(queue.remove(at: 1) == 2)
    #expect(queue.current == nil)
  }

  /// A shuffle plays each track once, begins with what plays now, and is the same for the same random numbers.
  @Test(arguments: UInt64(1)...40)
  func aShuffleIsAPermutation(_ seed: UInt64) {
    var random = SplitMix(seed: seed)
    let tracks = (0..<random.below(30)).map { _ in random.below(10) }
    var queue = PlaybackQueue(tracks, startingAt: random.below(max(1, tracks.count)))
    let current = queue.current
    var (left, right) = (SplitMix(seed: seed), SplitMix(seed: seed))
    var other = queue
    queue.shuffle(using: &left)
    other.shuffle(using: &right)
    #expect(queue == other)
    #expect(queue.current == current)
    #expect(queue.order.sorted() == Array(tracks.indices))
    var played = [queue.current].compactMap { $0 }
    while let track = queue.next() { played.append(track) }
    #expect(played.sorted() == tracks.sorted())
    other.unshuffle()
    #expect(other.order == Array(tracks.indices))
    #expect(other.current == current)
  }

  /// Whatever is called, no track is lost, and the queue plays what it holds.
  @Test(arguments: UInt64(1)...40)
  func noCallLosesATrack(_ seed: UInt64) {
    var random = SplitMix(seed: seed)
    var expected = (0..<random.below(8)).map { _ in random.below(5) }
    var queue = PlaybackQueue(expected)
    for _ in 0..<200 {
      switch random.below(9) {
      case 0: queue.next()
      case 1: queue.skip()
      case 2: queue.previous()
      case 3: queue.shuffle(using: &random)
      case 4: queue.unshuffle()
      case 5: queue.repeatMode = queue.repeatMode.following
      case 6:
        let track = random.below(5)
        let current = queue.current
        queue.playNext(track)
        expected.append(track)
        #expect(current == nil ? queue.current == track : queue.upcoming.first == track)
      case 7:
        let track = random.below(5)
        queue.append(track)
        expected.append(track)
      default:
        let removed = queue.remove(at: random.below(10))
        if let removed, let place = expected.firstIndex(of: removed) { expected.remove(at: place) }
      }
      #expect(queue.tracks.sorted() == expected.sorted())
      #expect(queue.order.sorted() == Array(queue.tracks.indices))
      if let position = queue.position { #expect(queue.order.indices.contains(position)) }
      // What is repeated goes on for as long as there is something.
      if queue.repeatMode != .off, queue.current != nil {
        var copy = queue
        #expect((0..<20).allSatisfy { _ in copy.next() != nil })
      }
    }
    #expect(queue.history.count <= PlaybackQueue<Int>.historyLimit)
  }
}
