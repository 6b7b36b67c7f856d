import CatalogModel

/// The JSON that columns hold: the brief's section 1.3. What nobody knows is left out.
enum ContractJSON {
  static func setlist(_ sets: [ConcertSet]) -> String {
    array(sets) { set in
      .object {
        $0.add("set", set.name)
        $0.add("songs", set.songs) { song in
          .object {
            $0.add("name", song.name)
            $0.add("segue", song.segue)
          }
        }
      }
    }
  }

  static func lineup(_ musicians: [Musician]) -> String {
    array(musicians) { musician in
      .object {
        $0.add("name", musician.name)
        $0.add("instruments", musician.instruments)
      }
    }
  }

  static func texts(_ texts: [String]) -> String { array(texts) { .string($0) } }

  /// Reads what `setlist` wrote; nil if the text is another one.
  static func setlist(_ text: String) -> [ConcertSet]? {
    elements(of: text) { set in
      guard
        let songs = elements(
          of: set["songs"],
          { song in
            string(song["name"]).map { Song(name: $0, segue: flag(song["segue"])) }
          })
      else { return nil }
      return ConcertSet(name: string(set["set"]), songs: songs)
    }
  }

  /// Reads what `lineup` wrote; nil if the text is another one.
  static func lineup(_ text: String) -> [Musician]? {
    elements(of: text) { musician in
      string(musician["name"]).map {
        Musician(name: $0, instruments: string(musician["instruments"]))
      }
    }
  }

  private static func elements<Element>(
    of text: String, _ element: (JSONValue) -> Element?
  ) -> [Element]? { elements(of: JSONValue(text: text), element) }

  /// - Returns: nil if there is no array, or if one of its elements is of another form.
  private static func elements<Element>(
    of array: JSONValue?, _ element: (JSONValue) -> Element?
  ) -> [Element]? {
    guard case .array(let values)? = array else { return nil }
    let elements = values.compactMap(element)
    return elements.count == values.count ? elements : nil
  }

  private static func string(_ value: JSONValue?) -> String? {
    if case .string(let text)? = value { text } else { nil }
  }

  private static func flag(_ value: JSONValue?) -> Bool? {
    if case .bool(let flag)? = value { flag } else { nil }
  }

  /// The texts of an array; nil if the text is no array of texts.
  static func texts(in text: String) -> [String]? {
    elements(of: text) { string($0) }
  }

  private static func array<Element>(
    _ elements: [Element], _ value: (Element) -> JSONValue
  ) -> String {
    JSONValue.array(elements.map(value)).description
  }
}
