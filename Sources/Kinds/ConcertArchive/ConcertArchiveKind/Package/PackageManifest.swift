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

  private static let keys = JSONKeyTable<Key>()
  private static let packageKeys = JSONKeyTable<PackageKey>()
  private static let buildKeys = JSONKeyTable<BuildKey>()

  init(_ parser: inout PackageParser) throws(JSONError) {
    var name: String?
    var version: String?
    var versionType: String?
    var created: String?
    var isPresent = false
    var object = try parser.json.openObject()
    while let key = try parser.json.nextKey(in: &object) {
      switch Self.keys.match(key, in: parser.json) {
      case .package:
        isPresent = true
        var package = try parser.json.openObject()
        while let key = try parser.json.nextKey(in: &package) {
          switch Self.packageKeys.match(key, in: parser.json) {
          case .name: name = try parser.text(TextRules.title)
          case .version: version = try parser.text(TextRules.name)
          case .versionType: versionType = try parser.optionalText(TextRules.name)
          case .description: description = try parser.optionalText(TextRules.verbatim)
          case .created: created = try parser.optionalText(TextRules.name)
          case nil: try parser.json.skipValue()
          }
        }
        guard name != nil else { throw parser.missing("name", at: package.offset) }
        guard version != nil else { throw parser.missing("version", at: package.offset) }
      case .buildInfo:
        if try parser.json.readNull() { continue }
        var build = try parser.json.openObject()
        while let key = try parser.json.nextKey(in: &build) {
          switch Self.buildKeys.match(key, in: parser.json) {
          case .gitCommit: gitCommit = try parser.optionalText(TextRules.name)
          case .gitTag: gitTag = try parser.optionalText(TextRules.name)
          case .buildTimestamp: buildTimestamp = try parser.optionalText(TextRules.name)
          case nil: try parser.json.skipValue()
          }
        }
      case nil: try parser.json.skipValue()
      }
    }
    guard isPresent, let name, let version else {
      throw parser.missing("package", at: object.offset)
    }
    self.name = name
    self.version = version
    // Earlier packages say neither; all of them were releases.
    self.versionType = versionType ?? "release"
    buildTimestamp = buildTimestamp ?? created
  }
}
