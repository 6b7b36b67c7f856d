import CatalogModel

/// Words of a command line, for commands that messages propose.
package enum ShellWord {
  /// The word as a POSIX shell reads it back.
  package static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.utf8.allSatisfy {
        $0.isASCIIAlphanumeric || $0 >= 0x80 || "._/:+-".utf8.contains($0)
      }
    return isPlain ? word : "'" + word.replacing(scalar: "'", with: "'\\''") + "'"
  }
}
