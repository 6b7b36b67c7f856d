import CatalogModel

/// Reads `manifest.json`.
enum PackageManifest {
  private enum Key: String, CaseIterable {
    case package
    case buildInfo = "build_info"
  }

  private enum PackageKey: String, CaseIterable {
    case name, version, description, created
    case versionType = "version_type"
  }

  private enum BuildKey: String, CaseIterable {
    case gitCommit = "git_commit"
    case gitTag = "git_tag"
    case buildTimestamp = "build_timestamp"
  }

  private static let keys = JSONKeyTable<Key>(required: [.package])
  private static let packageKeys = JSONKeyTable<PackageKey>(required: [.name, .version])
  private static let buildKeys = JSONKeyTable<BuildKey>()

  /// - Returns: the package without what the other files say: its hash, its counts and what no show lists.
  static func read(_ bytes: [UInt8], file: String) throws(DocumentError) -> ImportedPackage {
    try DocumentReader.read(bytes, file: file, rules: PackageFormat.rules) { package(&$0) }
  }

  private static func package(_ document: inout DocumentReader) -> ImportedPackage? {
    // Earlier packages do not say their type; all of them were releases.
    var package = ImportedPackage(
      version: "", packageName: "", versionType: "release", sha256: "",
      counts: ImportedPackage.Counts(
        shows: 0, recordings: 0, collections: 0, venues: 0, files: 0, bytes: 0),
      unlisted: [])
    var created: String?
    guard var object = document.object() else { return nil }
    while let key = document.next(in: &object, keys) {
      switch key {
      case .package:
        guard var members = document.object() else { continue }
        while let key = document.next(in: &members, packageKeys) {
          switch key {
          // What is nil here was noted as a fault, and there is no package then.
          case .name: package.packageName = document.text(TextRules.title) ?? ""
          case .version: package.version = document.text(TextRules.name) ?? ""
          case .versionType:
            package.versionType = document.optionalText(TextRules.name) ?? "release"
          case .description: package.description = document.optionalText(TextRules.verbatim)
          case .created: created = document.optionalText(TextRules.name)
          }
        }
      case .buildInfo:
        if document.null() { continue }
        guard var build = document.object() else { continue }
        while let key = document.next(in: &build, buildKeys) {
          switch key {
          case .gitCommit: package.gitCommit = document.optionalText(TextRules.name)
          case .gitTag: package.gitTag = document.optionalText(TextRules.name)
          case .buildTimestamp: package.buildTimestamp = document.optionalText(TextRules.name)
          }
        }
      }
    }
    package.buildTimestamp = package.buildTimestamp ?? created
    return package
  }
}
