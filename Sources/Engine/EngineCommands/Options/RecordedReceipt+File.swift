import CatalogEngine
import CatalogStore
import Foundation

extension RecordedReceipt {
  /// Reads a receipt from a file that a user named, or from standard input for `-`.
  static func load(_ argument: String) throws -> RecordedReceipt {
    let document = try TypedDocument(argument)
    do {
      return try RecordedReceipt(json: Data(document.bytes))
    } catch let error as StoreError {
      throw StoreError(
        error.code,
        "\(document.name): \(error); write one with `\(ProgramName.current) receipt > FILE`")
    }
  }
}
