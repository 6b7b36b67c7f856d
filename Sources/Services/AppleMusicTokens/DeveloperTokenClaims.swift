/// What a developer token says. Times are whole seconds since 1970.
struct DeveloperTokenClaims: Encodable {
  /// The team's id.
  var iss: String
  var iat: Int
  var exp: Int
}
