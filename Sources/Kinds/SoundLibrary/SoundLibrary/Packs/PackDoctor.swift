import CatalogModel
import CatalogStore
import Downloads
import Projections
import Support

public import struct Foundation.UUID

/// A difference between what the catalog says of the files of packs and what is there.
public struct PackFinding: Hashable, Sendable {
  public enum Problem: String, Hashable, Sendable {
    /// The catalog says that the file is installed, and there is none.
    case missing
    /// A link, a folder or something else has the name of an installed file.
    case notAFile
    case wrongSize
    case wrongHash
    /// A download that failed or was interrupted, and can be gone on with.
    case unfinished
    /// A file in a folder of ours that belongs to nothing.
    case stray
    /// A file or folder that cannot be looked at.
    case unusable
  }

  public let problem: Problem
  /// Nil where it is of no pack.
  public let packID: UUID?
  /// Relative to the catalog's folder; nil if it is of a whole pack.
  public let path: String?
  /// What is wrong, for a person.
  public let message: String
  /// What to do about it, or what happens by itself.
  public let remedy: ErrorMessage
}

/// Compares the files of packs with what the log says of them. Changes nothing.
///
/// Rows that are not proved say nothing of files: no finding rests on them, since what mends a finding may be to
/// remove a file.
public struct PackDoctor: Sendable {
  private let directory: CatalogDirectory
  private let rows: any ProvedRowsSource
  private let calls: any FolderCalls

  init(_ catalog: SoundLibrary) {
    self.init(catalog.directory, catalog.opened.projection, calls: catalog.options.folderCalls)
  }

  init(
    _ directory: CatalogDirectory, _ rows: any ProvedRowsSource,
    calls: any FolderCalls = RealFolderCalls()
  ) {
    self.directory = directory
    self.rows = rows
    self.calls = calls
  }

  /// - Parameter hashing: whether to read every file and compare its SHA-256; else lengths alone are.
  /// - Returns: in the order of packs and paths; empty where all is well.
  /// - Throws: `StoreError` with `drifted` or `stale`.
  public func findings(hashing: Bool = false) async throws -> [PackFinding] {
    try await Blocking.run { try look(hashing) }
  }

  func look(_ hashing: Bool) throws -> [PackFinding] {
    let folders = try PackFolders(directory, calls)
    let packs = try rows.readProved(PackWithFiles.all)
    let ids = Set(packs.map(\.id))
    var findings: [PackFinding] = []
    for rows in packs {
      findings += unfinished(rows, folders)
      do {
        findings += try Self.damage(of: rows, folders, hashing: hashing)
        findings += try strays(rows, folders)
      } catch let failure as DownloadFailure {
        findings.append(unusable(failure, rows.id))
      }
    }
    for name in [PackFolders.audioName, PackFolders.stagingName] {
      let present: [EntityID]
      let others: [String]
      do {
        (present, others) = try folders.packs(in: name)
      } catch {
        findings.append(unusable(error, nil))
        continue
      }
      let unknown = present.filter { !ids.contains($0) }.map(\.description) + others
      findings += unknown.sorted().map { entry in
        PackFinding(
          problem: .stray, packID: nil, path: "\(name)/\(entry)",
          message: "belongs to no pack of this catalog", remedy: "remove it by hand")
      }
    }
    return findings
  }

  /// What is wrong with the installed files of a pack.
  static func damage(
    of rows: PackWithFiles, _ folders: PackFolders, hashing: Bool
  ) throws -> [PackFinding] {
    let audio = try folders.audio(rows.id, isMade: false)
    let staging = try folders.staging(rows.id, isMade: false)
    /// Of an installation that was committed: whoever works on packs next moves it.
    func isStaged(_ asset: LocalAsset) throws -> Bool {
      guard let name = asset.fileName, let bytes = asset.bytes else { return false }
      return try staging?.entry(name) == .file(bytes: bytes)
    }
    return try rows.assets.compactMap { asset in
      func finding(_ problem: PackFinding.Problem, _ message: String) -> PackFinding {
        PackFinding(
          problem: problem, packID: UUID(rows.id), path: asset.path, message: message,
          remedy: "\(do: .repair(pack: rows.id))")
      }
      guard let name = asset.fileName, let audio, let entry = try audio.entry(name)
      else {
        return finding(
          .missing, try isStaged(asset) ? "it is not moved into place yet" : "the file is missing")
      }
      guard case .file(let bytes) = entry else {
        return finding(.notAFile, "is not a file; remove it first")
      }
      if let wanted = asset.bytes, wanted != bytes {
        return finding(.wrongSize, "has \(bytes) bytes, should have \(wanted)")
      }
      if hashing, let wanted = asset.sha256,
        let found = try FileDigest.digest(of: name, in: audio)?.sha256, found != wanted
      {
        return finding(.wrongHash, "has SHA-256 \(found), should have \(wanted)")
      }
      return nil
    }
  }

  private func unusable(_ failure: DownloadFailure, _ pack: EntityID?) -> PackFinding {
    PackFinding(
      problem: .unusable, packID: pack.map { UUID($0) }, path: nil, message: failure.message,
      remedy: "check its permissions, then try again")
  }

  private func unfinished(_ rows: PackWithFiles, _ folders: PackFolders) -> [PackFinding] {
    func finding(_ message: String) -> [PackFinding] {
      [
        PackFinding(
          problem: .unfinished, packID: UUID(rows.id), path: nil, message: message,
          remedy: "\(do: .repair(pack: rows.id))")
      ]
    }
    switch rows.state {
    case .failed: return finding("the download failed: \(rows.lastError ?? "")")
    case .downloading:
      do {
        if try folders.isLocked(rows.id) { return [] }
      } catch {
        // Nobody can lock it here, so nobody here downloads it.
      }
      return finding("the download was interrupted")
    case .downloaded, .notDownloaded: return []
    }
  }

  /// Files in the pack's folder that no row names.
  private func strays(_ rows: PackWithFiles, _ folders: PackFolders) throws -> [PackFinding] {
    guard let audio = try folders.audio(rows.id, isMade: false) else { return [] }
    let known = Set(rows.assets.compactMap { $0.fileName })
    return try audio.names().filter { !known.contains($0) }.map { name in
      PackFinding(
        problem: .stray, packID: UUID(rows.id), path: PackFolders.path(name, of: rows.id),
        message: "belongs to nothing",
        remedy: PackFolders.isOurs(name)
          ? "the next download or deletion of the pack removes it" : "remove it by hand")
    }
  }
}
