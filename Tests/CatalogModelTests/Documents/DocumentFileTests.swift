import CatalogModel
import Foundation
import Testing

@Suite struct DocumentFileTests {
  @Test func loadsTheBytesOfAFile() throws {
    try Self.withFolder { folder in
      let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
      let path = folder.appending(path: "a.json").path
      try Data(bytes).write(to: URL(filePath: path))
      #expect(try DocumentFile.load(path) == bytes)
      #expect(Self.code(path, limit: bytes.count) == nil)
      #expect(Self.code(path, limit: bytes.count - 1) == .fileTooLarge)
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
