import CatalogEngine
import CatalogModel
import DescribedTables
import EngineCommands
import Foundation

extension KindDescription {
  /// Reads the description that a command line names: a file, or `-` for standard input.
  ///
  /// - Returns: also the name of the document in errors.
  static func typed(
    _ argument: String
  ) throws(DocumentError) -> (description: KindDescription, name: String) {
    let document = try TypedDocument(argument, limit: sizeLimit)
    return (try read(document.bytes, file: document.name), document.name)
  }
}

/// The description that `init` and `adopt` write beside a catalog, for a person to change.
enum DescriptionFile {
  static func path(in directory: CatalogDirectory) -> String { directory.path + "/kind.json" }

  /// Makes sure that no other description is beside a catalog that is to be created. It would be lost, and the catalog would not have
  /// it.
  ///
  /// - Throws: `Refusal` if the folder has a file of the name with other bytes than those that `write` makes.
  static func requireNone(
    besides description: KindDescription, in directory: CatalogDirectory
  ) throws {
    let path = path(in: directory)
    guard FileManager.default.fileExists(atPath: path),
      FileManager.default.contents(atPath: path)
        != Data(description.canonical.indented.utf8)
    else { return }
    throw Refusal(
      "\(path) exists already and would be overwritten; move it away, or begin with it: `\(ProgramName.current) init --describe \(ShellWord.quoted(path))`"
    )
  }

  /// Writes a description beside a catalog that was created. If that is impossible, a line on standard error says so: the catalog is
  /// there, and its log has the description.
  ///
  /// - Returns: words for the line about the catalog: `, described in shop/kind.json`; empty if the file could not be written.
  static func writeIfPossible(
    _ description: KindDescription, in directory: CatalogDirectory
  ) -> String {
    let path = path(in: directory)
    do {
      try Data(description.canonical.indented.utf8).write(
        to: URL(fileURLWithPath: path), options: .atomic)
      return ", described in \(path)"
    } catch {
      let reason = (error as? CocoaError)?.words ?? "\(error)"
      Console.current.error(
        "the description could not be written beside the catalog: \(reason); `\(ProgramName.current) kind show > "
          + "\(ShellWord.quoted(path))` writes it")
      return ""
    }
  }

  /// Writes the newest description of a log if the file has an earlier one. A file that a person changed stays as it is.
  static func follow(_ kind: DescribedKind, in directory: CatalogDirectory) {
    let path = path(in: directory)
    guard let bytes = try? DocumentFile.load(path, limit: KindDescription.sizeLimit),
      let known = try? KindDescription.read(bytes, file: path), known != kind.description,
      bytes == Array(known.canonical.indented.utf8),
      kind.program.moments.contains(where: { $0.moment.description == known })
    else { return }
    do {
      try Data(kind.description.canonical.indented.utf8).write(
        to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      Console.current.error(
        "\(path) still has the earlier description; `\(ProgramName.current) kind show > \(path)` writes this one"
      )
    }
  }
}
