import CatalogModel

/// Texts that a person types, as events hold them.
enum NormalizedText {
  static func text(_ text: String) -> String { NormalForm.nfc(text) }
}
