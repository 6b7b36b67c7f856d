import Foundation
import Support

/// The folder of compressed past states that earlier releases kept in a catalog. The history took their place.
struct EarlierSnapshots {
  static let name = "snapshots"
  private let folder: String

  init(_ directory: CatalogDirectory) {
    folder = directory.snapshots
  }

  /// One line for the folder, and one for each file that a killed command left in it.
  var findings: [CatalogFinding] {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      return []
    }
    var findings = names.sorted().filter(Self.isLeft).map {
      CatalogFinding(
        .leftovers, .unfinishedFile, "\(Self.name)/\($0)", "a file that a command did not finish",
        "the next command that writes removes it")
    }
    if names.isEmpty || names.contains(where: Self.isSnapshot) {
      let isAlone = names.allSatisfy { Self.isSnapshot($0) || Self.isLeft($0) }
      findings.note(
        .leftovers, .earlierSnapshots, Self.name,
        "it is of an earlier release, and nothing reads it",
        isAlone
          ? "remove it: `rm -r \(Self.name)` in the folder of the catalog"
          : "remove its snapshots: `rm \(Self.name)/*\(Self.suffix)` in the folder of the catalog")
    }
    return findings
  }

  /// Removes from the folder what dead processes left.
  func sweep() {
    UnfinishedFiles.sweep(folder, where: Self.isLeft)
  }

  private static let suffix = ".sqlite.zst"

  private static func isSnapshot(_ name: String) -> Bool { name.hasSuffix(suffix) }

  /// Whether a name is that of a file whose process is dead; version 0.1.0 did not put its number there.
  private static func isLeft(_ name: String) -> Bool {
    UnfinishedFiles.isLeft(name) || name.hasSuffix(".unfinished")
  }
}
