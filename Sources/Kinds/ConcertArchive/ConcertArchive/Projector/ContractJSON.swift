import CatalogModel

/// The JSON that columns hold: the brief's section 1.3. What nobody knows is left out.
enum ContractJSON {
  static func setlist(_ sets: [ConcertSet]) -> String {
    array(sets) { set in
      var members: [JSONValue.Member] = []
      if let name = set.name { members.append(member("set", .string(name))) }
      let songs = set.songs.map { song in
        JSONValue.object(
          [member("name", .string(song.name))]
            + (song.segue.map { [member("segue", .bool($0))] } ?? []))
      }
      return .object(members + [member("songs", .array(songs))])
    }
  }

  static func lineup(_ musicians: [Musician]) -> String {
    array(musicians) { musician in
      .object(
        [member("name", .string(musician.name))]
          + (musician.instruments.map { [member("instruments", .string($0))] } ?? []))
    }
  }

  static func texts(_ texts: [String]) -> String { array(texts) { .string($0) } }

  /// The texts of an array; nil if the text is no array of texts.
  static func texts(in text: String) -> [String]? {
    guard case .array(let values)? = JSONValue(text: text) else { return nil }
    var texts: [String] = []
    for value in values {
      guard case .string(let text) = value else { return nil }
      texts.append(text)
    }
    return texts
  }

  private static func array<Element>(
    _ elements: [Element], _ value: (Element) -> JSONValue
  ) -> String {
    JSONValue.array(elements.map(value)).description
  }

  private static func member(_ key: String, _ value: JSONValue) -> JSONValue.Member {
    JSONValue.Member(key: key, value: value)
  }
}
