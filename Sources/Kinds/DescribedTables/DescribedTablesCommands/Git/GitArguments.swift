import ArgumentParser
import EngineCommands
import Foundation

/// The versions of a file that a command takes from a git repository.
struct GitArguments: ParsableArguments {
  @Flag(
    name: .long,
    help: "FILE is REPO:PATH: take all versions of the file in a git repository, oldest first.")
  var git = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Take the versions of this branch, or of any commit; default HEAD.", valueName: "ref"))
  var branch: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Begin with the version that the file has at this commit; default after the last that was taken.",
      valueName: "commit"))
  var since: String?

  @Option(
    name: .long,
    help: ArgumentHelp("Take no version after this commit.", valueName: "commit"))
  var until: String?

  func validate() throws {
    guard !git, branch != nil || since != nil || until != nil else { return }
    throw ValidationError("--branch, --since and --until are about --git")
  }

  /// The repository and the files of arguments `REPO:PATH`, which all are in one repository.
  func files(_ documents: [NamedFile]) throws -> (repository: GitRepository, paths: [String]) {
    let parts = try documents.map { document in
      guard let parts = Self.parts(of: document.file) else {
        let folder = document.file.split(separator: ":").first.map { String($0) } ?? ""
        throw ValidationError(
          "--git takes REPO:PATH, a folder in a repository of this machine and a file of it, not \"\(document.file)\""
            + (document.file.contains(":") ? "; there is no folder \"\(folder)\"" : "")
        )
      }
      return parts
    }
    guard Set(parts.map(\.repository)).count == 1 else {
      throw ValidationError("the files of one import are in one repository")
    }
    let repository = try GitRepository(parts[0].repository)
    return (repository, try parts.map { try repository.wholePath($0.path) })
  }

  /// A folder may have a colon in its name: the first colon after a folder that exists counts.
  private static func parts(of argument: String) -> (repository: String, path: String)? {
    for mark in argument.indices where argument[mark] == ":" {
      let folder = mark == argument.startIndex ? "." : String(argument[..<mark])
      let path = argument[argument.index(after: mark)...]
      var isFolder: ObjCBool = false
      if FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder),
        isFolder.boolValue, !path.isEmpty, !path.hasPrefix("/")
      {
        return (folder, String(path))
      }
    }
    return nil
  }
}
