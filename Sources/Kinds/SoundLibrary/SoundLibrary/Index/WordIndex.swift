import CatalogStore
import GRDB

/// Which items have which words in their texts: what answers a search without FTS5, whose rows cost more
/// each than all the rest where a prefix is short.
///
/// The words are those that `projection_item_text` holds, parted by single spaces. They lie in the order
/// of their bytes, so that the items of all words with a prefix are one stretch of memory. Immutable.
final class WordIndex: Sendable {
  /// Items by word, in the order of words. A word that a text has twice is there twice.
  private struct Postings: Sendable {
    /// Where the items of each word begin; one more than there are words.
    var starts: [UInt32]
    var items: [UInt32]
  }

  /// FTS5 cuts words here, and so does this.
  static let longestWord = 32_768

  let limit: Int
  /// All words, one behind the other, and where each begins; one more than there are words.
  private let bytes: [UInt8]
  private let starts: [UInt32]
  /// Words of titles and of their variants.
  private let titles: Postings
  private let subtitles: Postings

  init(count: Int, _ database: Database) throws {
    limit = count
    var gathered = GatheredWords()
    let statement = try PreparedStatement(
      database, "SELECT number, title, title_variants, subtitle FROM projection_item_text")
    while try statement.step() {
      guard case .integer(let number) = statement.cell(0), number > 0, number < count else {
        throw StoreError.changedByHand("projection_item_text")
      }
      func add(_ column: Int, isTitle: Bool) throws {
        gathered.add(
          try statement.text(column, of: ItemWords.origin), of: UInt32(number), isTitle: isTitle)
      }
      try add(1, isTitle: true)
      try add(2, isTitle: true)
      try add(3, isTitle: false)
    }
    let words = gathered.sorted()
    bytes = words.bytes
    starts = words.starts
    func postings(_ pairs: [(word: UInt32, number: UInt32)]) -> Postings {
      var starts = Array(repeating: UInt32(0), count: words.starts.count)
      for pair in pairs { starts[Int(words.ranks[Int(pair.word)]) + 1] += 1 }
      for word in 1..<starts.count { starts[word] += starts[word - 1] }
      var ends = starts
      let items = [UInt32](unsafeUninitializedCapacity: pairs.count) { items, count in
        for pair in pairs {
          let rank = Int(words.ranks[Int(pair.word)])
          items[Int(ends[rank])] = pair.number
          ends[rank] += 1
        }
        count = pairs.count
      }
      return Postings(starts: starts, items: items)
    }
    titles = postings(gathered.titles)
    subtitles = postings(gathered.subtitles)
  }

  /// Adds the items that have a word.
  ///
  /// - Parameter isPrefix: whether longer words that begin like it will do.
  func add(
    itemsWith word: String, isPrefix: Bool, titles inTitles: inout NumberSet,
    all: inout NumberSet
  ) {
    let words = words(word, isPrefix: isPrefix)
    guard !words.isEmpty else { return }
    let inTitle =
      titles.items[Int(titles.starts[words.lowerBound])..<Int(titles.starts[words.upperBound])]
    inTitles.insert(inTitle)
    all.insert(inTitle)
    all.insert(
      subtitles.items[
        Int(subtitles.starts[words.lowerBound])..<Int(subtitles.starts[words.upperBound])])
  }

  private func words(_ word: String, isPrefix: Bool) -> Range<Int> {
    var word = word
    return word.withUTF8 { wanted in
      let wanted = wanted.prefix(Self.longestWord)
      let first = firstWord { word in
        !word.lexicographicallyPrecedes(wanted)
      }
      let end = firstWord { word in
        if isPrefix, word.starts(with: wanted) { return false }
        return wanted.lexicographicallyPrecedes(word)
      }
      return first..<max(first, end)
    }
  }

  /// The first word that a condition holds for, which holds for all behind it.
  private func firstWord(_ condition: (ArraySlice<UInt8>) -> Bool) -> Int {
    var low = 0
    var high = starts.count - 1
    while low < high {
      let middle = (low + high) / 2
      if condition(bytes[Int(starts[middle])..<Int(starts[middle + 1])]) {
        high = middle
      } else {
        low = middle + 1
      }
    }
    return low
  }
}

