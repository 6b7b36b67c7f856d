/// A good seed document as text, with every key that there is, to be broken in one place.
enum GoodSeed {
  static let itemID = "11111111-1111-4111-8111-111111111111"
  static let packID = "22222222-2222-4222-8222-222222222222"
  static let packItemID = "33333333-3333-4333-8333-333333333333"

  static let good = """
    {"format":1,"seedId":"starter","revision":7,\
    "dimensions":{"locations":["Arctic","Forest"],"moods":["Cozy"],"musicThemes":[],\
    "atmosphereThemes":[],"sfxThemes":["Magic"],"creatureTypes":["Undead"]},\
    "music":[{"id":"\(itemID)","title":"Tavern","subtitle":"Evening","duration":61.5,\
    "artworkUrl":"art.png","isVisible":true,"appleMusicPlaylistId":"pl.1","useSnapshot":true,\
    "tags":{"locations":["Forest"],"moods":["Cozy"],"themes":["Epic War"]}}],\
    "packs":[{"id":"\(packID)","kind":"sfx","title":"Pack","description":"All of it",\
    "artworkUrl":"pack.png","version":3,"manifestUrl":"https://example.com/m.json",\
    "items":[{"id":"\(packItemID)","title":"Growl","subtitle":"Low","duration":1.5,\
    "artworkUrl":"growl.png","isVisible":false,\
    "tags":{"locations":["Hell"],"moods":["Ominous"],"themes":["Magic"],\
    "creatureTypes":["Fiend"]}}]}]}
    """

  /// Each the text of one value in `good`, one for every sort of value.
  static let places = [
    #""format":1"#, #""seedId":"starter""#, #""revision":7"#, #""musicThemes":[]"#,
    #"["Cozy"],"musicThemes""#, #""id":"\#(itemID)""#, #""title":"Tavern""#,
    #""subtitle":"Evening""#, #""duration":61.5"#, #""artworkUrl":"art.png""#,
    #""isVisible":false"#, #""appleMusicPlaylistId":"pl.1""#, #""useSnapshot":true"#,
    #""themes":["Epic War"]"#, #""kind":"sfx""#, #""description":"All of it""#, #""version":3"#,
    #""manifestUrl":"https://example.com/m.json""#, #""id":"\#(packItemID)""#,
  ]

  /// The bytes before and behind the value of a place.
  static func split(at place: String) -> (head: [UInt8], tail: [UInt8]) {
    let text = Array(good.utf8)
    let wanted = Array(place.utf8)
    let start = text.indices.first { text[$0...].starts(with: wanted) } ?? 0
    if place.hasPrefix("[") {
      return (Array(text[..<start]), Array(text[(start + 8)...]))
    }
    let colon = wanted.firstIndex(of: UInt8(ascii: ":")) ?? 0
    return (Array(text[...(start + colon)]), Array(text[(start + wanted.count)...]))
  }

  static func replacing(_ old: String, _ new: String) -> String {
    guard let range = good.firstRange(of: old) else { return good }
    return good.replacingCharacters(in: range, with: new)
  }
}

extension String {
  fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
    self[..<range.lowerBound] + text + self[range.upperBound...]
  }
}
