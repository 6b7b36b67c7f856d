extension AppleMusicError {
  /// Bytes of the shortest secret that is hidden: no real token is as short, and a word that stands in for
  /// one would take the same word out of every message.
  private static let shortestSecret = 16

  /// The same without a secret: a server may send back what it got.
  func hiding(_ secret: String) -> AppleMusicError {
    guard secret.utf8.count >= Self.shortestSecret else { return self }
    func hide(_ text: String) -> String { text.replacing(secret, with: "(token)") }
    let items = errors.map { item in
      Item(
        status: hide(item.status), code: hide(item.code), title: hide(item.title),
        detail: item.detail.map(hide), source: item.source.map(hide))
    }
    return AppleMusicError(code, hide(message), errors: items)
  }
}
