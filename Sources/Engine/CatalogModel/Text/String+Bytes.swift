extension String {
  /// Whether both have the same bytes in UTF-8. `==` also takes canonically equivalent texts for equal: an `é` of one
  /// character and one of two.
  package func hasBytes(of other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }

  /// Hashes the bytes, so that texts with the same bytes have the same hash.
  package func hashBytes(into hasher: inout Hasher) {
    var text = self
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    // No text of UTF-8 has this byte: it ends the text.
    hasher.combine(0xFF as UInt8)
  }

  /// Replaces each occurrence of a Unicode scalar, as quoting needs it. `replacing(_:with:)` compares characters, and does
  /// not find a quote that a combining mark follows.
  public func replacing(scalar: Unicode.Scalar, with replacement: String) -> String {
    var replaced = String.UnicodeScalarView()
    for each in unicodeScalars {
      if each == scalar {
        replaced.append(contentsOf: replacement.unicodeScalars)
      } else {
        replaced.append(each)
      }
    }
    return String(replaced)
  }
}
