import Foundation
import Support

/// Files of work that did not come to its end, and what was kept aside for a person to look at.
struct Leftovers {
  private let directory: CatalogDirectory

  init(_ directory: CatalogDirectory) {
    self.directory = directory
  }

  func findings() -> [CatalogFinding] {
    var findings: [CatalogFinding] = []
    func note(
      _ problem: CatalogFinding.Problem, _ path: String, _ message: ErrorMessage,
      _ remedy: ErrorMessage = "the next command that writes removes it"
    ) {
      findings.note(.leftovers, problem, path, message, remedy)
    }
    for name in names(directory.path) {
      if let process = Self.suffix(name, behind: CatalogDirectory.rebuildPrefix).flatMap(Int32.init)
      {
        // A rebuild that is still at work.
        guard kill(process, 0) != 0, errno == ESRCH else { continue }
        note(.unfinishedFile, name, "a rebuild did not finish")
      } else if UnfinishedFiles.isLeft(name) {
        note(.unfinishedFile, name, "a file that a command did not finish")
      } else if name.hasPrefix("catalog.sqlite.unusable-") {
        note(
          .keptAside, name, "a database that could not be used was moved aside",
          "inspect it, then remove it by hand")
      }
    }
    for name in names(directory.events) {
      if name.hasPrefix("."), name.hasSuffix(".jsonl.zst.new") {
        note(.unfinishedFile, "events/\(name)", "an unfinished segment; it is never read")
      } else if name.contains(".jsonl.zst.torn-") {
        note(
          .tornCopy, "events/\(name)",
          "bytes of a write that a crash interrupted, which recovery saved",
          "inspect them with `zstd -dc`, then remove the file by hand")
      }
    }
    return findings
  }

  private static func suffix(_ name: String, behind prefix: String) -> String? {
    name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : nil
  }

  /// Empty if there is no such folder, or it cannot be listed: the log's own check says so.
  private func names(_ folder: String) -> [String] {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      return []
    }
    return names.sorted()
  }
}
