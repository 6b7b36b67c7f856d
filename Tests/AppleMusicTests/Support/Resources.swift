import Foundation

/// Files beside these tests, found through this file's own path.
enum Resources {
  private static let directory = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Resources")

  static func text(_ name: String) throws -> String {
    try String(contentsOf: directory.appending(path: name), encoding: .utf8)
  }

  /// Single resources as the API sends them: in a list under `data`.
  static func answer(_ names: String...) throws -> String {
    #"{"data":[\#(try names.map(text).joined(separator: ","))]}"#
  }
}
