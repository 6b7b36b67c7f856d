import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import CatalogEngine

/// What is left by processes that are gone, and nothing else, is removed.
@Suite(
  .promise(
    "A folder of temporary files is for its user alone and is removed, even if its process "
      + "was killed; no other folder is removed"),
  .promise("What a killed command leaves is removed by the next one, and nothing else is"))
struct TemporaryFolderTests {
  private let parent: ScratchFolder
  private let dead: Int32

  init() throws {
    parent = try ScratchFolder()
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/true")
    try process.run()
    process.waitUntilExit()
    dead = process.processIdentifier
  }

  private func make(_ name: String, mode: Int = 0o700) throws -> String {
    let path = parent.file(name)
    try FileManager.default.createDirectory(
      atPath: "\(path)/inner", withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    for file in ["\(path)/past.sqlite", "\(path)/inner/a.snapshot"] {
      try Data("rows".utf8).write(to: URL(filePath: file))
    }
    return path
  }

  private var names: Set<String> {
    get throws { Set(try FileManager.default.contentsOfDirectory(atPath: parent.path)) }
  }

  @Test func whatADeadProcessLeftGoes() throws {
    _ = try make("catalog-copies-\(dead)-abcdef")
    TemporaryFolder.sweep(parent.path)
    #expect(try names.isEmpty)
  }

  @Test func whatIsNotOursOrInUseStays() throws {
    let outside = try ScratchFolder()
    try outside.write("precious", to: "precious")
    let kept = [
      "catalog-copies-\(getpid())-abcdef", "catalog-copies-1-abcdef",
      "catalog-copies-0-abcdef", "catalog-copies--1-abcdef",
      "catalog-copies-x-abcdef", "catalog-test-\(dead)-abcdef",
      "catalog-copies-99999999999999999999-a",
    ]
    for name in kept { _ = try make(name) }
    // Another user can change what is in it.
    let shared = "catalog-copies-\(dead)-shared"
    _ = try make(shared, mode: 0o755)
    // A link of that name, and a link within what is removed.
    let link = "catalog-copies-\(dead)-linked"
    try FileManager.default.createSymbolicLink(
      atPath: parent.file(link), withDestinationPath: outside.path)
    let swept = try make("catalog-copies-\(dead)-swept")
    try FileManager.default.createSymbolicLink(
      atPath: "\(swept)/link", withDestinationPath: outside.path)
    // Of a process of another container: its number says nothing, its lock does.
    let locked = try make("catalog-copies-\(dead)-locked")
    let lock = try HeldLock(folder: locked)
    TemporaryFolder.sweep(parent.path)
    #expect(
      try names == Set(kept + [link, shared, "catalog-copies-\(dead)-locked"]))
    lock.release()
    TemporaryFolder.sweep(parent.path)
    #expect(try names == Set(kept + [link, shared]))
    #expect(outside.exists("precious"))
  }

  /// A process of another container may sweep, or be about to, before the folder is locked.
  @Test(arguments: [true, false])
  func aFolderThatIsSweptAsItIsMadeIsMadeAgain(isGone: Bool) throws {
    var made: [String] = []
    var sweeper: Int32 = -1
    let folder = try TemporaryFolder(in: parent.path) { path in
      made.append(path)
      guard made.count == 1 else { return }
      if isGone {
        #expect(rmdir(path) == 0)
      } else {
        sweeper = open(path, O_RDONLY | O_DIRECTORY)
        #expect(flock(sweeper, LOCK_EX) == 0)
      }
    }
    defer { if sweeper >= 0 { close(sweeper) } }
    #expect(made.count == 2)
    #expect(folder.path == made.last)
    #expect(FileManager.default.fileExists(atPath: folder.path))
    let other = open(folder.path, O_RDONLY | O_DIRECTORY)
    #expect(flock(other, LOCK_EX | LOCK_NB) != 0)
    close(other)
  }

  @Test func itIsForThisUserAloneAndGoes() throws {
    var path = ""
    do {
      let folder = try TemporaryFolder()
      path = folder.path
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o700)
      #expect(path.contains("/catalog-copies-\(getpid())-"))
      try Data().write(to: URL(filePath: folder.file("a")))
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
