import CatalogEngine

/// The names of files as their folders have them, which are bytes.
///
/// A list may spell a name in another normal form of Unicode, or, if the file system does not tell them apart, with other
/// capitals. What is stored and opened is what the folder says.
final class FolderNames {
  private final class Folder {
    /// Nil if the folder cannot be listed.
    let names: Set<[UInt8]>?
    /// Names by their normal form C.
    lazy var byForm = first { NormalForm.nfc($0) }
    /// Names by their normal form C, without case.
    lazy var byCase = first { NormalForm.nfc($0.lowercased()) }

    init(_ path: [UInt8]) {
      let entries = try? FolderListing.entries(of: path.isEmpty ? [UInt8(ascii: "/")] : path)
      names = entries.map { Set($0.map(\.name)) }
    }

    private func first(_ key: (String) -> String) -> [String: [UInt8]] {
      var found: [String: [UInt8]] = [:]
      for name in names ?? [] {
        guard let text = String(validating: name, as: UTF8.self) else { continue }
        let key = key(text)
        if let other = found[key], !name.lexicographicallyPrecedes(other) { continue }
        found[key] = name
      }
      return found
    }
  }

  private var folders: [[UInt8]: Folder] = [:]
  /// The paths of folders; nil if there is none.
  private var paths: [[UInt8]: [UInt8]?] = [:]

  /// The path of a file or folder as the file system has it; nil if there is none.
  ///
  /// - Parameter path: absolute.
  func path(of path: [UInt8]) -> [UInt8]? {
    let path = URIText.withoutDots(path)
    guard let slash = path.lastIndex(of: UInt8(ascii: "/")), path.count > 1 else { return path }
    guard let parent = parent(Array(path[..<slash])) else { return nil }
    let name = Array(path[(slash + 1)...])
    let folder = folders[parent] ?? Folder(parent)
    folders[parent] = folder
    // A folder may be entered, and not listed.
    guard let names = folder.names else { return FolderListing.sort(of: path) == nil ? nil : path }
    if names.contains(name) { return parent + [UInt8(ascii: "/")] + name }
    guard let text = String(validating: name, as: UTF8.self) else { return nil }
    let spelled =
      folder.byForm[NormalForm.nfc(text)]
      // If the file system has the file, it does not tell capitals apart.
      ?? (FolderListing.sort(of: path) == nil
        ? nil : folder.byCase[NormalForm.nfc(text.lowercased())])
    return spelled.map { parent + [UInt8(ascii: "/")] + $0 }
  }

  private func parent(_ path: [UInt8]) -> [UInt8]? {
    if path.isEmpty { return [] }
    if let known = paths[path] { return known }
    let found = self.path(of: path)
    paths[path] = .some(found)
    return found
  }
}
