import Foundation

/// Starts scripts of Python for less than `python3` on the search path may take.
package enum Python {
  /// A command, which may begin with `python3`, without the work of `site`: no script of the tests needs it, and it may take
  /// longer than all else of a start.
  package static func command(_ words: [String]) -> [String] {
    words.first == "python3" ? ["python3", "-S"] + words.dropFirst() : words
  }

  /// The environment of programs that tests start. A `python3` on the search path may be a script that searches for the
  /// interpreter at each start, so a folder with the interpreter itself comes first.
  package static var environment: [String: String] {
    var all = ProcessInfo.processInfo.environment
    all["CATALOG_HOME"] = NoCatalog.path
    if let folder, let path = all["PATH"] { all["PATH"] = "\(folder.path):\(path)" }
    return all
  }

  /// Has a link to the interpreter. Nil if there is none: the program that is started says so.
  private static let folder = try? linked()

  private static func linked() throws -> ScratchFolder? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", "import sys; print(sys.executable, end='')"]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let path = String(
      decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0, !path.isEmpty else { return nil }
    let folder = try ScratchFolder()
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("python3"), withDestinationPath: path)
    return folder
  }
}
