/// Combines a field of a document with the known value: a document that does not have the field leaves the value, and one
/// whose field is empty removes it.
enum Said {
  /// - Parameter text: nil if the document does not say it; empty if it says that there is none.
  static func text(_ text: String?, known: String?) -> String? {
    guard let text else { return known }
    return text.isEmpty ? nil : text
  }

  /// - Parameter number: nil if the document does not say it; 0 if it says that there is none.
  static func number(_ number: Int64?, known: Int64?) -> Int64? {
    guard let number else { return known }
    return number == 0 ? nil : number
  }
}
