public import CatalogEngine
import CatalogModel
import CatalogStore
import Projections
import Support

public import struct Foundation.UUID

/// Where a pack's manifest comes from.
public enum ManifestSource: Sendable {
  case file(any FilePlace)
  /// Bytes at hand; the name stands in errors.
  case bytes([UInt8], name: String)
}

/// What a manifest came to.
public struct ManifestReport: Hashable, Sendable {
  /// A file that a manifest lists, and the item that it is of.
  public struct Asset: Hashable, Sendable {
    public let id: UUID
    public let itemID: UUID
    /// The item's title; empty if the catalog no longer has the item.
    public let title: String
  }

  /// How the assets differ from those of the manifest that was applied before.
  public struct Changes: Hashable, Sendable {
    /// In the order of the manifest.
    public let came: [Asset]
    /// In the order of their ids.
    public let went: [Asset]
    /// Assets with another file, address or item, in the order of the manifest.
    public let changed: [Asset]
  }

  public let packID: UUID
  public let version: Int
  public let assets: Int
  public let outcome: ChangeOutcome
  /// Why the database does not have the events yet; nil if it does.
  public let failure: String?
  /// How many events were appended, or would be; 0 if this manifest was applied already.
  public let events: Int
  /// The log's last sequence afterwards.
  public let sequence: UInt64
  /// JSON paths of keys that this release does not know, and that were ignored.
  public let ignoredKeys: [String]
  /// Sentences about what the manifest says that cannot be right, and what counts in its place.
  public let remarks: [String]
  /// The version of the manifest that was applied before; nil if none was.
  public let versionBefore: Int?
  /// The assets that came, went and changed since then; empty if this manifest was applied already. Nil if the assets of the
  /// manifest before are not known: an earlier release applied it, and its files are not on this machine.
  public let changes: Changes?
}

extension ManifestReport {
  fileprivate init(
    _ document: ManifestDocument, _ planned: ManifestImporter.Planned, _ outcome: ChangeOutcome,
    failure: String?, events: Int, sequence: UInt64
  ) {
    self.init(
      packID: UUID(document.packID), version: Int(document.version),
      assets: document.assets.count, outcome: outcome, failure: failure, events: events,
      sequence: sequence, ignoredKeys: document.ignoredKeys,
      remarks: document.remarks + planned.remarks,
      versionBefore: planned.versionBefore.map { Int($0) }, changes: planned.changes)
  }
}

/// A manifest that was read and checked, with the hash of its content.
struct LoadedManifest: Sendable {
  let name: String
  let document: ManifestDocument
  /// 64 hex digits.
  let hash: String

  /// - Parameter rows: the projection, which knows the pack's kind.
  init(_ source: ManifestSource, rows: ProvedRows) throws {
    let bytes: [UInt8]
    let name: String
    switch source {
    case .file(let place):
      name = try place.filePath()
      bytes = try DocumentFile.load(name, limit: ManifestDocumentReader.sizeLimit)
    case .bytes(let document, let title):
      name = title
      bytes = document
    }
    self.name = name
    // The reader throws errors of documents alone: one of the database is kept for afterwards.
    var failure: (any Error)?
    func kind(of pack: EntityID) -> Kind? {
      do {
        return try rows.row(of: PackRow.table, key: pack)?.kind.itemKind
      } catch {
        failure = error
        return nil
      }
    }
    let result = Result { try ManifestDocumentReader.read(bytes, file: name, kindOfPack: kind) }
    if let failure { throw failure }
    document = try result.get()
    hash = Hex.string(SHA256.hash(data: document.canonicalContent))
  }
}

/// Brings the manifests of packs into a catalog, as events.
public struct ManifestImporter: Sendable {
  private let library: SoundLibrary

  init(_ library: SoundLibrary) {
    self.library = library
  }

  /// Accepts a manifest: its tags are in facets and filters at once, new values among them. Nothing is
  /// downloaded.
  ///
  /// - Throws: `DocumentError` if it is refused, and then nothing has changed: no manifest, no pack or
  ///   item of this catalog, a lower version than was applied, the same version with other content.
  @discardableResult
  public func apply(_ source: ManifestSource) async throws -> ManifestReport {
    try await Blocking.run {
      let manifest = try load(source)
      let (report, planned) = try applied(manifest)
      return ManifestReport(
        manifest.document, planned, report.outcome, failure: report.failure, events: report.events,
        sequence: report.sequence)
    }
  }

  /// Plans what `apply` would append, and appends nothing.
  ///
  /// - Returns: `applied` with the number of events, or `unchanged`.
  /// - Throws: as `apply`.
  public func planned(_ source: ManifestSource) async throws -> ManifestReport {
    try await Blocking.run {
      let manifest = try load(source)
      let before = try assets(before: manifest)
      let (planned, sequence) = try library.opened.readProvedAtHead(loading: []) { rows, head in
        (try Planned(manifest, rows, before), head.sequence)
      }
      let events = planned.events.count
      return ManifestReport(
        manifest.document, planned, events == 0 ? .unchanged : .applied, failure: nil,
        events: events, sequence: sequence)
    }
  }

  /// A plan that was made, and what its report says.
  fileprivate struct Planned: Sendable {
    let events: [SoundEvent]
    let versionBefore: Int64?
    let changes: ManifestReport.Changes?
    let remarks: [String]

    init(_ manifest: LoadedManifest, _ rows: ProvedRows, _ before: AssetsBefore) throws {
      var plan = ManifestPlan(manifest, rows: rows, before: before)
      try plan.run()
      events = plan.events
      versionBefore = plan.versionBefore
      changes = try plan.changes.map { try plan.titled($0) }
      remarks =
        before.failure.map { ["the assets of the manifest before are unknown: \($0)"] } ?? []
    }
  }

  func load(_ source: ManifestSource) throws -> LoadedManifest {
    try library.readProved { try LoadedManifest(source, rows: $0) }
  }

  /// Looks whether the pack still has the items that a manifest of it names, and no other pack its assets:
  /// the catalog may have changed since it was applied.
  func check(_ manifest: LoadedManifest) throws {
    _ = try library.readProved { try ManifestPlan(manifest, rows: $0).check() }
  }

  /// - Parameter wait: for another writer; nil for what the catalog was opened with.
  func apply(_ manifest: LoadedManifest, wait: Duration? = nil) throws -> ChangeReport {
    try applied(manifest, wait: wait).report
  }

  private func applied(
    _ manifest: LoadedManifest, wait: Duration? = nil
  ) throws -> (report: ChangeReport, planned: Planned) {
    let before = try assets(before: manifest)
    let by = ManifestPlan.source(of: manifest.document.packID)
    let (report, planned) = try library.changing(by: by, wait: wait) { rows in
      let planned = try Planned(manifest, rows, before)
      return PlannedChange(planned.events, value: planned)
    }
    return (report, planned)
  }

  /// The assets of the manifest that was applied before, if this one may follow it: else none are needed.
  private func assets(before manifest: LoadedManifest) throws -> AssetsBefore {
    let document = manifest.document
    let known = try library.readProved {
      try $0.row(of: AppliedManifest.table, key: document.packID)
    }
    guard let known, known.sha256 != manifest.hash else { return .nothing }
    return try AssetsBefore.read(known, in: library.log.reader)
  }
}
