import Foundation

/// A folder for one test, removed with it.
final class TestFolder: Sendable {
  let path: String

  init() throws {
    path =
      FileManager.default.temporaryDirectory.appending(
        path: "catalogctl-tests-\(UUID().uuidString.lowercased())"
      ).path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      FileHandle.standardError.write(Data("cannot remove \(path): \(error)\n".utf8))
    }
  }

  func path(_ name: String) -> String { path + "/" + name }

  /// Writes a file and returns its path.
  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  @discardableResult
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    try Data(bytes).write(to: URL(filePath: path(name)))
    return path(name)
  }

  func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: path(name))
  }

  func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path(name))))
  }

  /// Everything below a folder: paths and bytes. Folders have no bytes.
  static func contents(_ folder: String) throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      var isFolder: ObjCBool = false
      let path = folder + "/" + name
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { continue }
      contents[name] = isFolder.boolValue ? [] : [UInt8](try Data(contentsOf: URL(filePath: path)))
    }
    return contents
  }
}
