public import AppleMusic

/// Finds the developer token that the environment names.
public enum DeveloperTokens {
  private static let token = "APPLE_MUSIC_TOKEN"
  private static let keyFile = "APPLE_MUSIC_KEY_FILE"
  private static let keyID = "APPLE_MUSIC_KEY_ID"
  private static let teamID = "APPLE_MUSIC_TEAM_ID"

  /// A ready token from `APPLE_MUSIC_TOKEN`, or else tokens that are signed with the key that
  /// `APPLE_MUSIC_KEY_FILE`, `APPLE_MUSIC_KEY_ID` and `APPLE_MUSIC_TEAM_ID` describe.
  ///
  /// A variable that is empty counts as not set. A ready token comes first, whatever else is set.
  ///
  /// - Returns: nil if none of them is set.
  /// - Throws: `AppleMusicError` with code `tokenUnusable` where some are missing, or of no use.
  public static func fromEnvironment(
    _ environment: [String: String]
  ) throws -> (any DeveloperTokenSource)? {
    let set = environment.filter { !$0.value.isEmpty }
    if let ready = set[token] { return try FixedDeveloperToken(ready) }
    let names = [keyFile, keyID, teamID]
    let missing = names.filter { set[$0] == nil }
    if missing.count == names.count { return nil }
    guard let file = set[keyFile], let key = set[keyID], let team = set[teamID] else {
      throw AppleMusicError(
        .tokenUnusable,
        "\(missing.joined(separator: " and ")) \(missing.count == 1 ? "is" : "are") not set; set all "
          + "of \(names.joined(separator: ", ")), or \(token)")
    }
    return try SignedDeveloperTokens(keyFile: file, keyID: key, teamID: team)
  }
}
