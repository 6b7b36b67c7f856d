import JWTKit

/// What a developer token says. Times are whole seconds since 1970.
struct DeveloperTokenClaims: JWTPayload {
  /// The team's id.
  var iss: String
  var iat: Int
  var exp: Int

  /// Tokens are made here and never taken from anybody: there is nothing to verify.
  func verify(using algorithm: some JWTAlgorithm) async throws {}
}
