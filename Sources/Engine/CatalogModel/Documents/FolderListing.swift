import LibC
import Support

/// Lists a folder by the bytes of its names, which need not be UTF-8 and are in no order.
public enum FolderListing {
  /// A name in a folder.
  public struct Entry: Hashable, Sendable {
    /// Without the folder.
    public let name: [UInt8]
    /// Whether it is certainly a regular file. False also if the file system does not say.
    public let isRegular: Bool
  }

  /// All entries of a folder but `.` and `..`.
  ///
  /// ```swift
  /// let names = try FolderListing.entries(of: Array(path.utf8)).map(\.name)
  /// ```
  /// - Throws: `DocumentError` with `fileUnreadable` if the folder cannot be listed to its end: a list without some of the
  ///   names would be taken for the whole.
  public static func entries(of folder: [UInt8]) throws(DocumentError) -> [Entry] {
    guard !folder.contains(0), let stream = opendir(folder.map { CChar(bitPattern: $0) } + [0])
    else { throw failure(folder, folder.contains(0) ? ENOENT : errno) }
    defer { closedir(stream) }
    var entries: [Entry] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        guard errno == 0 else { throw failure(folder, errno) }
        return entries
      }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name == Array(".".utf8) || name == Array("..".utf8) { continue }
      entries.append(
        Entry(name: name, isRegular: Int32(entry.pointee.d_type) == Int32(DT_REG)))
    }
  }

  /// The sort of a file.
  public enum Sort: Hashable, Sendable {
    case file, folder, link, other
  }

  /// The sort of what has a path; nil if nothing has it, or if that cannot be read. A link is not followed.
  public static func sort(of path: [UInt8]) -> Sort? {
    var status = stat()
    guard !path.contains(0), lstat(path.map { CChar(bitPattern: $0) } + [0], &status) == 0 else {
      return nil
    }
    return switch status.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .folder
    case S_IFLNK: .link
    default: .other
    }
  }

  private static func failure(_ folder: [UInt8], _ number: Int32) -> DocumentError {
    DocumentError(
      code: .fileUnreadable, file: String(decoding: folder, as: UTF8.self),
      message: "the folder cannot be read: \(SystemError.words(for: number))",
      advice: "check its permissions")
  }
}
