import CatalogModel

/// Where a playlist of the catalog lies below the base address, and which paths its next pages may have.
struct PlaylistPath: Hashable, Sendable {
  /// Tracks a page: the most that the API gives.
  private static let pageSize = "limit=100"
  /// UTF-8 bytes of a next page's path.
  private static let nextLimit = 2_048

  let text: String

  private var tracks: String { text + "/tracks" }
  /// Path and query of the first page of the tracks.
  var firstPage: String { "\(tracks)?\(Self.pageSize)" }

  /// - Throws: `invalidRequest` where id or storefront cannot be one. Neither is ever escaped, so that
  ///   what is asked for is what was meant.
  init(id: String, storefront: String) throws(AppleMusicError) {
    guard storefront.utf8.count == 2, storefront.utf8.allSatisfy(Self.isLowerCase) else {
      throw AppleMusicError(
        .invalidRequest,
        "\"\(JSONExcerpt.printable(storefront))\" is not a storefront; write a country's two lower-case "
          + "letters, like us")
    }
    guard 1...200 ~= id.utf8.count, id.utf8.allSatisfy(Self.isPlain), id != ".", id != ".." else {
      throw AppleMusicError(
        .invalidRequest,
        "\"\(JSONExcerpt.printable(id))\" is not a playlist's id; write it like "
          + "pl.acc464c750b94302b8806e5fcbe56e17")
    }
    text = "/v1/catalog/\(storefront)/playlists/\(id)"
  }

  /// The path and query to ask for where an answer names its next page.
  ///
  /// The developer token goes with the request. So the path is compared byte by byte with the one that
  /// such a page has: what is the same has no scheme, no host and no dots.
  ///
  /// - Throws: `unsafeAddress` if it leads anywhere else.
  func page(_ next: String) throws(AppleMusicError) -> String {
    let bytes = next.utf8
    let path = bytes.prefix { $0 != UInt8(ascii: "?") }
    let query = bytes.dropFirst(path.count + 1)
    guard bytes.count <= Self.nextLimit, path.elementsEqual(tracks.utf8), !query.isEmpty,
      query.allSatisfy(Self.isOfQuery)
    else {
      throw AppleMusicError(
        .unsafeAddress,
        "the next page of the tracks is not a page of \(tracks) (it begins with "
          + "\"\(JSONExcerpt.printable(String(decoding: path, as: UTF8.self)))\"); nothing was sent "
          + "there, because the developer token would leak")
    }
    let isSized = query.split(separator: UInt8(ascii: "&")).contains {
      $0.starts(with: "limit=".utf8)
    }
    return isSized ? next : "\(next)&\(Self.pageSize)"
  }

  private static func isLowerCase(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    isLowerCase(byte | 0x20) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
      || "._-".utf8.contains(byte)
  }

  /// Printing ASCII: no control characters, no fragment, nothing that a client would read as a slash.
  private static func isOfQuery(_ byte: UInt8) -> Bool {
    0x21...0x7E ~= byte && byte != UInt8(ascii: "#") && byte != UInt8(ascii: "\\")
  }
}
