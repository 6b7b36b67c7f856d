import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A new folder for one test, gone when the test is, and when the process is: what several tests share is held to the
/// end.
package final class ScratchFolder: Sendable {
  package let path: String

  /// Those that are there; nil before the first was made.
  private static let living = Mutex<Set<String>?>(nil)

  private static func note(_ path: String) {
    living.withLock { living in
      if living == nil {
        living = []
        atexit { ScratchFolder.removeAll() }
      }
      living?.insert(path)
    }
  }

  private static func removeAll() {
    // Threads that still run may make others, which are theirs.
    for path in living.withLock({ $0 }) ?? [] { try? FileManager.default.removeItem(atPath: path) }
  }

  /// - Parameters:
  ///   - inMemory: where the system has a folder in memory: for tests that sync some thousand times.
  ///   - isForEverybody: whether other users can reach it, though root alone may enter the folder.
  package init(inMemory: Bool = false, isForEverybody: Bool = false) throws {
    let memory = "/dev/shm"
    var base = FileManager.default.temporaryDirectory.path
    if inMemory, FileManager.default.isWritableFile(atPath: memory) { base = memory }
    if isForEverybody {
      base = [base, "/tmp", "/var/tmp"].first(where: Self.isForEverybody) ?? base
    }
    path = base + "/sound-catalog-test-\(UUID().uuidString.lowercased())"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true,
      attributes: isForEverybody ? [.posixPermissions: 0o755] : nil)
    Self.note(path)
  }

  /// Whether any user may enter a folder, and all folders above it.
  private static func isForEverybody(_ path: String) -> Bool {
    var folder = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    while true {
      var status = stat()
      guard stat(folder.path, &status) == 0, status.st_mode & S_IXOTH != 0 else { return false }
      if folder.path == "/" { return true }
      folder.deleteLastPathComponent()
    }
  }

  deinit {
    Self.living.withLock { _ = $0?.remove(path) }
    // A leftover in the temporary folder fails no test.
    try? FileManager.default.removeItem(atPath: path)
  }

  package func file(_ name: String) -> String {
    path + "/" + name
  }

  /// Writes a file and returns its path.
  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  @discardableResult
  package func write(_ bytes: [UInt8], to name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
    return file(name)
  }

  package func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: file(name))
  }

  package func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(name))))
  }

  /// Everything below a folder: paths and bytes. Folders have no bytes.
  package static func contents(_ folder: String) throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      var isFolder: ObjCBool = false
      let path = folder + "/" + name
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { continue }
      contents[name] =
        isFolder.boolValue ? [] : [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }
    return contents
  }

  /// The repository's root, for resources and scripts that tests share.
  package static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
}

/// Runs a program to its end.
package struct Program: Sendable {
  package let status: Int32
  package let output: String
  package let errors: String

  /// Standard output, and errors after it.
  package var everything: String { output + errors }

  /// - Parameter arguments: looked up on PATH where the first is no path.
  package init(_ arguments: String..., in folder: String? = nil) throws {
    try self.init(arguments, in: folder)
  }

  package init(_ arguments: [String], in folder: String? = nil) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = Python.command(arguments)
    process.environment = Python.environment
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    // Files, not pipes: a program that fills one pipe while the other is read would stop for ever.
    let scratch = try ScratchFolder()
    let out = scratch.file("out")
    let err = scratch.file("err")
    for path in [out, err] { _ = FileManager.default.createFile(atPath: path, contents: nil) }
    let handles = try [out, err].map { try FileHandle(forWritingTo: URL(fileURLWithPath: $0)) }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = handles[0]
    process.standardError = handles[1]
    try process.run()
    // The child has its own. Foundation keeps a process, and these with it, for ever.
    for handle in handles { try handle.close() }
    process.waitUntilExit()
    status = process.terminationStatus
    output = try String(contentsOfFile: out, encoding: .utf8)
    errors = try String(contentsOfFile: err, encoding: .utf8)
  }
}
