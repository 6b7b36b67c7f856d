import CatalogModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The files of a package's folder.
enum PackageListing {
  /// The names of a folder's JSON files without their ending, in the order of their bytes.
  ///
  /// Files whose names begin with a dot are the file system's. Anything else that is not a JSON file is refused: nobody
  /// can say what it was to be.
  static func names(in folder: String) throws(DocumentError) -> [String] {
    try requireNoLink(folder)
    guard let directory = opendir(folder) else {
      throw failure(
        .fileMissing, folder, "the folder cannot be read: \(String(cString: strerror(errno)))",
        "unpack the whole package")
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let type = Int32(entry.pointee.d_type)
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
          String(validatingCString: $0)
        }
      }
      guard let name else {
        throw failure(
          .invalidValue, folder, "the name of a file in it is not UTF-8", "rename the file")
      }
      if name.hasPrefix(".") { continue }
      let path = "\(folder)/\(name)"
      if type != Int32(DT_REG) { try requireFile(path, type) }
      guard name.hasSuffix(".json"), name.utf8.count > ".json".utf8.count else {
        throw failure(
          .invalidValue, path, "this is not a JSON file",
          "move away what does not belong to the package")
      }
      names.append(String(name.dropLast(".json".count)))
    }
    guard !names.isEmpty else {
      throw failure(.fileMissing, folder, "the folder is empty", "unpack the whole package")
    }
    return names.sorted { $0.isBefore($1) }
  }

  /// A link may lead out of the package.
  static func requireNoLink(_ path: String) throws(DocumentError) {
    guard kind(of: path) == S_IFLNK else { return }
    throw failure(
      .fileNotRegular, path, "this is a link", "put the file itself into the package")
  }

  /// - Throws: if a path that somebody named is not a folder. A link to one is.
  static func requireFolder(_ path: String) throws(DocumentError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw failure(
        .fileMissing, path, "the folder cannot be read: \(String(cString: strerror(errno)))",
        "check the name")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw failure(
        .fileNotRegular, path, "this is not a folder",
        "name the folder into which the package was unpacked")
    }
  }

  private static func requireFile(_ path: String, _ type: Int32) throws(DocumentError) {
    try requireNoLink(path)
    // Some file systems do not say.
    guard kind(of: path) != S_IFREG else { return }
    throw failure(
      .fileNotRegular, path, "this is not a regular file",
      "move away what does not belong to the package")
  }

  private static func kind(of path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  private static func failure(
    _ code: DocumentError.Code, _ path: String, _ message: String, _ advice: String
  ) -> DocumentError {
    DocumentError(code: code, file: path, message: message, advice: advice)
  }
}
