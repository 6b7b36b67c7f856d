/// A small seed with every kind of item and every dimension, in two revisions.
enum SampleSeed {
  static func id(_ number: Int) -> String {
    let digits = String(number)
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  static let music = 1...4
  static let atmosphere = 101...108
  static let sfx = 201...208
  static let atmospherePack = id(900)
  static let sfxPack = id(901)
  static let itemCount = 20

  /// Revision 2 renames items, sets other tags, hides an item, adds a value and an item.
  ///
  /// - Parameter sounds: how many more items it has, numbered from 1,000 on; two events each.
  static func text(revision: Int = 1, seedID: String = "sample", sounds: Int = 0) -> String {
    let extra = (revision > 1 ? [210] : []) + (1_000..<1_000 + sounds)
    return """
      {"format":1,"seedId":"\(seedID)","revision":\(revision),
       "dimensions":{"locations":["Arctic","Forest"],"moods":["Cozy","Ominous"],
        "musicThemes":["Epic War"],"atmosphereThemes":["Hero’s Journey"],
        "sfxThemes":["Footsteps"],"creatureTypes":["Undead"\(revision > 1 ? ",\"Ooze\"" : "")]},
       "music":[\(music.map { song($0, revision) }.joined(separator: ",\n"))],
       "packs":[
        {"id":"\(atmospherePack)","kind":"atmosphere","title":"Places","version":\(revision),
         "manifestUrl":"https://packs.example.com/places.json","items":[
        \(atmosphere.map { place($0, revision) }.joined(separator: ",\n"))]},
        {"id":"\(sfxPack)","kind":"sfx","title":"Creatures","version":1,
         "manifestUrl":"https://packs.example.com/creatures.json","items":[
        \((sfx + extra).map { sound($0, revision) }.joined(separator: ",\n"))]}]}

      """
  }

  private static func song(_ number: Int, _ revision: Int) -> String {
    """
    {"id":"\(id(number))","title":"Song \(number)","subtitle":"Café, part \(number)",
     "duration":null,"appleMusicPlaylistId":"pl.sample-\(number)","useSnapshot":\(number == 1),
     "tags":{"locations":["Forest"],"moods":["Cozy"],"themes":["Epic War"]}}
    """
  }

  private static func place(_ number: Int, _ revision: Int) -> String {
    """
    {"id":"\(id(number))","title":"Place \(number)\(revision > 1 && number == 101 ? " again" : "")",
     "duration":61.5,"isVisible":\(revision < 2 || number != 102),
     "tags":{"locations":["\(number % 2 == 0 ? "Arctic" : "Forest")"],"moods":["Ominous"],
      "themes":["Hero’s Journey"]}}
    """
  }

  private static func sound(_ number: Int, _ revision: Int) -> String {
    """
    {"id":"\(id(number))","title":"Sound \(number)","duration":1.5,
     "tags":{"locations":[],"moods":["\(revision > 1 ? "Cozy" : "Ominous")"],
      "themes":["Footsteps"],"creatureTypes":["Undead"]}}
    """
  }

  /// The sample with one text replaced, which must be there.
  static func replacing(_ old: String, _ new: String) -> String {
    let text = text()
    guard let range = text.firstRange(of: old) else { preconditionFailure("no \(old) in the seed") }
    return text[..<range.lowerBound] + new + text[range.upperBound...]
  }
}
