import CatalogEngine

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The names of files as their folders have them, which are bytes.
///
/// A list may spell a name in another normal form of Unicode, or, if the file system does not tell them apart, with other
/// capitals. What is stored and opened is what the folder says.
final class FolderNames {
  private struct Folder {
    var names: Set<[UInt8]> = []
    /// Names by their normal form C.
    lazy var byForm: [String: [UInt8]] = Self.first(names) { NormalForm.nfc($0) }
    /// Names by their normal form C, without case.
    lazy var byCase: [String: [UInt8]] = Self.first(names) { NormalForm.nfc($0.lowercased()) }

    private static func first(
      _ names: Set<[UInt8]>, _ key: (String) -> String
    ) -> [String: [UInt8]] {
      var found: [String: [UInt8]] = [:]
      for name in names {
        guard let text = String(validating: name, as: UTF8.self) else { continue }
        let key = key(text)
        if let other = found[key], !name.lexicographicallyPrecedes(other) { continue }
        found[key] = name
      }
      return found
    }
  }

  /// A folder that cannot be listed is nil.
  private var folders: [[UInt8]: Folder?] = [:]
  private var paths: [[UInt8]: [UInt8]?] = [:]

  /// The path of a file or folder as the file system has it; nil if there is none.
  ///
  /// - Parameter path: absolute.
  func path(of path: [UInt8]) -> [UInt8]? {
    let path = URIText.withoutDots(path)
    guard let slash = path.lastIndex(of: UInt8(ascii: "/")), path.count > 1 else { return path }
    let name = Array(path[(slash + 1)...])
    guard let parent = folder(Array(path[..<slash])) else { return nil }
    if folders[parent] == nil {
      folders[parent] = .some(Self.names(in: parent).map { Folder(names: $0) })
    }
    guard folders[parent]??.names != nil else {
      // A folder that may be entered and not listed.
      return Self.exists(path) ? path : nil
    }
    if folders[parent]??.names.contains(name) == true { return parent + [UInt8(ascii: "/")] + name }
    guard let text = String(validating: name, as: UTF8.self) else { return nil }
    let spelled =
      folders[parent]??.byForm[NormalForm.nfc(text)]
      ?? (Self.exists(path) ? folders[parent]??.byCase[NormalForm.nfc(text.lowercased())] : nil)
    return spelled.map { parent + [UInt8(ascii: "/")] + $0 }
  }

  private func folder(_ path: [UInt8]) -> [UInt8]? {
    if path.isEmpty { return [] }
    if let known = paths[path] { return known }
    let found = self.path(of: path)
    paths[path] = .some(found)
    return found
  }

  // MARK: The file system

  /// The names in a folder, without `.` and `..`, in no order; nil if it cannot be listed.
  static func names(in folder: [UInt8]) -> Set<[UInt8]>? {
    guard !folder.contains(0),
      let stream = opendir(text(folder.isEmpty ? [UInt8(ascii: "/")] : folder))
    else { return nil }
    defer { closedir(stream) }
    var names: Set<[UInt8]> = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name != Array(".".utf8), name != Array("..".utf8) { names.insert(name) }
    }
    return names
  }

  /// The sort of a file; a link is not followed.
  enum Sort {
    case file, folder, link, other
  }

  static func sort(of path: [UInt8]) -> Sort? {
    var status = stat()
    guard !path.contains(0), lstat(text(path), &status) == 0 else { return nil }
    return switch status.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .folder
    case S_IFLNK: .link
    default: .other
    }
  }

  private static func exists(_ path: [UInt8]) -> Bool { sort(of: path) != nil }

  private static func text(_ path: [UInt8]) -> [CChar] {
    path.map { CChar(bitPattern: $0) } + [0]
  }
}
