import CatalogModel
import CatalogStore
import EventLog
import Foundation
import Projections

/// What a snapshot says of itself: which state of which log it is, and what its bytes must be.
package struct SnapshotHeader: Hashable, Sendable, Codable {
  package let format: Int
  package let logId: String
  package let sequence: UInt64
  /// Chain hash at that sequence, 64 hex digits.
  package let chain: String
  /// Fingerprint of the projector that made it.
  package let projector: String
  /// Length of the database, decompressed.
  package let bytes: UInt64
  /// SHA-256 of the compressed frame behind the header; 64 hex digits.
  package let sha256: String

  init(_ checkpoint: Checkpoint, bytes: UInt64, sha256: String) {
    format = 1
    logId = checkpoint.logID.description
    sequence = checkpoint.sequence
    chain = checkpoint.head.chain.hex
    projector = checkpoint.fingerprint.description
    self.bytes = bytes
    self.sha256 = sha256
  }

  /// What it stands for; nil if it says something that no snapshot says.
  var checkpoint: Checkpoint? {
    guard let logID = LogID(logId), let chain = ChainHash(hex: chain) else { return nil }
    return Checkpoint(
      logID: logID, head: LogHead(sequence: sequence, chain: chain),
      fingerprint: ProjectorFingerprint(recorded: projector))
  }

  /// A skippable frame: `zstd -d` passes it over and gives the database.
  private static let magic: [UInt8] = [0x53, 0x2A, 0x4D, 0x18]
  private static let textLength = 504
  static let length = 8 + textLength

  /// The frame at the beginning of a snapshot: one line of JSON, filled up with spaces.
  func frame() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let text = [UInt8](try encoder.encode(self))
    let fill = [UInt8](repeating: 0x20, count: max(0, Self.textLength - text.count - 1)) + [0x0A]
    let length = UInt32(text.count + fill.count)
    return Self.magic + (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + text + fill
  }

  /// Reads the frame; the file stands behind it afterwards.
  static func read(from file: FileHandle) throws -> SnapshotHeader {
    let start = [UInt8](try file.read(upToCount: 8) ?? Data())
    guard start.count == 8, Array(start[..<4]) == magic else {
      throw SnapshotFailure("it is not a snapshot")
    }
    let length = start[4...].reversed().reduce(0) { $0 << 8 | Int($1) }
    guard length == textLength, let text = try file.read(upToCount: length), text.count == length
    else {
      throw SnapshotFailure("its header is truncated or has the wrong length")
    }
    do {
      let header = try JSONDecoder().decode(SnapshotHeader.self, from: text)
      guard header.format == 1 else {
        throw SnapshotFailure("it has format \(header.format); this program knows format 1")
      }
      return header
    } catch is DecodingError {
      throw SnapshotFailure("its header cannot be read")
    }
  }
}

/// Why a snapshot is not used.
struct SnapshotFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
