import CatalogModel

/// A number of a `DownloadPolicy` with which no download can go on or end.
public struct DownloadPolicyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The property: `parallelAssets`, `pauses.first`.
  public let property: String
  /// As it was given.
  public let value: String
  /// What it may be: `1 to 1000`.
  public let allowed: String

  public var description: String {
    "DownloadPolicy.\(property) is \(value); \(allowed) is allowed"
  }
}

extension DownloadPolicy {
  private static let longestTime = Duration.seconds(365 * 86_400)

  /// Refuses what would make a download wait for ever, try for ever or overflow.
  ///
  /// Whoever takes a policy asks this before anything is sent.
  ///
  /// - Throws: `DownloadPolicyError` for the first number that is not allowed.
  public func check() throws(DownloadPolicyError) {
    let greatest = NumberRules.greatest
    try require(Int64(parallelPacks), "parallelPacks", 1...1_000)
    try require(Int64(parallelAssets), "parallelAssets", 1...1_000)
    try require(headTimeout, "headTimeout", atLeast: .milliseconds(1))
    try require(stallWindow, "stallWindow", atLeast: .milliseconds(1))
    try require(Int64(stallRate), "stallRate", 0...greatest)
    try require(Int64(attempts), "attempts", 1...greatest)
    // At 0 every attempt would be progress, and there would be no last one.
    try require(progressBytes, "progressBytes", 1...greatest)
    try require(Int64(startOvers), "startOvers", 0...greatest)
    try require(Int64(redirects), "redirects", 0...greatest)
    try require(pauses.first, "pauses.first", atLeast: .zero)
    try require(pauses.longest, "pauses.longest", atLeast: .zero)
    try require(longestRetryAfter, "longestRetryAfter", atLeast: .zero)
    try require(checkpoints.bytes, "checkpoints.bytes", 1...greatest)
    try require(checkpoints.time, "checkpoints.time", atLeast: .zero)
    try require(reservedBytes, "reservedBytes", 0...greatest)
  }

  private func require(
    _ value: Int64, _ property: String, _ allowed: ClosedRange<Int64>
  ) throws(DownloadPolicyError) {
    guard !allowed.contains(value) else { return }
    throw DownloadPolicyError(
      property: property, value: "\(value)",
      allowed: "\(allowed.lowerBound) to \(allowed.upperBound)")
  }

  private func require(
    _ value: Duration, _ property: String, atLeast bound: Duration
  ) throws(DownloadPolicyError) {
    guard value < bound || value > Self.longestTime else { return }
    throw DownloadPolicyError(
      property: property, value: "\(value)", allowed: "\(bound) to \(Self.longestTime)")
  }
}
