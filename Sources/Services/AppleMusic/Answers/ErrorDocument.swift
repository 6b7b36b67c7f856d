import CatalogModel

/// The API's error document: `{"errors":[{"status":"404","code":"40400","title":…}]}`.
enum ErrorDocument {
  /// Empty where the bytes are no error document.
  static func items(_ bytes: [UInt8]) -> [AppleMusicError.Item] {
    let root = try? JSONValue.parse(bytes)
    guard let errors = root?["errors"]?.elements else { return [] }
    return errors.compactMap(item)
  }

  private static func item(_ value: JSONValue) -> AppleMusicError.Item? {
    guard case .object = value else { return nil }
    func text(_ key: String) -> String? { value[key]?.scalar.map(NormalForm.nfc) }
    return AppleMusicError.Item(
      status: text("status") ?? "", code: text("code") ?? "", title: text("title") ?? "",
      detail: text("detail"), source: value["source"].flatMap(source))
  }

  private static func source(_ value: JSONValue) -> String? {
    for key in ["parameter", "pointer"] {
      if let text = value[key]?.scalar { return "\(key) \(NormalForm.nfc(text))" }
    }
    return nil
  }
}
