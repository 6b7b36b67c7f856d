import Foundation

/// A file system in memory, mounted on a folder: for tests of a volume that is full, or that is a different one.
package struct MemoryVolume: Sendable {
  private let path: String

  /// Whether this process may mount one.
  package static let isAvailable: Bool = {
    guard let folder = try? ScratchFolder() else { return false }
    return (try? MemoryVolume(at: folder.path, size: "1m").unmount()) != nil
  }()

  package struct Refused: Error {
    package let program: Program
  }

  /// - Parameters:
  ///   - path: a folder; it is made if it is missing.
  ///   - size: how much the volume holds, as `mount` reads it: `10m`.
  package init(at path: String, size: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    self.path = path
    let mount = try Program("mount", "-t", "tmpfs", "-o", "size=\(size)", "none", path)
    if mount.status != 0 { throw Refused(program: mount) }
  }

  private var filler: String { path + "/filler" }

  /// Writes a file until the volume has so many pages of 4 KiB left.
  package func fill(leaving pages: Int = 0) throws {
    try Data().write(to: URL(filePath: filler))
    let file = try FileHandle(forWritingTo: URL(filePath: filler))
    defer { try? file.close() }
    let page = Data(count: 4_096)
    while (try? file.write(contentsOf: page)) != nil {}
    let size = try file.seekToEnd()
    try file.truncate(atOffset: size - min(size, UInt64(pages * 4_096)))
  }

  /// Makes room again. The file is cut before it is removed: as long as a program that a different test starts has a copy
  /// of its descriptor, its pages are in use after the removal.
  package func empty() throws {
    let file = try FileHandle(forWritingTo: URL(filePath: filler))
    try file.truncate(atOffset: 0)
    try file.close()
    try FileManager.default.removeItem(atPath: filler)
  }

  /// Takes the volume away from its folder. A plain `umount` calls the volume busy at some moments: a program that a
  /// different test starts has copies of all open files of this process until it runs.
  package func unmount() throws {
    let unmount = try Program("umount", "--lazy", path)
    if unmount.status != 0 { throw Refused(program: unmount) }
  }
}
