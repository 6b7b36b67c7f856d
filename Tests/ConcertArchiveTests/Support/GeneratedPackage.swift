import CatalogTestSupport
import ConcertArchive
import Foundation

/// A package that a test describes show by show.
struct GeneratedPackage {
  struct Show {
    var id: String
    var date: String
    var venue = "Lantern Hall"
    var city: String?
    var state: String?
    var country: String?
    var songs: [String] = []
  }

  var version = "1.0.0"
  var buildTimestamp: String?
  var shows: [Show] = []
  /// The ids of shows by the id of their collection.
  var collections: [String: [String]] = [:]

  /// Writes the package into a new folder.
  ///
  /// - Returns: the folder.
  func write(to path: String) throws -> String {
    for folder in ["shows", "recordings"] {
      try FileManager.default.createDirectory(
        atPath: "\(path)/\(folder)", withIntermediateDirectories: true)
    }
    var manifest: [String: Any] = ["package": ["name": "Generated", "version": version]]
    if let buildTimestamp { manifest["build_info"] = ["build_timestamp": buildTimestamp] }
    try write(manifest, to: "\(path)/manifest.json")
    // A package without recordings is refused.
    try write(["rating": 1], to: "\(path)/recordings/unlisted.json")
    let collections = collections.sorted { $0.key < $1.key }.map { id, shows in
      ["id": id, "name": "Name of \(id)", "show_ids": shows] as [String: Any]
    }
    try write(["collections": collections], to: "\(path)/collections.json")
    for show in shows {
      var object: [String: Any] = [
        "show_id": show.id, "date": show.date, "band": "The Band", "venue": show.venue,
        "setlist": [["songs": show.songs.map { ["name": $0] }]],
      ]
      object["city"] = show.city
      object["state"] = show.state
      object["country"] = show.country
      try write(object, to: "\(path)/shows/\(show.id).json")
    }
    return path
  }

  private func write(_ object: [String: Any], to path: String) throws {
    try JSONSerialization.data(withJSONObject: object).write(to: URL(fileURLWithPath: path))
  }
}

extension TestArchive {
  /// An archive with the shows of a package.
  static func containing(_ package: GeneratedPackage) async throws -> TestArchive {
    let test = try await TestArchive()
    try await test.archive.packages.apply(test.written(package))
    return test
  }

  /// A package in a folder of its own.
  func written(_ package: GeneratedPackage) throws -> String {
    try package.write(to: folder.file("package-\(UUID().uuidString)"))
  }
}
