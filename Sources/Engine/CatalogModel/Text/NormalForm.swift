// The only file of this target that needs Foundation: it has the one public normaliser on every
// platform.
import Foundation

/// Unicode's normalization forms.
public enum NormalForm {
  /// The text in Normalization Form KD: width, ligatures and other forms of compatibility are gone,
  /// marks stand behind their letters.
  static func nfkd(_ text: String) -> String {
    text.decomposedStringWithCompatibilityMapping
  }

  /// The text in NFC (Unicode's UAX #15): texts that look the same have the same bytes then.
  public static func nfc(_ text: String) -> String {
    isInert(text) ? text : composed(text)
  }

  /// Whether the text is in NFC, compared by bytes.
  package static func isNFC(_ text: String) -> Bool {
    isInert(text) || text.utf8.elementsEqual(composed(text).utf8)
  }

  /// Decomposes first. Asked for NFC directly, Swift's library (6.3) takes a composed starter with a
  /// starter that composes with it, such as U+AC00 U+11A8 or U+0CCA U+0CD5, for NFC already. From
  /// NFD it is right on every case of Unicode's own suite whose characters it knows.
  private static func composed(_ text: String) -> String {
    text.decomposedStringWithCanonicalMapping.precomposedStringWithCanonicalMapping
  }

  /// Whether no scalar of the text can take part in any composition, so that the text is its own
  /// NFC: everything below U+0300, and U+2010 to U+203F, the dashes and curly quotes that titles
  /// are full of. Foundation's calls cost a microsecond a string; this one some
  /// nanoseconds.
  private static func isInert(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var index = 0
      while index < bytes.count {
        // 0xCC 0x80 is U+0300.
        if bytes[index] >= 0xCC {
          guard bytes[index] == 0xE2, bytes[index + 1] == 0x80, bytes[index + 2] >= 0x90 else {
            return false
          }
          index += 3
        } else {
          index += 1
        }
      }
      return true
    }
  }
}
