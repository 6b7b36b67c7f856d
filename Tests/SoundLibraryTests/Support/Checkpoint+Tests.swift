import StoreTestSupport

@testable import CatalogStore
@testable import SoundLibrary

extension Checkpoint {
  /// A checkpoint of a log that does not exist, by the projector of these tests.
  static func made(at sequence: UInt64 = 1, chain byte: UInt8 = 0) -> Checkpoint {
    made(at: sequence, chain: byte, by: .soundLibrary)
  }
}