/// Words as they come, each with a number in the order of arrival.
private struct GatheredWords {
  /// The bytes of a word: the first sixteen as they are, the rest in an array that most words leave empty.
  private struct Key: Hashable {
    var head: UInt64 = 0
    var middle: UInt64 = 0
    var rest: [UInt8] = []
    var count: Int

    init(_ word: UnsafeRawBufferPointer) {
      count = word.count
      withUnsafeMutableBytes(of: &head) { $0.copyBytes(from: word.prefix(8)) }
      if count > 8 {
        withUnsafeMutableBytes(of: &middle) { $0.copyBytes(from: word[8..<min(16, count)]) }
      }
      if count > 16 { rest = Array(word[16...]) }
    }

    var bytes: [UInt8] {
      var bytes = withUnsafeBytes(of: head) { Array($0) }
      withUnsafeBytes(of: middle) { bytes += $0 }
      return (bytes + rest).prefix(count).map { $0 }
    }
  }

  private var numbers: [Key: UInt32] = [:]
  private(set) var titles: [(word: UInt32, number: UInt32)] = []
  private(set) var subtitles: [(word: UInt32, number: UInt32)] = []

  mutating func add(_ text: UnsafeRawBufferPointer, of number: UInt32, isTitle: Bool) {
    var start = 0
    while start < text.count {
      var end = start
      while end < text.count, text[end] != UInt8(ascii: " ") { end += 1 }
      if end > start {
        let word = text[start..<min(end, start + WordIndex.longestWord)]
        let key = Key(UnsafeRawBufferPointer(rebasing: word))
        let next = UInt32(numbers.count)
        let place = numbers[key] ?? next
        if place == next { numbers[key] = next }
        if isTitle { titles.append((place, number)) } else { subtitles.append((place, number)) }
      }
      start = end + 1
    }
  }

  /// The words in the order of their bytes, and the place there of each that was gathered.
  func sorted() -> (bytes: [UInt8], starts: [UInt32], ranks: [UInt32]) {
    let words = numbers.map { (bytes: $0.key.bytes, number: $0.value) }
      .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    var bytes: [UInt8] = []
    var starts: [UInt32] = [0]
    var ranks = Array(repeating: UInt32(0), count: words.count)
    for (rank, word) in words.enumerated() {
      bytes += word.bytes
      starts.append(UInt32(bytes.count))
      ranks[Int(word.number)] = UInt32(rank)
    }
    return (bytes, starts, ranks)
  }
}

/// The words of one item's texts, for items that have changed since a `WordIndex` was made.
struct ItemWords: Sendable {
  /// Of the title and its variants.
  private let titles: [ArraySlice<UInt8>]
  private let subtitles: [ArraySlice<UInt8>]

  static let origin = StoredRow.Origin("projection_item_text", ("number", 0))

  /// Nil if there is no such item.
  static func read(_ number: UInt32, _ database: Database) throws -> ItemWords? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT number, title, title_variants, subtitle FROM projection_item_text WHERE number = ?
        """)
    return try statement.firstRow(of: origin, [Int64(number)]) { row in
      // By bytes, as the index parts them: a space and a mark behind it are one character.
      func words(_ column: Int) throws -> [ArraySlice<UInt8>] {
        Array(try row.text(column).utf8).split(separator: UInt8(ascii: " "))
          .map { $0.prefix(WordIndex.longestWord) }
      }
      return ItemWords(titles: try words(1) + words(2), subtitles: try words(3))
    }
  }

  /// Whether the title, or one of the texts, has a word.
  func has(_ wanted: String, isPrefix: Bool, inTitle: Bool) -> Bool {
    let wanted = wanted.utf8.prefix(WordIndex.longestWord)
    return (inTitle ? titles : titles + subtitles).contains { word in
      isPrefix ? word.starts(with: wanted) : word.elementsEqual(wanted)
    }
  }
}
