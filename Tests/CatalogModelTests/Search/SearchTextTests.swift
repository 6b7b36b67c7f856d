import CatalogTestSupport
import Promises
import Testing

@testable import CatalogModel

@Suite(
  .promise(
    "What a person types finds what they mean; no input is an error",
    by: "words of all scripts, near misses"))
struct SearchTextTests {
  @Test(arguments: [
    ("Hero’s Journey", "heros journey"), ("Überwald", "uberwald"), ("Straße", "strasse"),
    ("STRASSE", "strasse"), ("ẞ", "ss"), ("Ærøskøbing", "aeroskobing"), ("Łódź", "lodz"),
    ("İstanbul ıssız", "istanbul issiz"), ("5-8-77", "5 8 77"), ("Sci-Fi", "sci fi"),
    ("R&B", "r&b"), ("C++", "c++"), ("C#", "c#"), ("#1 Hit", "1 hit"), ("rock & roll", "rock roll"),
    ("AT&T & Co.", "at&t co"), ("rock&", "rock"), ("小林さん", "小 林 さ ん"), ("Ｃ＋＋", "c++"),
    ("ｶﾞｷﾞ", "ガ ギ"), ("한국", "한 국"), ("ﬁ", "fi"), ("Foo™ Bar®", "foo bar"), ("🐉 Dragon", "🐉 dragon"),
    ("ΣΊΣΥΦΟΣ", "σισυφοσ"), ("й Ё", "и е"), ("a\u{AD}b", "ab"), ("x\u{200B}y", "xy"),
    ("Mystery / Investigation", "mystery investigation"), ("\"quoted\"", "quoted"), ("!!!", ""),
    ("  ", ""), ("½", "1 2"), ("No.1", "no 1"), ("ร้าน", "ร ้ า น"),
  ])
  func wordsAreFolded(text: String, words: String) {
    #expect(Array(SearchText(text).words.utf8) == Array(words.utf8), "\(SearchText(text).words)")
  }

  @Test(arguments: [
    ("Hero’s", "hero s"), ("Sci-Fi", "scifi"), ("R&B", "r b"), ("C++", "c"), ("!!! Wow", "!!!"),
    ("plain words", ""), ("L'Aquila-Est", "l aquila laquilaest"), ("小林", ""), ("'", ""),
    ("DOORWood_Creak", "doorwoodcreak door wood"), ("DOORWood Creak", "door wood"),
    ("UIClick_soft", "uiclicksoft ui click"), ("amb_ForestWood", "ambforestwood forest wood"),
    ("ÜBERWald", "uber wald"), ("McRae", ""), ("DMDave!", ""), ("LargeUp", ""), ("NASAs", ""),
    ("STRASSE", ""), ("WOOD2Metal", ""), ("NASA Rockets", ""),
  ])
  func otherFormsAreKept(text: String, variants: String) {
    #expect(SearchText(text).variants == variants)
  }

  /// Whatever reaches the index is parted by single spaces, and has nothing that SQLite's tokenizer
  /// would part or drop.
  @Test(arguments: [71, 72, 73] as [UInt64])
  func onlySpacesPartWords(seed: UInt64) {
    var dice = Dice(seed: seed)
    for _ in 0..<3_000 {
      let raw = dice.text()
      let text = SearchText(raw).all
      for scalar in text.unicodeScalars {
        #expect(
          scalar == " "
            || scalar.value > 0x20 && scalar.value != 0x7F && scalar != "\""
              && scalar != "'",
          "\(raw.debugDescription)")
      }
      #expect(!text.hasPrefix(" ") && !text.hasSuffix(" ") && !text.contains("  "))
      // Folding what is folded changes nothing, or a title would not be found by its own words.
      #expect(SearchText(SearchText(raw).words).words == SearchText(raw).words, "\(raw)")
    }
  }

  @Test func aQueryHasOneTermAWordAndTheLastMayBeBegun() {
    let query = SearchQuery("  Sci-Fi   Hero’s jour")
    #expect(query.terms.map(\.phrases) == [[["sci", "fi"], ["scifi"]], [["heros"]], [["jour"]]])
    #expect(query.terms.map(\.isPrefix) == [false, false, true])
    #expect(SearchQuery("R&B").terms.map(\.phrases) == [[["r&b"], ["r", "b"]]])
    #expect(SearchQuery("C++").terms.map(\.phrases) == [[["c++"]]])
  }

  @Test func punctuationAloneCountsOnlyWhereThereIsNothingElse() {
    #expect(SearchQuery("rock - live").terms.map(\.phrases) == [[["rock"]], [["live"]]])
    #expect(SearchQuery("!!!").terms.map(\.phrases) == [[["!!!"]]])
    #expect(SearchQuery("\"'").terms.isEmpty)
    #expect(!SearchQuery("\"").isBlank)
    #expect(SearchQuery(" \u{3000}").isBlank)
  }

  /// Unknown words are those that are nearest; the last may be the beginning of a word.
  @Test(arguments: [
    ("lanturn", "lantern"), ("lanturn waltz", "lantern waltz"), ("waltz lant", nil), ("waltz", nil),
    ("waltz xyzzy", nil), ("wa", nil), ("zz", nil), ("", nil), ("salt ropr", "salt rope"),
    ("LANTURN Walz", "lantern waltz"), ("灯", nil),
  ])
  func aNearMissHasKnownWords(_ query: String, _ near: String?) {
    let texts = ["lantern waltz ida marlo", "salt rope | sea"]
    #expect(SearchQuery(query).nearMiss(in: texts) == near)
  }

  @Test func aQueryOfAMillionWordsIsCut() {
    let query = SearchQuery(String(repeating: "word ", count: 200_000))
    #expect(query.terms.count == SearchQuery.termLimit)
    let phrase = SearchQuery(String(repeating: "林", count: 100_000)).terms[0].phrases[0]
    #expect(phrase.count == SearchQuery.phraseLimit)
  }

  /// Plain ASCII titles take a shorter way to the same words.
  @Test(arguments: [81, 82, 83] as [UInt64])
  func theFastPathFindsWhatThePlainOneFinds(seed: UInt64) {
    var dice = Dice(seed: seed)
    let pieces = [
      "a", "Z", "9", "word", "Forest", " ", "  ", "-", ":", "(", ")", ".", "!", "\"", "'", "`", "&",
      "+", "#", "\t", "\u{7F}", "é", "’", "林", "_", "/", "aB", "DOORWood", "ABCDef", "ABCDe",
    ]
    for _ in 0..<5_000 {
      let text = (0..<Int(dice.next() % 8)).map { _ in
        pieces[Int(dice.next() % UInt64(pieces.count))]
      }.joined()
      #expect(SearchText(text) == SearchText(chunksOf: text), "\(text.debugDescription)")
    }
  }
}
