import CatalogModel
import EngineCommands

/// Reads files as commits of a repository have them, by one process of git.
final class GitFiles {
  /// The thing that a commit has under a name.
  enum Content {
    /// A file, by the id of its bytes.
    case file(id: String, bytes: [UInt8])
    case folder
    case symbolicLink
    /// The folder of another repository, of which a commit has no more than an id.
    case submodule
    case missing
  }

  private let repository: GitRepository
  private let process: ChildProcess
  private let limit: Int
  private var unread: [UInt8] = []

  /// - Parameter limit: the most bytes that a file may have.
  init(_ repository: GitRepository, limit: Int = DocumentFile.sizeLimit) throws {
    self.repository = repository
    self.limit = limit
    process = try repository.start(["cat-file", "--batch"])
  }

  /// - Parameter path: from the root of the repository, without line ends.
  /// - Throws: `Refusal` if git does not answer, `DocumentError` if the file has too many bytes.
  func content(of path: String, in commit: String) throws -> Content {
    let name = "\(commit):\(path)"
    // A blob does not say whether it is a file or a link: its folder does.
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let folder = "\(commit):" + parts.dropLast().joined(separator: "/")
    guard let tree = try object(folder), tree.type == "tree",
      let entry = TreeEntry(parts.last ?? "", in: tree.bytes, idSize: tree.id.utf8.count / 2)
    else { return .missing }
    switch entry.mode {
    case "40000": return .folder
    case "120000": return .symbolicLink
    case "160000": return .submodule
    default:
      guard let object = try object(entry.id, about: name) else { throw silence(about: name) }
      return .file(id: entry.id, bytes: object.bytes)
    }
  }

  /// An object of the repository; nil if there is none of a name.
  private func object(
    _ wanted: String, about name: String? = nil
  ) throws -> (id: String, type: String, bytes: [UInt8])? {
    let name = name ?? wanted
    guard process.write(Array((wanted + "\n").utf8)) else { throw silence(about: name) }
    let line = try line(about: name)
    let words = line.split(separator: " ")
    guard words.count == 3, let size = Int(words[2]) else {
      guard line.hasSuffix(" missing") else { throw silence(about: "\(name): \(line)") }
      return nil
    }
    let bytes = try take(size, about: name)
    return (String(words[0]), String(words[1]), bytes)
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

  /// The bytes of an object, which a line end follows.
  private func take(_ count: Int, about name: String) throws -> [UInt8] {
    guard count <= limit else {
      // The next answer comes after them.
      var rest = count + 1
      while rest > unread.count {
        rest -= unread.count
        unread = []
        try more(about: name)
      }
      unread.removeFirst(rest)
      throw DocumentError(
        code: .fileTooLarge, file: name, message: "the file has \(count) bytes",
        advice: "the limit is \(limit)")
    }
    while unread.count <= count { try more(about: name) }
    let bytes = Array(unread[..<count])
    unread.removeFirst(count + 1)
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

/// A name in a folder, as git's object of the folder has it: the mode, a space, the name, a byte 0 and the id.
private struct TreeEntry {
  /// `100644` is a file.
  let mode: Substring
  /// In hexadecimal digits.
  let id: String

  /// - Parameter idSize: the bytes of an id.
  /// - Returns: nil if the folder does not have the name.
  init?(_ name: Substring, in tree: [UInt8], idSize: Int) {
    let wanted = Array(name.utf8)
    var rest = tree[...]
    while let space = rest.firstIndex(of: 0x20), let end = rest[space...].firstIndex(of: 0),
      end + idSize < rest.endIndex
    {
      let next = end + 1 + idSize
      if rest[(space + 1)..<end].elementsEqual(wanted) {
        mode = Substring(decoding: rest[..<space], as: UTF8.self)
        id = rest[(end + 1)..<next].map { byte in
          (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        return
      }
      rest = rest[next...]
    }
    return nil
  }
}
