import CatalogModel

/// What `manifest.json` says of a package.
struct PackageManifest {
  var name: String
  var version: String
  var versionType: String
  var description: String?
  var gitCommit: String?
  var gitTag: String?
  var buildTimestamp: String?

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

  static func read(_ bytes: [UInt8], file: String) throws(DocumentError) -> PackageManifest {
    try DocumentReader.read(bytes, file: file, rules: PackageFormat.rules) {
      PackageManifest(&$0)
    }
  }

  /// Nil if the document has a fault.
  private init?(_ document: inout DocumentReader) {
    var name: String?
    var version: String?
    var versionType: String?
    var created: String?
    guard var object = document.object() else { return nil }
    while let key = document.next(in: &object, Self.keys) {
      switch key {
      case .package:
        guard var package = document.object() else { continue }
        while let key = document.next(in: &package, Self.packageKeys) {
          switch key {
          case .name: name = document.text(TextRules.title)
          case .version: version = document.text(TextRules.name)
          case .versionType: versionType = document.optionalText(TextRules.name)
          case .description: description = document.optionalText(TextRules.verbatim)
          case .created: created = document.optionalText(TextRules.name)
          }
        }
      case .buildInfo:
        if document.null() { continue }
        guard var build = document.object() else { continue }
        while let key = document.next(in: &build, Self.buildKeys) {
          switch key {
          case .gitCommit: gitCommit = document.optionalText(TextRules.name)
          case .gitTag: gitTag = document.optionalText(TextRules.name)
          case .buildTimestamp: buildTimestamp = document.optionalText(TextRules.name)
          }
        }
      }
    }
    guard let name, let version else { return nil }
    self.name = name
    self.version = version
    // Earlier packages say neither; all of them were releases.
    self.versionType = versionType ?? "release"
    buildTimestamp = buildTimestamp ?? created
  }
}
