import Foundation

/// Files and folders that are being made, beside the place where they go: hidden, with the number of the process that makes them.
enum UnfinishedFiles {
  private static let mark = ".catalog-part-"
  /// What SQLite keeps beside a file.
  private static let companions = ["-journal", "-wal", "-shm"]

  /// What the file or folder of a name is called while this process makes it.
  static func name(of file: some StringProtocol) -> String {
    var beginning = file.prefix(100)
    // With the rest, a file system takes 255 bytes.
    while beginning.utf8.count > 200 { beginning.removeLast() }
    return ".\(beginning)\(mark)\(getpid())"
  }

  /// Whether a name is that of a file whose process is dead.
  static func isLeft(_ name: String) -> Bool {
    guard name.hasPrefix("."), let mark = name.range(of: mark, options: .backwards) else {
      return false
    }
    let number = companions.reduce(name[mark.upperBound...]) { rest, companion in
      rest.hasSuffix(companion) ? rest.dropLast(companion.count) : rest
    }
    guard let process = pid_t(number), process > 0, process != getpid() else { return false }
    return kill(process, 0) != 0 && errno == ESRCH
  }

  /// Removes from a folder what dead processes left.
  static func sweep(_ folder: String) {
    // Where it cannot be listed, nothing can be made in it either, which is an error of its own.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    where isLeft(name) {
      // A folder with what is in it, too.
      try? FileManager.default.removeItem(atPath: folder + "/" + name)
    }
  }
}
