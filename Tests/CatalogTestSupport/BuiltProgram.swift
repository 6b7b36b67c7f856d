import Foundation

/// The programs that are built with the tests.
package enum BuiltProgram {
  /// The path of a program: beside the tests, or in the folder that `CATALOG_PROGRAMS` names.
  package static func path(_ name: String) -> String {
    if let folder = ProcessInfo.processInfo.environment["CATALOG_PROGRAMS"], !folder.isEmpty {
      return "\(folder)/\(name)"
    }
    return besideTests(name)
  }

  /// A file beside the tests.
  package static func besideTests(_ name: String) -> String {
    let bundle = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
    return bundle.deletingLastPathComponent().appending(path: name).path
  }
}
