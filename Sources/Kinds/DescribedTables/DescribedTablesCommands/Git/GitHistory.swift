import CatalogModel
import DescribedTables
import EngineCommands
import Support

/// The versions of some files on one branch of a repository, oldest first.
struct GitHistory {
  /// A commit, with the files that it changed.
  struct Version {
    let commit: String
    /// The committer's time: it rises along a branch, also if commits were rebased. An author's time may lie before it.
    let time: Timestamp
    /// The places of the files among those that were asked for.
    fileprivate(set) var files: [Int]
  }

  let repository: GitRepository
  /// The names of the files from the root of the repository.
  let paths: [String]
  /// The id of the branch's last commit.
  let tip: String
  private(set) var versions: [Version] = []

  /// - Parameter taken: gives the commit whose version was taken last of a file, by its place and its name from the root; nil if
  ///   none was. `--since` goes before it.
  /// - Throws: `Refusal` if the branch has no such file, or not the commit that was taken last.
  init(
    _ arguments: GitArguments, _ documents: [NamedFile],
    taken: (Int, String) -> String? = { _, _ in nil }
  ) throws {
    (repository, paths) = try arguments.files(documents)
    let branch = arguments.branch ?? "HEAD"
    let last = try repository.commit(branch)
    tip = try arguments.until.map(repository.commit) ?? last
    guard try repository.has(tip, before: last) else {
      throw Refusal("\(branch) does not have the commit \(tip)")
    }
    var changes: [String: Version] = [:]
    for (place, path) in paths.enumerated() {
      let commits = try commits(of: path, arguments, (branch, last), taken(place, path))
      for commit in commits {
        changes[commit.id, default: Version(commit: commit.id, time: commit.time, files: [])]
          .files.append(place)
      }
      if paths.count == 1 { versions = commits.compactMap { changes[$0.id] } }
    }
    if paths.count > 1 {
      versions = try repository.commits(through: tip).compactMap { changes[$0.id] }
    }
  }

  private func commits(
    of path: String, _ arguments: GitArguments, _ branch: (name: String, tip: String),
    _ taken: String?
  ) throws -> [(id: String, time: Timestamp)] {
    guard let newest = try repository.commits(changing: path, through: tip, limit: 1).first else {
      let near = NearMiss.find(path, among: try repository.files(of: tip))
      throw Refusal(
        "\(repository.path): no commit of \(branch.name) has the file \(path)"
          + (near.map { "; did you mean \"\($0)\"?" } ?? ""))
    }
    if let since = arguments.since {
      let first = try repository.commit(since)
      guard try repository.has(first, before: tip) else {
        throw Refusal("\(branch.name) does not have the commit \(first)")
      }
      let base = try repository.commits(changing: path, through: first, limit: 1)
      return try base + repository.commits(changing: path, through: tip, after: first)
    }
    guard let taken else { return try repository.commits(changing: path, through: tip) }
    if newest.id == taken { return [] }
    guard try repository.has(taken, before: tip) else {
      // `--until` names an earlier commit: nothing is new.
      if try repository.has(taken, before: branch.tip) { return [] }
      throw Refusal(
        "\(path): the version that was taken last is of commit \(taken), which \(branch.name) does not have: its history was rewritten, or another branch was taken; --since COMMIT continues with the version of a commit"
      )
    }
    return try repository.commits(changing: path, through: tip, after: taken)
  }
}

/// Reads the versions of a history one after the other.
final class GitVersions {
  /// A version of a file that differs from the one before it.
  struct File {
    /// Its place among the files of the history.
    let place: Int
    /// `COMMIT:PATH`, as git names it.
    let name: String
    /// Nil if the commit does not have the file.
    let source: SourceFile?
  }

  private let history: GitHistory
  private let files: GitFiles
  /// The bytes that were read last, by their ids.
  private var last: [Int: String] = [:]

  init(_ history: GitHistory) throws {
    self.history = history
    files = try GitFiles(history.repository)
  }

  /// The files of a version. One with the bytes of the version before it is left out.
  ///
  /// - Throws: `DocumentError` if a version is not a file that can be read.
  func read(_ version: GitHistory.Version) throws -> [File] {
    try version.files.compactMap { place in
      let path = history.paths[place]
      let name = "\(version.commit):\(path)"
      switch try files.content(of: path, in: version.commit) {
      case .missing:
        last[place] = nil
        return File(place: place, name: name, source: nil)
      case .folder: throw Self.noFile(name, "it is a folder")
      case .symbolicLink:
        throw Self.noFile(name, "it is a symbolic link; import the file that it names")
      case .submodule: throw Self.noFile(name, "it is the folder of another repository")
      case .file(let id, let bytes):
        guard last.updateValue(id, forKey: place) != id else { return nil }
        guard !bytes.starts(with: Array("version https://git-lfs.github.com/".utf8)) else {
          throw Self.noFile(name, "the repository has a pointer of Git LFS here, and not the file")
        }
        return File(
          place: place, name: name,
          source: try SourceFile(version: name, bytes: bytes, modified: version.time))
      }
    }
  }

  private static func noFile(_ name: String, _ message: String) -> DocumentError {
    DocumentError(code: .unsupportedFormat, file: name, message: message)
  }
}
