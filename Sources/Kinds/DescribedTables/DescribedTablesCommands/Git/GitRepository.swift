import CatalogModel
import EngineCommands
import Foundation

/// A git repository, asked by the program `git`. Nothing is checked out, and nothing in it changes.
struct GitRepository {
  /// As the caller named it.
  let path: String
  /// The folder in the repository that `path` is, with a slash at its end; empty for the whole.
  private let prefix: String
  /// Whether older commits are missing.
  let isShallow: Bool

  /// - Throws: `Refusal` if the folder is not in a repository, or git is not installed.
  init(_ path: String) throws {
    let facts = try Self.run(
      ["rev-parse", "--is-shallow-repository", "--show-prefix"], in: path, "open the repository")
    let lines = facts.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    self.path = path
    isShallow = lines.first == "true"
    prefix = lines.count > 1 ? String(lines[1].dropLast()) : ""
  }

  /// The id of a commit.
  ///
  /// - Parameter revision: an id, a part of one, a branch or a tag.
  /// - Throws: `Refusal` if the repository has none.
  func commit(_ revision: String) throws -> String {
    let named = "\"\(JSONExcerpt.printable(revision))\""
    guard !revision.hasPrefix("-") else { throw Refusal("\(path) has no commit \(named)") }
    let answer = try Self.answer(["rev-parse", "--verify", revision + "^{commit}"], in: path)
    if answer.end == .exit(0) { return answer.output.trimmingCharacters(in: .newlines) }
    // Part of an id can be that of several commits.
    let isAmbiguous = answer.errors.contains("is ambiguous")
    guard isAmbiguous || answer.errors.contains("Needed a single revision") else {
      throw answer.refusal(path, "find the commit \(named)")
    }
    throw Refusal("\(path) has \(isAmbiguous ? "several commits" : "no commit") \(named)")
  }

  /// Whether a commit is a later one, or one of those before it.
  ///
  /// - Parameter commit: an id, which the repository need not have.
  func has(_ commit: String, before tip: String) throws -> Bool {
    let answer = try Self.answer(["merge-base", "--is-ancestor", commit, tip], in: path)
    switch answer.end {
    case .exit(0): return true
    case .exit(1): return false
    case .exit where answer.errors.contains("Not a valid"): return false
    default: throw answer.refusal(path, "find the commit \(commit)")
    }
  }

  /// The name of a file in the repository, from its root.
  ///
  /// - Throws: `Refusal` if the name leads outside of it, or has a line end.
  func wholePath(_ name: String) throws -> String {
    guard !name.contains("\n") else {
      throw Refusal("\(JSONExcerpt.printable(name)): a name with a line end cannot be asked for")
    }
    var parts: [Substring] = []
    for part in (prefix + name).split(separator: "/", omittingEmptySubsequences: true) {
      if part == "." { continue }
      guard part == ".." else {
        parts.append(part)
        continue
      }
      guard parts.popLast() != nil else { throw Refusal("\(name) is outside of \(path)") }
    }
    return parts.joined(separator: "/")
  }

  /// The commits of a branch that changed a file, oldest first: those by which the branch itself went on, so that the commits
  /// of a merged branch count as the merge.
  ///
  /// - Parameters:
  ///   - file: its name from the root; if it is nil, all commits count.
  ///   - tip: the id of the branch's last commit.
  ///   - first: the id of a commit. It and those before it are left out.
  ///   - limit: how many are wanted, of the newest.
  func commits(
    changing file: String? = nil, through tip: String, after first: String? = nil,
    limit: Int? = nil
  ) throws -> [(id: String, time: Timestamp)] {
    var arguments = ["rev-list", "--first-parent", "--timestamp"]
    if let limit { arguments.append("--max-count=\(limit)") }
    arguments.append(tip)
    if let first { arguments.append("^" + first) }
    // The name is taken as it is, whatever characters it has.
    arguments += ["--"] + (file.map { [":(top,literal)" + $0] } ?? [])
    let lines = try run(arguments, "list commits").split(separator: "\n")
    return try lines.reversed().map { line in
      let words = line.split(separator: " ")
      guard words.count == 2, let seconds = Int64(words[0]) else {
        throw Refusal("\(path): git lists a commit in a way that is not known: \(line)")
      }
      let milliseconds = seconds.multipliedReportingOverflow(by: 1_000)
      return (
        String(words[1]),
        Timestamp(milliseconds: milliseconds.overflow ? .max : milliseconds.partialValue)
      )
    }
  }

  /// The names of the files of a commit.
  func files(of commit: String) throws -> [String] {
    try run(["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit], "list files")
      .split(separator: "\0").map(String.init)
  }

  // MARK: The program

  /// Starts a command of git in the repository.
  func start(_ arguments: [String]) throws -> ChildProcess { try Self.start(arguments, in: path) }

  private func run(_ arguments: [String], _ action: String) throws -> String {
    try Self.run(arguments, in: path, action)
  }

  private static func start(_ arguments: [String], in path: String) throws -> ChildProcess {
    // A hook has variables that name the repository that it is run for, and others say how names of files are read.
    let starts = ["GIT_OBJECT", "GIT_ALTERNATE"]
    var environment = ProcessInfo.processInfo.environment.filter { name, _ in
      !["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX"].contains(name)
        && !name.hasSuffix("_PATHSPECS") && !starts.contains(where: name.hasPrefix)
    }
    environment["LC_ALL"] = "C"
    guard isInstalled(environment["PATH"]) else {
      throw Refusal("--git needs the program git, which is not installed")
    }
    return try ChildProcess(
      "git", ["-C", path] + arguments, environment: environment, for: "the versions of a file")
  }

  private static func isInstalled(_ path: String?) -> Bool {
    (path ?? "/bin:/usr/bin").split(separator: ":", omittingEmptySubsequences: false)
      .contains { FileManager.default.isExecutableFile(atPath: "\($0.isEmpty ? "." : $0)/git") }
  }

  private static func run(
    _ arguments: [String], in path: String, _ action: String
  ) throws -> String {
    let answer = try answer(arguments, in: path)
    guard answer.end == .exit(0) else { throw answer.refusal(path, action) }
    return answer.output
  }

  /// The output of a command of git, and its end.
  private struct Answer {
    let output: String
    let errors: String
    let end: ChildProcess.End

    func refusal(_ path: String, _ action: String) -> Refusal {
      let reason = errors.split(separator: "\n").first ?? "no reason is known"
      return Refusal("\(path): git cannot \(action): \(reason)")
    }
  }

  private static func answer(_ arguments: [String], in path: String) throws -> Answer {
    let process = try start(arguments, in: path)
    process.closeInput()
    var output: [UInt8] = []
    let errors = process.read { output += $0 }
    return Answer(
      output: String(decoding: output, as: UTF8.self),
      errors: String(decoding: errors, as: UTF8.self), end: process.wait())
  }
}
