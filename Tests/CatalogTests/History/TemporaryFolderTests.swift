import CatalogTestSupport
import Foundation
import Testing

@testable import Catalog
@testable import CatalogEngine
@testable import SoundLibraryKind

/// What is left by processes that are gone, and nothing else, is removed.
@Suite struct TemporaryFolderTests {
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
    _ = try make("sound-catalog-copies-\(dead)-abcdef")
    TemporaryFolder.sweep(parent.path)
    #expect(try names.isEmpty)
  }

  @Test func whatIsNotOursOrInUseStays() throws {
    let outside = try ScratchFolder()
    try outside.write("precious", to: "precious")
    let kept = [
      "sound-catalog-copies-\(getpid())-abcdef", "sound-catalog-copies-1-abcdef",
      "sound-catalog-copies-0-abcdef", "sound-catalog-copies--1-abcdef",
      "sound-catalog-copies-x-abcdef", "sound-catalog-test-\(dead)-abcdef",
      "sound-catalog-copies-99999999999999999999-a",
    ]
    for name in kept { _ = try make(name) }
    // Another user can change what is in it.
    let shared = "sound-catalog-copies-\(dead)-shared"
    _ = try make(shared, mode: 0o755)
    // A link of that name, and a link within what is removed.
    let link = "sound-catalog-copies-\(dead)-linked"
    try FileManager.default.createSymbolicLink(
      atPath: parent.file(link), withDestinationPath: outside.path)
    let swept = try make("sound-catalog-copies-\(dead)-swept")
    try FileManager.default.createSymbolicLink(
      atPath: "\(swept)/link", withDestinationPath: outside.path)
    // Of a process of another container: its number says nothing, its lock does.
    let locked = try make("sound-catalog-copies-\(dead)-locked")
    let descriptor = open(locked, O_RDONLY | O_DIRECTORY)
    #expect(flock(descriptor, LOCK_EX) == 0)
    TemporaryFolder.sweep(parent.path)
    #expect(
      try names == Set(kept + [link, shared, "sound-catalog-copies-\(dead)-locked"]))
    close(descriptor)
    TemporaryFolder.sweep(parent.path)
    #expect(try names == Set(kept + [link, shared]))
    #expect(outside.exists("precious"))
  }

  @Test func itIsForThisUserAloneAndGoes() throws {
    var path = ""
    do {
      let folder = try TemporaryFolder()
      path = folder.path
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o700)
      #expect(path.contains("/sound-catalog-copies-\(getpid())-"))
      try Data().write(to: URL(filePath: folder.file("a")))
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
