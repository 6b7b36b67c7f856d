extension AppleMusicError {
  /// The same without a secret: a server may send back what it got.
  func hiding(_ secret: SecretRedactor) -> AppleMusicError {
    AppleMusicError(code, secret.hidden(in: message), errors: errors.map { $0.hiding(secret) })
  }
}

extension AppleMusicError.Item {
  func hiding(_ secret: SecretRedactor) -> AppleMusicError.Item {
    AppleMusicError.Item(
      status: secret.hidden(in: status), code: secret.hidden(in: code),
      title: secret.hidden(in: title), detail: detail.map(secret.hidden),
      source: source.map(secret.hidden))
  }
}
