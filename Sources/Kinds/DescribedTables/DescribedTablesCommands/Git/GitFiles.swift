import CatalogModel
import EngineCommands

/// Reads files as commits of a repository have them, by one process of git.
final class GitFiles {
  /// The thing that a commit has under a name.
  enum Content {
    /// A file, by the id of its bytes.
    case file(id: String, bytes: [UInt8])
    /// A folder or another repository.
    case folder
    case missing
  }

  private let repository: GitRepository
  private let process: ChildProcess
  private var unread: [UInt8] = []

  init(_ repository: GitRepository) throws {
    self.repository = repository
    process = try repository.start(["cat-file", "--batch"])
  }

  /// - Parameter path: from the root of the repository, without line ends.
  /// - Throws: `Refusal` if git does not answer, or the file has more bytes than a document may have.
  func content(of path: String, in commit: String) throws -> Content {
    let name = "\(commit):\(path)"
    guard process.write(Array((name + "\n").utf8)) else { throw silence(about: name) }
    let line = try line(about: name)
    let words = line.split(separator: " ")
    guard words.count == 3, let size = Int(words[2]) else {
      guard line.hasSuffix(" missing") else { throw silence(about: "\(name): \(line)") }
      return .missing
    }
    let bytes = try take(size, about: name)
    _ = try take(1, about: name)
    guard words[1] == "blob" else { return .folder }
    return .file(id: String(words[0]), bytes: bytes)
  }

  private func line(about name: String) throws -> String {
    while true {
      if let end = unread.firstIndex(of: 0x0A) {
        let line = String(decoding: unread[..<end], as: UTF8.self)
        unread.removeFirst(end + 1)
        return line
      }
      try more(about: name)
    }
  }

  private func take(_ count: Int, about name: String) throws -> [UInt8] {
    guard count <= DocumentFile.sizeLimit else {
      throw Refusal("\(name) has \(count) bytes; the limit is \(DocumentFile.sizeLimit)")
    }
    while unread.count < count { try more(about: name) }
    let bytes = Array(unread[..<count])
    unread.removeFirst(count)
    return bytes
  }

  private func more(about name: String) throws {
    let bytes = process.readOutput()
    guard !bytes.isEmpty else { throw silence(about: name) }
    unread += bytes
  }

  private func silence(about name: String) -> Refusal {
    let errors =
      String(decoding: process.read { _ in }, as: UTF8.self)
      .split(separator: "\n").first.map { ": \($0)" } ?? ""
    return Refusal("\(repository.path): git does not give \(name)\(errors)")
  }
}
