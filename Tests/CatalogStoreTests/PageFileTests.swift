import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import CatalogStore

@Suite(
  .promise(
    "Any form of table is written as pages, row by row and by SQLite alone to the same rows",
    by: "files beyond a gigabyte, files that are not databases"))
struct PageFileTests {
  /// SQLite keeps its locks in the page at 1 GiB: pages are numbered around it, in a file that has holes
  /// for all pages before.
  @Test func thePageOfTheLocksIsLeftOut() throws {
    let folder = try ScratchFolder()
    let path = folder.file("large.sqlite")
    let made = try Program("sqlite3", path, "PRAGMA page_size = 4096; CREATE TABLE t (a)")
    #expect(made.status == 0)
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    let lockPage: UInt32 = (1 << 30) / 4_096 + 1
    try handle.seek(toOffset: 28)
    try handle.write(contentsOf: withUnsafeBytes(of: (lockPage - 2).bigEndian) { Data($0) })
    try handle.close()

    let file = try PageFile(path)
    let page = [UInt8](repeating: 7, count: file.pageSize)
    let numbers = try page.withUnsafeBytes { bytes in
      let start = try #require(bytes.baseAddress)
      return try (0..<3).map { _ in try file.append(start) }
    }
    try file.finish()
    #expect(numbers == [lockPage - 1, lockPage + 1, lockPage + 2])
    let written = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    for (number, byte) in [(lockPage - 1, 7), (lockPage, 0), (lockPage + 1, 7)] as [(UInt32, UInt8)]
    {
      try written.seek(toOffset: UInt64(number - 1) * 4_096)
      #expect(try written.read(upToCount: 4_096) == Data(repeating: byte, count: 4_096))
    }
    try written.seek(toOffset: 28)
    let count = try #require(try written.read(upToCount: 4))
    #expect(count.reduce(0) { $0 << 8 | UInt32($1) } == lockPage + 2)
  }

  @Test func whatIsNoDatabaseIsRefused() throws {
    let folder = try ScratchFolder()
    try folder.write("no database", to: "text")
    #expect(throws: StoreError.self) { try PageFile(folder.file("text")) }
    #expect(throws: StoreError.self) { try PageFile(folder.file("missing")) }
  }
}
