/// What plays now, what comes next, and what was played: a value, which no event changes.
///
/// A host app plays what `current` says, and calls `next()` when it ended. Random numbers are the caller's, so that a
/// shuffle can be repeated.
///
/// ```swift
/// var queue = PlaybackQueue(playlist.tracks.map(\.id), startingAt: 2)
/// queue.shuffle(using: &random)
/// queue.repeatMode = .all
/// let id = queue.next()
/// ```
public struct PlaybackQueue<Element: Hashable & Sendable>: Hashable, Sendable {
  /// What plays after the current track, and after the last one of the order.
  public enum RepeatMode: String, CaseIterable, Sendable {
    /// After the last track nothing plays: `current` is nil.
    case off
    /// After the last track the first one of the order plays.
    case all
    /// `next()` plays the current track again. `skip()` goes to the next one, as with `all`.
    case one

    /// The mode after this one, as a button steps through them.
    public var following: RepeatMode {
      switch self {
      case .off: .all
      case .all: .one
      case .one: .off
      }
    }
  }

  /// In the order in which they were given. The same may stand here twice.
  public private(set) var tracks: [Element]
  /// The order in which they play: places of `tracks`, each once.
  public private(set) var order: [Int]
  /// Where playing is in `order`; nil if it ended, or there is nothing to play.
  public private(set) var position: Int?
  /// What was left for something else, the oldest first.
  public private(set) var history: [Element] = []
  /// May be set at any time: `current` stays, and the next move obeys it.
  public var repeatMode: RepeatMode = .off
  /// True from `shuffle(using:)` until `unshuffle()`.
  public private(set) var isShuffled = false

  /// The most tracks that `history` keeps.
  public static var historyLimit: Int { 1_000 }

  /// - Parameter index: what plays first; the beginning if there is no such place.
  public init(_ tracks: [Element], startingAt index: Int = 0) {
    self.tracks = tracks
    order = Array(tracks.indices)
    position = tracks.isEmpty ? nil : tracks.indices.contains(index) ? index : 0
  }

  /// What plays now.
  public var current: Element? { position.map { tracks[order[$0]] } }

  /// What comes after `current`, until the end of the order.
  public var upcoming: [Element] {
    order.dropFirst((position ?? order.count - 1) + 1).map { tracks[$0] }
  }

  // MARK: Moving

  /// Goes on after a track has ended: with the same one where that is repeated.
  ///
  /// - Returns: what plays now; nil at the end.
  @discardableResult
  public mutating func next() -> Element? {
    if repeatMode == .one, let current {
      remember(current)
      return current
    }
    return skip()
  }

  /// Goes to the next track as a person asks for it: also where one is repeated.
  @discardableResult
  public mutating func skip() -> Element? {
    guard let position else { return nil }
    if let current { remember(current) }
    if position + 1 < order.count {
      self.position = position + 1
    } else {
      self.position = repeatMode == .off ? nil : 0
    }
    return current
  }

  /// Goes back by one; from the first track to the last where all are repeated, else it stays. After the end, it is
  /// the last one again.
  @discardableResult
  public mutating func previous() -> Element? {
    guard !order.isEmpty else { return nil }
    guard let position else {
      self.position = order.count - 1
      return current
    }
    if let current, position > 0 || repeatMode == .all { remember(current) }
    self.position = position > 0 ? position - 1 : repeatMode == .all ? order.count - 1 : 0
    return current
  }

  // MARK: Order

  /// Plays what is left in a new order: what plays now stays, and all others come after it.
  public mutating func shuffle(using random: inout some RandomNumberGenerator) {
    let first = position.map { order[$0] }
    var others = tracks.indices.filter { $0 != first }
    others.shuffle(using: &random)
    order = (first.map { [$0] } ?? []) + others
    if first != nil { position = 0 }
    isShuffled = true
  }

  /// Goes back to the order in which the tracks were given; what plays now goes on.
  public mutating func unshuffle() {
    let first = position.map { order[$0] }
    order = Array(tracks.indices)
    position = first
    isShuffled = false
  }

  // MARK: Changing

  /// Puts a track after the one that plays now.
  public mutating func playNext(_ track: Element) {
    tracks.append(track)
    order.insert(tracks.count - 1, at: (position ?? order.count - 1) + 1)
    if position == nil { position = order.firstIndex(of: tracks.count - 1) }
  }

  /// Puts a track at the end. It plays where nothing does.
  public mutating func append(_ track: Element) {
    tracks.append(track)
    order.append(tracks.count - 1)
    // A queue that was at its end goes on.
    if position == nil { position = order.count - 1 }
  }

  /// Plays the track at a place of the order now.
  ///
  /// - Returns: the track; nil if the order has no such place, and then nothing changes.
  @discardableResult
  public mutating func play(at place: Int) -> Element? {
    guard order.indices.contains(place) else { return nil }
    if let current { remember(current) }
    position = place
    return current
  }

  /// Takes the track at a place of the order out. Where it plays now, the next one does.
  ///
  /// - Returns: it; nil if there is no such place.
  @discardableResult
  public mutating func remove(at place: Int) -> Element? {
    guard order.indices.contains(place) else { return nil }
    let index = order.remove(at: place)
    order = order.map { $0 > index ? $0 - 1 : $0 }
    let track = tracks.remove(at: index)
    if let position {
      if place < position { self.position = position - 1 }
      if place == position, place == order.count {
        self.position = repeatMode == .off || order.isEmpty ? nil : 0
      }
    }
    return track
  }

  private mutating func remember(_ track: Element) {
    history.append(track)
    if history.count > Self.historyLimit { history.removeFirst() }
  }
}
