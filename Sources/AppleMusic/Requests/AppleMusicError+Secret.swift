extension AppleMusicError {
  /// The same without a secret: a server may send back what it got.
  func hiding(_ secret: String) -> AppleMusicError {
    func hide(_ text: String) -> String { text.replacing(secret, with: "(token)") }
    let items = errors.map { item in
      Item(
        status: hide(item.status), code: hide(item.code), title: hide(item.title),
        detail: item.detail.map(hide), source: item.source.map(hide))
    }
    return AppleMusicError(code, hide(message), errors: items)
  }
}
