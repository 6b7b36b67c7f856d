import CatalogModel

// Most lines of a log are items and their tags. These two events are written, read and checked here by hand, faster than by
// their descriptions (`ItemUpserted.payload`, `ItemTagsSet.payload`); `CanonicalType` reads the lines of these types by hand, and
// `FrequentEventTests` compares both.

extension SoundEvent {
  /// Whether this is a frequent event within its limits: the description is not needed then.
  var isFrequentWithinLimits: Bool {
    switch self {
    case .itemUpserted(let item):
      item.title.utf8.count <= TextRules.textLimit
        && item.subtitle?.utf8.count ?? 0 <= TextRules.textLimit
        && item.artworkURL?.utf8.count ?? 0 <= TextRules.textLimit
        && 0..<Double.infinity ~= item.duration ?? 0
    case .itemTagsSet(let data):
      data.source.utf8.count <= TextRules.nameLimit
        && !data.tags.holdsNames(beyond: TextRules.nameLimit)
    default: false
    }
  }
}

extension CanonicalWriter {
  /// Writes the line of a frequent event. Nothing is allocated but the room that the bytes need.
  ///
  /// - Returns: false, and writes nothing, for another event.
  mutating func frequentLine(_ record: SoundEventRecord) -> Bool {
    switch record.event {
    case .itemUpserted(let item):
      envelope(record, #"","type":"item.upserted","v":1,"op":""#)
      raw("{\"id\":")
      id(item.id)
      raw(",\"kind\":")
      string(item.kind.rawValue)
      raw(",\"title\":")
      string(item.title)
      raw(",\"subtitle\":")
      string(item.subtitle)
      raw(",\"duration\":")
      double(item.duration)
      raw(",\"artworkUrl\":")
      string(item.artworkURL)
    case .itemTagsSet(let data):
      envelope(record, #"","type":"item.tags.set","v":1,"op":""#)
      raw("{\"item\":")
      id(data.item)
      raw(",\"source\":")
      string(data.source)
      raw(",\"tags\":")
      tags(data.tags)
    default: return false
    }
    raw("}}")
    return true
  }

  /// Writes dimensions in their order, names in theirs, no empty list.
  mutating func tags(_ set: TagSet) {
    raw("{")
    var open: TagDimension?
    set.forEachValue { dimension, name in
      if dimension == open {
        raw(",")
      } else {
        raw(open == nil ? "\"" : "],\"")
        bytes.append(contentsOf: dimension.keyBytes)
        raw("\":[")
        open = dimension
      }
      string(name)
    }
    raw(open == nil ? "}" : "]}")
  }

  /// Writes the members before the payload.
  private mutating func envelope(_ record: SoundEventRecord, _ type: StaticString) {
    raw("{\"seq\":")
    integer(record.sequence)
    raw(",\"at\":\"")
    var at = record.at.description
    at.withUTF8 { bytes.append(contentsOf: $0) }
    raw(type)
    idCharacters(record.operation)
    raw("\",\"by\":")
    string(record.by)
    raw(",\"data\":")
  }
}

extension CanonicalLineReader {
  mutating func itemUpserted() -> SoundEvent? {
    guard skip("\"id\":"), let id = id(), skip(",\"kind\":"), let kind = itemKind(),
      skip(",\"title\":"), let title = string(), skip(",\"subtitle\":"),
      let subtitle = nullable({ $0.string() }), skip(",\"duration\":"),
      let duration = nullable({ $0.double() }), skip(",\"artworkUrl\":"),
      let artworkURL = nullable({ $0.string() })
    else { return nil }
    return .itemUpserted(
      ItemUpserted(
        id: id, kind: kind, title: title, subtitle: subtitle, duration: duration,
        artworkURL: artworkURL))
  }

  mutating func itemTagsSet(_ shared: inout Shared) -> SoundEvent? {
    guard skip("\"item\":"), let item = id(), skip(",\"source\":"),
      let source = string(cachedIn: &shared.source), skip(",\"tags\":{"), let tags = tags(&shared)
    else { return nil }
    return .itemTagsSet(ItemTagsSet(item: item, source: source, tags: tags))
  }

  /// Reads a value or `null`, which is `.some(nil)`; nil if neither is here.
  @inline(__always)
  private mutating func nullable<Value>(
    _ read: (inout CanonicalLineReader) -> Value?
  ) -> Value?? {
    if skip("null") { return .some(nil) }
    return read(&self).map { .some($0) }
  }

  private mutating func itemKind() -> Kind? {
    if skip("\"music\"") { return .music }
    if skip("\"atmosphere\"") { return .atmosphere }
    return skip("\"sfx\"") ? .sfx : nil
  }

  /// Reads from after `{` to after `}`: dimensions in their order, names in theirs, no empty list.
  private mutating func tags(_ shared: inout Shared) -> TagSet? {
    var tags = TagSet()
    let keys = TagDimension.keyBytes
    if skip("}") { return tags }
    var ordinal = 0
    repeat {
      guard skip("\""), let found = dimensionKey(keys, from: ordinal), skip("\":[") else {
        return nil
      }
      ordinal = found
      repeat {
        guard let name = name(&shared.names),
          tags.appendInOrder(name, of: TagDimension.all[ordinal])
        else {
          return nil
        }
      } while skip(",")
      guard skip("]") else { return nil }
      ordinal += 1
    } while skip(",")
    return skip("}") ? tags : nil
  }

  /// The first dimension from `ordinal` on whose key, up to its quote, is here.
  @inline(__always)
  private mutating func dimensionKey(_ keys: [[UInt8]], from ordinal: Int) -> Int? {
    var ordinal = ordinal
    while ordinal < keys.count {
      let isHere = keys[ordinal].withUnsafeBufferPointer { skip($0) }
      if isHere { return ordinal }
      ordinal += 1
    }
    return nil
  }
}
