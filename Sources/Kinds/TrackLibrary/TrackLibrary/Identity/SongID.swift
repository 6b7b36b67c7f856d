import CatalogEngine

/// What a song is known by: its ISRC, else its Apple Music id.
public enum SongID {
  /// An ISRC as it is kept: 12 letters and digits, upper-case, of which the first two are letters. Dashes of any kind
  /// and white space around it are taken out.
  ///
  /// - Returns: nil for what is not an ISRC.
  public static func isrc(_ text: String) -> String? {
    var isrc = ""
    for scalar in text.unicodeScalars where !isDash(scalar) && !scalar.properties.isWhitespace {
      switch scalar {
      case "A"..."Z", "0"..."9": isrc.unicodeScalars.append(scalar)
      case "a"..."z":
        isrc.unicodeScalars.append(Unicode.Scalar(UInt8(ascii: scalar) - 0x20))
      default: return nil
      }
      if isrc.utf8.count > 12 { return nil }
    }
    let country = isrc.utf8.prefix(2)
    guard isrc.utf8.count == 12, country.allSatisfy({ $0 >= UInt8(ascii: "A") }) else { return nil }
    return isrc
  }

  /// An id of Apple Music's catalog: 1 to 19 digits, the first of which is not 0.
  ///
  /// - Returns: nil for anything else: ids of a personal library, `i.…`, are not the same for two persons.
  public static func appleMusic(_ text: String) -> String? {
    let digits = text.utf8
    guard 1...19 ~= digits.count, digits.first != UInt8(ascii: "0"),
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return text
  }

  /// An id as a person or an event writes it, in the form in which it is kept.
  ///
  /// - Returns: nil for what is neither.
  public static func normalized(_ text: String) -> String? { isrc(text) ?? appleMusic(text) }

  private static func isDash(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "-", "\u{AD}", "\u{2010}"..."\u{2015}", "\u{2212}", "\u{FE58}", "\u{FE63}", "\u{FF0D}":
      true
    default: false
    }
  }
}
