/// Where the file of an installed asset stands, relative to the catalog's folder.
enum InstalledPath {
  /// UTF-8 bytes of a path.
  static let limit = 4_096

  /// Whether a path stays within the catalog's folder: names parted by single slashes, none of them `.`
  /// or `..`, not from the root on.
  ///
  /// An app opens this file. Rows and events that name another one are refused.
  static func isWithinCatalog(_ path: String) -> Bool {
    guard path.utf8.count <= limit, !path.utf8.contains(0) else { return false }
    let names = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return names.allSatisfy { name in
      !name.isEmpty && !name.elementsEqual(".".utf8) && !name.elementsEqual("..".utf8)
    }
  }
}
