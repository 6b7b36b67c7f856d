import CatalogEngine
import CatalogStore
import Foundation

extension RecordedReceipt {
  /// Reads a receipt from a file that a user named.
  static func load(_ path: String) throws -> RecordedReceipt {
    let bytes = try DocumentFile.load(path)
    do {
      return try RecordedReceipt(json: Data(bytes))
    } catch let error as StoreError {
      throw StoreError(
        error.code, "\(path): \(error); write one with `\(ProgramName.current) receipt > FILE`")
    }
  }
}
