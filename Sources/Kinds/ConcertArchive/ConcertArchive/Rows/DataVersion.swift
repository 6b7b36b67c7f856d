public import Projections

/// The package that was imported last: one row.
public struct DataVersion: Equatable, Sendable {
  public var id: Int64
  public var dataVersion: String
  public var packageName: String
  public var versionType: String
  public var description: String?
  public var importedAt: Int64
  public var gitCommit: String?
  public var gitTag: String?
  public var buildTimestamp: String?
  public var totalShows: Int64
  public var totalVenues: Int64
  public var totalFiles: Int64
  public var totalSizeBytes: Int64

  public static let table = TypedTable(
    "data_version", key: ["id"],
    Field(
      "id", \DataVersion.id, check: "id = 1",
      sql: "INTEGER PRIMARY KEY NOT NULL DEFAULT 1 CHECK (id = 1)"),
    Field("data_version", \DataVersion.dataVersion),
    Field("package_name", \DataVersion.packageName),
    Field("version_type", \DataVersion.versionType),
    Field("description", \DataVersion.description, sql: "TEXT"),
    Field("imported_at", \DataVersion.importedAt, isTime: true),
    Field("git_commit", \DataVersion.gitCommit, sql: "TEXT"),
    Field("git_tag", \DataVersion.gitTag, sql: "TEXT"),
    Field("build_timestamp", \DataVersion.buildTimestamp, sql: "TEXT"),
    Field("total_shows", \DataVersion.totalShows, default: .integer(0)),
    Field("total_venues", \DataVersion.totalVenues, default: .integer(0)),
    Field("total_files", \DataVersion.totalFiles, default: .integer(0)),
    Field("total_size_bytes", \DataVersion.totalSizeBytes, default: .integer(0)),
    make: DataVersion.init)
}

/// What tells one package's bytes from another's, and the recordings in it that no show lists.
package struct PackageContent: Equatable, Sendable {
  var id: Int64
  package var sha256: String
  /// A JSON array of identifiers.
  package var unlistedJSON: String

  package static let table = TypedTable(
    "projection_package", key: ["id"],
    Field("id", \PackageContent.id), Field("sha256", \PackageContent.sha256),
    Field("unlisted_json", \PackageContent.unlistedJSON), make: PackageContent.init)
}
