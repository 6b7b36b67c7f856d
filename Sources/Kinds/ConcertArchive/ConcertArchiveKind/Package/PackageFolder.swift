import CatalogModel
import Foundation
import Hashing
import Threads

/// Reads a package from the folder into which it was unpacked.
package struct PackageFolder {
  private let path: String

  /// Larger files are refused before anything of them is read.
  static let fileLimit = 16 << 20

  /// - Parameter path: holds `manifest.json`, `collections.json`, `shows/*.json` and `recordings/*.json`.
  package init(_ path: String) {
    self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// Reads all of it.
  ///
  /// - Parameter progress: called with how many files were read, of how many; on the thread that calls.
  /// - Throws: `DocumentError` for the first thing that is wrong, by file and place; `NoThread`.
  package func read(_ progress: (Int, Int) -> Void = { _, _ in }) throws -> ConcertPackage {
    try PackageListing.requireFolder(path)
    let manifest = try file("manifest.json")
    let manifestFacts = try PackageParser.read(manifest.bytes, file: manifest.path) {
      (parser) throws(JSONError) in
      try PackageManifest(&parser)
    }
    let showNames = try PackageListing.names(in: path + "/shows")
    let recordingNames = try PackageListing.names(in: path + "/recordings")
    for name in recordingNames where !RecordingIdentifier.isFileName(name) {
      throw DocumentError(
        code: .invalidValue, file: "\(path)/recordings/\(name).json",
        message: "the name is not an identifier of a recording",
        advice: RecordingIdentifier.advice)
    }
    let collectionsFile = try file("collections.json")

    let total = showNames.count + recordingNames.count
    let recordingSet = Set(recordingNames)
    let shows = try parts(
      showNames, "shows",
      parse: { bytes, file, name in
        try ShowParser.read(bytes, file: file, name: name, recordings: recordingSet)
      }, progress: { progress($0, total) })
    try requireDifferent(shows.map(\.value.showID))
    let recordings = try parts(
      recordingNames, "recordings",
      parse: { bytes, file, name in
        try RecordingParser.read(bytes, file: file, identifier: name)
      }, progress: { progress(shows.count + $0, total) })
    let showIDs = Set(shows.map(\.value.showID))
    let collections = try CollectionsParser.read(
      collectionsFile.bytes, file: collectionsFile.path, shows: showIDs.contains)

    let listed = Set(shows.flatMap(\.value.recordings))
    let files =
      [manifest.part("manifest.json"), collectionsFile.part("collections.json")]
      + recordings.map(\.part) + shows.map(\.part)
    return ConcertPackage(
      path: path,
      imported: ImportedPackage(
        version: manifestFacts.version, packageName: manifestFacts.name,
        versionType: manifestFacts.versionType, description: manifestFacts.description,
        gitCommit: manifestFacts.gitCommit, gitTag: manifestFacts.gitTag,
        buildTimestamp: manifestFacts.buildTimestamp, sha256: Self.hash(of: files),
        counts: ImportedPackage.Counts(
          shows: Int64(shows.count), recordings: Int64(listed.count),
          collections: Int64(collections.count),
          venues: Int64(Set(shows.map { Venue($0.value) }).count),
          files: Int64(files.count), bytes: files.reduce(0) { $0 + $1.size }),
        unlisted: recordingNames.filter { !listed.contains($0) }),
      shows: shows.map(\.value),
      recordings: recordings.map(\.value).filter { listed.contains($0.identifier) },
      collections: collections)
  }

  // MARK: Files

  /// A file's place in the package's hash.
  private struct Part {
    let name: String
    let sha256: [UInt8]
    let size: Int64
  }

  private struct LoadedFile {
    let path: String
    let bytes: [UInt8]

    func part(_ name: String) -> Part {
      Part(name: name, sha256: Array(SHA256.hash(data: bytes)), size: Int64(bytes.count))
    }
  }

  private struct Read<Value> {
    let value: Value
    let part: Part
  }

  private func file(_ name: String) throws(DocumentError) -> LoadedFile {
    let path = "\(path)/\(name)"
    try PackageListing.requireNoLink(path)
    do {
      return LoadedFile(
        path: path, bytes: try DocumentFile.load(path, limit: Self.fileLimit))
    } catch  where error.code == .fileMissing {
      throw DocumentError(
        code: .fileMissing, file: path, message: "the file does not exist",
        advice: "unpack the whole package, and name the folder that has manifest.json")
    }
  }

  /// Reads the files of a folder by several threads.
  private func parts<Value: Sendable>(
    _ names: [String], _ folder: String,
    parse: @escaping @Sendable ([UInt8], String, String) throws -> Value, progress: (Int) -> Void
  ) throws -> [Read<Value>] {
    let threads = max(1, min(ProcessInfo.processInfo.activeProcessorCount, 8))
    let folderPath = "\(path)/\(folder)"
    var read: [Read<Value>] = []
    read.reserveCapacity(names.count)
    // A few rounds, between which progress is shown.
    for round in names.split(every: max(1, min(4_096, names.count))) {
      let slices = round.split(every: (round.count + threads - 1) / threads)
      let works = try slices.map { slice in
        try BackgroundWork<[Read<Value>]> {
          try slice.map { name in
            let file = "\(folderPath)/\(name).json"
            let bytes = try DocumentFile.load(file, limit: Self.fileLimit)
            return Read(
              value: try parse(bytes, file, name),
              part: Part(
                name: "\(folder)/\(name).json", sha256: Array(SHA256.hash(data: bytes)),
                size: Int64(bytes.count)))
          }
        }
      }
      // All end before an error is thrown, of which the first by name counts.
      for work in works { work.wait() }
      for work in works { read += try work.value() }
      progress(read.count)
    }
    return read
  }

  /// A file system may know two spellings of one name.
  private func requireDifferent(_ ids: [String]) throws(DocumentError) {
    var seen: Set<String> = []
    for id in ids where !seen.insert(id).inserted {
      throw DocumentError(
        code: .duplicateValue, file: "\(path)/shows/\(id).json", path: "$.show_id",
        value: "\"\(id)\"",
        message: "is the id of two files", advice: "remove one of them")
    }
  }

  /// SHA-256 of what `sha256sum` prints for the files in the order of their names' bytes.
  private static func hash(of files: [Part]) -> String {
    var hash = SHA256()
    for file in files.sorted(by: { $0.name.isBefore($1.name) }) {
      hash.update(data: Array("\(Hex.string(file.sha256))  \(file.name)\n".utf8))
    }
    return Hex.string(hash.finalize())
  }
}

/// What makes a venue another one.
private struct Venue: Hashable {
  let name: String
  let city, state, country: String?

  init(_ show: ShowFacts) {
    name = show.venue
    city = show.city
    state = show.state
    country = show.country
  }
}

extension Array {
  /// Slices of a length; the last may be shorter.
  fileprivate func split(every length: Int) -> [[Element]] {
    stride(from: 0, to: count, by: Swift.max(1, length)).map {
      Array(self[$0..<Swift.min($0 + length, count)])
    }
  }
}
