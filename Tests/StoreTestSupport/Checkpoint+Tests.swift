package import CatalogStore
import EventLog
package import Projections

extension Checkpoint {
  /// A checkpoint of a log that does not exist.
  ///
  /// - Parameter byte: of which the chain hash is made.
  package static func made(
    at sequence: UInt64 = 1, chain byte: UInt8 = 0, by fingerprint: ProjectorFingerprint
  ) -> Checkpoint {
    Checkpoint(
      logID: LogID(bytes: Array(repeating: 0, count: 16)),
      head: LogHead(
        sequence: sequence, chain: ChainHash(bytes: Array(repeating: byte, count: 32))),
      fingerprint: fingerprint)
  }
}
