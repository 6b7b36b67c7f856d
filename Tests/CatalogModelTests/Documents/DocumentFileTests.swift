import CatalogModel
import Foundation
import Promises
import Testing

@Suite(
  .promise(
    "A document is refused as a whole, with file, path, offset and value, and changes nothing",
    by: "files that change while they are read"))
struct DocumentFileTests {
  @Test func loadsTheBytesOfAFile() throws {
    try Self.withFolder { folder in
      // What begins otherwise cannot be JSON and is not read.
      let bytes = [UInt8(ascii: "[")] + (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
      let path = folder.appending(path: "a.json").path
      try Data(bytes).write(to: URL(filePath: path))
      #expect(try DocumentFile.load(path) == bytes)
      #expect(Self.code(path, limit: bytes.count) == nil)
      #expect(Self.code(path, limit: bytes.count - 1) == .fileTooLarge)
    }
  }

  /// Half of one version and half of another would be neither.
  @Test func aFileThatChangesWhileItIsReadIsNotTaken() throws {
    try Self.withFolder { folder in
      let url = folder.appending(path: "a.json")
      for bytes in [Data(count: 99), Data(count: 101), Data()] {
        try Data(count: 100).write(to: url)
        let file = try OpenedFile(url.path)
        let writer = try FileHandle(forWritingTo: url)
        try writer.truncate(atOffset: UInt64(bytes.count))
        try writer.close()
        #expect(try file.bytes() == nil)
      }
      // Under another name by then, it is still the file that was looked at.
      try Data("old".utf8).write(to: url)
      let file = try OpenedFile(url.path)
      try Data("another".utf8).write(to: url, options: .atomic)
      #expect(try file.bytes() == Array("old".utf8))
    }
  }

  @Test func saysWhyAFileCannotBeLoaded() throws {
    try Self.withFolder { folder in
      let empty = folder.appending(path: "empty").path
      try Data().write(to: URL(filePath: empty))
      let pipe = folder.appending(path: "pipe").path
      try #require(mkfifo(pipe, 0o600) == 0)
      #expect(Self.code(empty) == .fileEmpty)
      #expect(Self.code(pipe) == .fileNotRegular)
      #expect(Self.code(folder.path) == .fileIsDirectory)
      #expect(Self.code(folder.appending(path: "none").path) == .fileMissing)
      #expect(Self.code(empty + "/a.json") == .fileMissing)
      #expect(Self.code("/dev/zero") == .fileNotRegular)
      #expect(Self.code("a\0b") == .fileMissing)
      #expect(Self.code("") == .fileMissing)
    }
  }

  @Test(.enabled(if: geteuid() != 0, "everything is readable to root"))
  func saysThatAFileMayNotBeRead() throws {
    try Self.withFolder { folder in
      let path = folder.appending(path: "secret").path
      try Data("{}".utf8).write(to: URL(filePath: path))
      try #require(chmod(path, 0) == 0)
      #expect(Self.code(path) == .fileUnreadable)
    }
  }

  private static func code(
    _ path: String, limit: Int = DocumentFile.sizeLimit
  ) -> DocumentError.Code? {
    do throws(DocumentError) {
      _ = try DocumentFile.load(path, limit: limit)
      return nil
    } catch {
      #expect(error.file == path)
      return error.code
    }
  }

  private static func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }
}
