import CatalogEngine
import CatalogModel
import DescribedTables
import EngineCommands
import Foundation

/// The description that `init` and `adopt` write beside a catalog, for a person to change.
enum DescriptionFile {
  static func path(in directory: CatalogDirectory) -> String { directory.path + "/kind.json" }

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
