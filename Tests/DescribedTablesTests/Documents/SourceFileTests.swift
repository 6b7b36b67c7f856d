import CatalogModel
import CatalogTestSupport
import DescribedTables
import Foundation
import Promises
import Testing

@Suite(
  "Sources of documents",
  .promise(
    "Documents of CSV and JSON are read as Python reads them; what is refused names file, "
      + "line and column",
    by: "compressed, damaged and changing files"))
struct SourceFileTests {
  private static let text = (0..<20_000).map { "line \($0 % 97)\n" }.joined()

  private func packed(_ tool: String, _ folder: ScratchFolder) throws -> String {
    let path = try folder.write(Self.text, to: "plain")
    let program = try Program(tool, "-k", "-q", path)
    try #require(program.status == 0, "\(program.errors)")
    return path + (tool == "gzip" ? ".gz" : ".zst")
  }

  @Test("A compressed file has the bytes of the plain one", arguments: ["gzip", "zstd"])
  func decompresses(tool: String) throws {
    let folder = try ScratchFolder()
    let path = try packed(tool, folder)
    let source = try SourceFile(path)
    #expect(source.compression.rawValue == tool)
    let plain = try source.plainBytes()
    #expect(plain.bytes == Array(Self.text.utf8))
    #expect(plain.sha256 == (try Program("sha256sum", path).output.prefix(64)))
    #expect(try source.sha256() == plain.sha256)
    // Two of them, one after the other, are one text.
    let bytes = try folder.bytes(URL(fileURLWithPath: path).lastPathComponent)
    let twice = try SourceFile(name: "twice", bytes: bytes + bytes)
    #expect(try twice.plainBytes().bytes.count == 2 * Self.text.utf8.count)
  }

  @Test("A compressed file that is cut or damaged is refused", arguments: ["gzip", "zstd"])
  func refusesDamage(tool: String) throws {
    let folder = try ScratchFolder()
    let name = URL(fileURLWithPath: try packed(tool, folder)).lastPathComponent
    let bytes = try folder.bytes(name)
    for length in [5, bytes.count / 2, bytes.count - 1] {
      let error = try #require(throws: DocumentError.self) {
        try SourceFile(name: "cut", bytes: Array(bytes[..<length])).plainBytes()
      }
      #expect(error.description.contains("in the middle of its compressed data"), "\(error)")
    }
    var damaged = bytes
    damaged[bytes.count / 2] ^= 0x55
    #expect(throws: DocumentError.self) {
      try SourceFile(name: "damaged", bytes: damaged).plainBytes()
    }
  }

  @Test("A file that changes while it is read is refused")
  func noticesChanges() throws {
    let folder = try ScratchFolder()
    let path = try folder.write("a\n1\n", to: "t.csv")
    let source = try SourceFile(path)
    try folder.write("a\n1\n2\n", to: "t.csv")
    let error = try #require(throws: DocumentError.self) { try source.plainBytes() }
    #expect(error.description.contains("changed while it was read"), "\(error)")
  }

  @Test("What is no document is refused")
  func refuses() throws {
    let folder = try ScratchFolder()
    #expect(throws: DocumentError.self) { try SourceFile(folder.path) }
    #expect(throws: DocumentError.self) { try SourceFile(folder.file("missing")) }
    #expect(throws: DocumentError.self) { try SourceFile(folder.write("", to: "empty")) }
  }
}
