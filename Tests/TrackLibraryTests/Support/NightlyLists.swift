import CatalogTestSupport
import TrackLibrary

/// Thirty nightly lists of products, as the tracks of a library: a genre is a category, seconds are a price, a year is a stock.
///
/// Night 17 sets one category wrong in all its products. Each night stocks and prices of other products change, and products come
/// and go.
struct NightlyLists {
  typealias Product = TrackFacts

  static let wrongNight = 17
  static let (right, wrong) = ("Bath/Taps", "Lighting/Lamps")
  private static let categories = [
    "Garden/Hoses", "Garden/Spades", "Tools/Drills", "Tools/Saws", "Lighting/Bulbs", wrong, right,
    "Bath/Mirrors", "Kitchen/Pans", "Kitchen/Knives",
  ]

  /// The products after each night, by number; none before the first.
  private(set) var states: [[Int: Product]] = [[:]]
  private(set) var events: [[TrackEvent]] = [[]]

  init(products: Int, nights: Int = 30, seed: UInt64 = 42) {
    var random = SplitMix(seed: seed)
    var following = 1
    func product() -> Product {
      defer { following += 1 }
      let file = "file:///sku-\(following).m4a"
      return TrackFacts(
        id: .number(following), title: "Product \(following)", artist: "Vendor \(random.below(7))",
        album: "List", duration: Double(199 + random.below(49_800)) / 100, fileURL: file,
        genre: random.pick(Self.categories), year: Int64(random.below(500)), source: "local",
        uri: file)
    }
    for night in 1...nights {
      var now = states[night - 1]
      if night == 1 {
        for _ in 0..<products { now[following] = product() }
      } else {
        for number in now.keys.sorted().shuffled(using: &random).prefix(products * 12 / 100) {
          let stock = now[number]?.year ?? 0
          now[number]?.year = max(0, stock + Int64(random.below(41)) - 20)
        }
        let priced = max(3, products * 16 / 1_000)
        for number in now.keys.sorted().shuffled(using: &random).prefix(priced) {
          now[number]?.duration *= random.pick([0.9, 0.95, 1.05, 1.1])
        }
        for _ in 0..<3 + random.below(8) { now[following] = product() }
        for number in now.keys.sorted().shuffled(using: &random).prefix(random.below(5)) {
          now[number] = nil
        }
        if night == Self.wrongNight {
          for number in now.keys where now[number]?.genre == Self.right {
            now[number]?.genre = Self.wrong
          }
        }
      }
      let before = states[night - 1]
      events.append(
        before.keys.sorted().filter { now[$0] == nil }.map { .trackRemoved(.number($0)) }
          + now.keys.sorted().filter { now[$0] != before[$0] }.compactMap {
            now[$0].map { .trackUpserted($0) }
          })
      states.append(now)
    }
  }

  /// The products whose category a night changed.
  func recategorised(on night: Int) -> [Int] {
    states[night].keys.filter { number in
      states[night - 1][number].map { $0.genre != states[night][number]?.genre } ?? false
    }
  }
}
