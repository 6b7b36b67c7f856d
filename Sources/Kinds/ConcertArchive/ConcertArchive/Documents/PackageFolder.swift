import CatalogModel
import Foundation
import Support

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
  /// - Throws: `DocumentError` with all that is wrong, in the order of the files' names; `NoThread`.
  package func read(_ progress: (Int, Int) -> Void = { _, _ in }) throws -> ConcertPackage {
    try PackageListing.requireFolder(path)
    var faults = PackageFaults()
    // Without it, the folder is most likely not the one that was meant.
    if !PackageListing.exists("\(path)/manifest.json") { _ = try file("manifest.json") }
    let manifest = faults.noting { () throws(DocumentError) in try file("manifest.json") }
    let imported = manifest.flatMap { manifest in
      faults.noting { () throws(DocumentError) in
        try PackageManifest.read(manifest.bytes, file: manifest.path)
      }
    }
    let showNames = PackageListing(path + "/shows", &faults)
    let recordingNames = PackageListing(path + "/recordings", &faults)
    for name in recordingNames.names where !RecordingIdentifier.isFileName(name) {
      faults.note(
        DocumentError(
          code: .invalidValue, file: "\(path)/recordings/\(name).json",
          message: "the name is not an identifier of a recording",
          advice: RecordingIdentifier.advice))
    }
    let collectionsFile = faults.noting { () throws(DocumentError) in
      try file("collections.json")
    }
    let collections = collectionsFile.flatMap { file in
      faults.noting { () throws(DocumentError) in
        try CollectionsParser.read(file.bytes, file: file.path, shows: showNames.mayHave)
      }
    }
    let total = showNames.names.count + recordingNames.names.count
    let shows = try parts(
      showNames.names, "shows", &faults,
      parse: { (bytes, file, name) throws(DocumentError) in
        try ShowParser.read(bytes, file: file, name: name, recordings: recordingNames.mayHave)
      }, progress: { progress($0, total) })
    noteSameIDs(of: shows.map(\.value.showID), &faults)
    let recordings = try parts(
      recordingNames.names, "recordings", &faults,
      parse: { (bytes, file, name) throws(DocumentError) in
        try RecordingParser.read(bytes, file: file, identifier: name)
      }, progress: { progress(showNames.names.count + $0, total) })
    if let error = faults.error { throw error }
    guard let manifest, var imported, let collectionsFile, let collections else {
      preconditionFailure("a file of \(path) was not read, and has no fault")
    }

    let listed = Set(shows.flatMap(\.value.recordings))
    let files =
      [manifest.part("manifest.json"), collectionsFile.part("collections.json")]
      + recordings.map(\.part) + shows.map(\.part)
    imported.sha256 = Self.hash(of: files)
    imported.counts = ImportedPackage.Counts(
      shows: Int64(shows.count), recordings: Int64(listed.count),
      collections: Int64(collections.count),
      venues: Int64(Set(shows.map { Venue($0.value) }).count), files: Int64(files.count),
      bytes: files.reduce(0) { $0 + $1.size })
    imported.unlisted = recordingNames.names.filter { !listed.contains($0) }
    return ConcertPackage(
      path: path, imported: imported, shows: shows.map(\.value),
      recordings: recordings.map(\.value).filter { listed.contains($0.identifier) },
      collections: collections)
  }

  // MARK: Files

  /// A file's place in the package's hash.
  private struct Part: Sendable {
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

  private struct Read<Value: Sendable>: Sendable {
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
    _ names: [String], _ folder: String, _ faults: inout PackageFaults,
    parse: @escaping @Sendable ([UInt8], String, String) throws(DocumentError) -> Value,
    progress: (Int) -> Void
  ) throws -> [Read<Value>] {
    let threads = max(1, min(ProcessInfo.processInfo.activeProcessorCount, 8))
    let folderPath = "\(path)/\(folder)"
    var read: [Read<Value>] = []
    read.reserveCapacity(names.count)
    var done = 0
    // A few rounds, between which progress is shown.
    for round in names.split(every: max(1, min(4_096, names.count))) {
      let slices = round.split(every: (round.count + threads - 1) / threads)
      let works = try slices.map { slice in
        try BackgroundWork<[Result<Read<Value>, DocumentError>]> {
          slice.map { name in
            do throws(DocumentError) {
              let path = "\(folderPath)/\(name).json"
              let file = LoadedFile(
                path: path, bytes: try DocumentFile.load(path, limit: Self.fileLimit))
              return .success(
                Read(
                  value: try parse(file.bytes, path, name),
                  part: file.part("\(folder)/\(name).json")))
            } catch {
              return .failure(error)
            }
          }
        }
      }
      // All end before an error is thrown.
      for work in works { work.wait() }
      for work in works {
        for result in try work.value() {
          if let part = faults.noting(result.get) { read.append(part) }
        }
      }
      done += round.count
      progress(done)
    }
    return read
  }

  /// A file system may know two spellings of one name.
  private func noteSameIDs(of ids: [String], _ faults: inout PackageFaults) {
    var seen: Set<String> = []
    for id in ids where !seen.insert(id).inserted {
      faults.note(
        DocumentError(
          code: .duplicateValue, file: "\(path)/shows/\(id).json", path: "$.show_id",
          value: "\"\(id)\"",
          message: "is the id of two files", advice: "remove one of them"))
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
