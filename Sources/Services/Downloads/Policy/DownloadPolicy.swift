/// How patient a download is, and how much it does at once.
///
/// `check()` says what each number may be.
public struct DownloadPolicy: Sendable {
  /// How many packs are downloaded at once; the others wait.
  public var parallelPacks = 2
  /// How many assets are downloaded at once, of all packs together.
  public var parallelAssets = 3
  /// Within what time the head of a response must come.
  public var headTimeout = Duration.seconds(30)
  /// A body that brings less than `stallRate` over this time is given up.
  public var stallWindow = Duration.seconds(30)
  /// Bytes a second.
  public var stallRate = 1_024
  /// How many attempts in a row may bring no progress before a download fails.
  public var attempts = 5
  /// What an attempt must bring to count as progress, in bytes.
  public var progressBytes: Int64 = 64 << 10
  /// How often the part of one asset may be thrown away to start over.
  public var startOvers = 2
  /// How many redirects in a row are followed.
  public var redirects = 5
  /// The pause before attempt *n* is drawn between 0 and the first, doubled *n* times up to the second.
  public var pauses = (first: Duration.seconds(1), longest: Duration.seconds(60))
  /// A server that asks for a longer pause (Retry-After) makes the download fail; it can be resumed.
  public var longestRetryAfter = Duration.seconds(300)
  /// After how many bytes, or how much time where fewer came, a part is made durable.
  public var checkpoints = (bytes: Int64(4 << 20), time: Duration.seconds(1))
  /// What must stay free on the volume, for the log and the database.
  public var reservedBytes: Int64 = 32 << 20

  public init() {}
}
