public import CatalogEngine
import Foundation

extension Artwork: PayloadObject {
  /// A picture must have the hash that is named beside it.
  public static let payload = Payload(
    Member("sha256", \Self.sha256),
    Member(
      "base64", { Base64(bytes: $0.data) },
      limit: PayloadLimit(Self.limit, "bytes", of: "the picture") { $0.bytes.count }),
    make: { (sha256, base64: Base64) throws(PayloadReader.Problem) in
      let artwork = Artwork(base64.bytes)
      guard artwork.sha256 == sha256 else {
        throw PayloadReader.Problem(
          path: ".sha256", message: "the hash is not that of the picture")
      }
      return artwork
    })
}

/// Bytes that are stored as a text.
private struct Base64: PayloadValue {
  var bytes: [UInt8]

  static var schema: JSONValue {
    PayloadForm(
      "base64", pattern: "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"
    ).schema
  }

  static func read(_ value: JSONValue) throws(PayloadReader.Problem) -> Base64 {
    guard let data = Data(base64Encoded: try String.read(value)) else {
      throw PayloadReader.Problem(path: "", message: "this is not base64")
    }
    return Base64(bytes: Array(data))
  }

  func write(to data: inout PayloadWriter) {
    Data(bytes).base64EncodedString().write(to: &data)
  }
}
