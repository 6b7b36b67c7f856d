import CatalogModel
import LibC

/// The JSON files of a folder of a package.
struct PackageListing: Sendable {
  /// The names of files that can be read, without their ending, in the order of their bytes.
  let names: [String]
  /// The names of all that is there, in NFC; nil if the folder cannot be read.
  private let present: Set<String>?

  /// Files whose names begin with a dot are the file system's. Anything else that is not a JSON file is a fault: it is
  /// not known what it was to be.
  init(_ folder: String, _ faults: inout PackageFaults) {
    let entries = faults.noting { () throws(DocumentError) in try Self.entries(of: folder) }
    var names: [String] = []
    var present: Set<String> = []
    for (name, isRegular) in entries ?? [] {
      let path = "\(folder)/\(name)"
      if name.hasSuffix(".json") {
        present.insert(NormalForm.nfc(String(name.dropLast(".json".count))))
      }
      let isFile: Void? = faults.noting { () throws(DocumentError) in
        if !isRegular { try Self.requireFile(path) }
        guard name.hasSuffix(".json"), name.utf8.count > ".json".utf8.count else {
          throw Self.failure(
            .invalidValue, path, "this is not a JSON file",
            "move away what does not belong to the package")
        }
      }
      if isFile != nil { names.append(String(name.dropLast(".json".count))) }
    }
    self.names = names.sorted { $0.isBefore($1) }
    self.present = entries == nil ? nil : present
  }

  /// Whether a file of this name is in the folder, whatever is in the file; true if the folder cannot be read, which is
  /// a fault of its own.
  func mayHave(_ name: String) -> Bool { present?.contains(name) ?? true }

  private static func entries(
    of folder: String
  ) throws(DocumentError) -> [(name: String, isRegular: Bool)] {
    try requireNoLink(folder)
    let listing: [FolderListing.Entry]
    do throws(DocumentError) {
      listing = try FolderListing.entries(of: Array(folder.utf8))
    } catch {
      throw failure(.fileMissing, folder, error.message, "unpack the whole package")
    }
    var entries: [(name: String, isRegular: Bool)] = []
    for entry in listing {
      guard let name = String(validating: entry.name, as: UTF8.self) else {
        throw failure(
          .invalidValue, folder, "the name of a file in it is not UTF-8", "rename the file")
      }
      if !name.hasPrefix(".") { entries.append((name, entry.isRegular)) }
    }
    guard !entries.isEmpty else {
      throw failure(.fileMissing, folder, "the folder is empty", "unpack the whole package")
    }
    return entries
  }

  /// Whether anything has this path, a link that leads nowhere too.
  static func exists(_ path: String) -> Bool { sort(of: path) != nil }

  /// A link may lead out of the package.
  static func requireNoLink(_ path: String) throws(DocumentError) {
    guard sort(of: path) == .link else { return }
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

  private static func requireFile(_ path: String) throws(DocumentError) {
    try requireNoLink(path)
    // Some file systems do not say.
    guard sort(of: path) != .file else { return }
    throw failure(
      .fileNotRegular, path, "this is not a regular file",
      "move away what does not belong to the package")
  }

  private static func sort(of path: String) -> FolderListing.Sort? {
    FolderListing.sort(of: Array(path.utf8))
  }

  private static func failure(
    _ code: DocumentError.Code, _ path: String, _ message: String, _ advice: String
  ) -> DocumentError {
    DocumentError(code: code, file: path, message: message, advice: advice)
  }
}
