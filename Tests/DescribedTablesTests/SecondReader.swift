import CatalogTestSupport
import Foundation

/// The reducer in Python, which was written from the page alone and reads the description from the log.
enum SecondReader {
  /// Compares the rows of a catalog's database with those of its log: the differences, nil if there are none.
  static func complaint(of folder: String) throws -> String? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", ScratchFolder.repository + "/Tools/table-reducer.py", folder + "/events",
      folder + "/catalog.sqlite",
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? nil : String(decoding: data, as: UTF8.self)
  }
}
