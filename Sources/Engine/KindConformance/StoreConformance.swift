import CatalogEngine
public import EventLog
import Foundation
import Synchronization

/// Tries whether a store keeps what the engine promises of every log.
///
/// Tests of a store call it, in any test library:
///
/// ```swift
/// let findings = try await StoreConformance { name in try ObjectStore("objects://localhost/logs#\(name)") }.findings()
/// #expect(findings.isEmpty, "\(findings)")
/// ```
///
/// It makes some hundred batches in logs of names that begin with `trial-`, and removes none of them.
public struct StoreConformance: Sendable {
  let open: @Sendable (String) throws -> any LogStore
  private let run: String

  /// - Parameter open: opens the log of a name, which is empty at first. Two of one name are the views that two machines
  ///   have of one log.
  public init<Store: BatchStore>(_ open: @escaping @Sendable (_ name: String) throws -> Store) {
    self.init(logs: { BatchStoreLog(try open($0)) })
  }

  package init(logs open: @escaping @Sendable (String) throws -> any LogStore) {
    self.open = open
    run = "trial-\(UUID().uuidString.prefix(8).lowercased())"
  }

  /// The promises that the store does not keep; empty if it keeps them all.
  ///
  /// - Throws: if a log cannot be opened at all.
  public func findings() async throws -> [ConformanceFinding] {
    let trials: [(ConformanceFinding.Promise, @Sendable (StoreTrial) throws -> Void)] = [
      (.batches, { try $0.whatIsAppendedIsRead() }),
      (.batches, { try $0.aReaderGoesOn() }),
      (.heads, { try $0.whatTheLogLacksIsRefused() }),
      (.retries, { try $0.aRetryIsTold() }),
      (.writers, { try $0.oneOfSeveralWritersAppends() }),
      (.writers, { try $0.writersRace() }),
      (.copies, { try $0.aCopyHasTheSameChain() }),
      (.limits, { try $0.aBatchAtTheLimitIsTaken() }),
    ]
    var findings: [ConformanceFinding] = []
    for (number, (promise, body)) in trials.enumerated() {
      let trial = StoreTrial(promise, "\(run)-\(number)", open)
      try await Blocking.run {
        do {
          try body(trial)
        } catch {
          trial.note("\(error)")
        }
      }
      findings += trial.findings
    }
    return findings
  }
}
