/// Hands out a developer token for the Apple Music API.
public protocol DeveloperTokenSource: Sendable {
  /// A token that is good now: asked for again for each attempt of each request.
  ///
  /// - Throws: `AppleMusicError` with code `tokenUnusable` if there is none; whatever else it throws
  ///   reaches who asked the API.
  func token() async throws -> String
}
