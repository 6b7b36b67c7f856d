import Downloads
import Promises
import Testing

@Suite(
  .promise(
    "A policy, a document, an answer or an option has no number with which work never "
      + "begins, never ends, or a sum overflows"))
struct DownloadPolicyTests {
  private static let changes: [(String, @Sendable (inout DownloadPolicy) -> Void)] = [
    ("parallelPacks", { $0.parallelPacks = 0 }),
    ("parallelAssets", { $0.parallelAssets = 0 }),
    ("parallelAssets", { $0.parallelAssets = 1_001 }),
    ("headTimeout", { $0.headTimeout = .zero }),
    ("headTimeout", { $0.headTimeout = .seconds(Int64.max) }),
    ("stallWindow", { $0.stallWindow = .seconds(-1) }),
    ("stallRate", { $0.stallRate = -1 }),
    ("attempts", { $0.attempts = 0 }),
    ("attempts", { $0.attempts = .max }),
    ("progressBytes", { $0.progressBytes = 0 }),
    ("startOvers", { $0.startOvers = -1 }),
    ("redirects", { $0.redirects = .min }),
    ("pauses.first", { $0.pauses.first = .seconds(-1) }),
    ("pauses.longest", { $0.pauses.longest = .seconds(Int64.max) }),
    ("longestRetryAfter", { $0.longestRetryAfter = .seconds(-1) }),
    ("checkpoints.bytes", { $0.checkpoints.bytes = 0 }),
    ("checkpoints.time", { $0.checkpoints.time = .seconds(-1) }),
    ("reservedBytes", { $0.reservedBytes = 1 << 53 }),
  ]

  @Test(arguments: changes.indices)
  func aNumberThatIsNotAllowedIsNamed(index: Int) {
    let (property, change) = Self.changes[index]
    var policy = DownloadPolicy()
    #expect(throws: Never.self) { try policy.check() }
    change(&policy)
    let error = #expect(throws: DownloadPolicyError.self) { try policy.check() }
    #expect(error?.property == property)
    #expect(error?.description.contains(" is allowed") == true)
  }
}
