import CatalogModel
import CatalogTestSupport
import ConcertArchive
import Foundation
import Promises
import Testing

/// The table of docs/CONCERTS.md, field by field: each cell is tried on a package that has every field.
@Suite(
  .promise(
    "Each field of a package of concerts is read as its page says",
    by: "each cell of the page's table"))
struct PackageFieldTests {
  private static var files: [String: [String: Any]] {
    [
      "manifest.json": [
        "package": [
          "name": "N", "version": "1", "version_type": "beta", "description": "D",
          "created": "2026-01-01",
        ],
        "build_info": ["git_commit": "c", "git_tag": "t", "build_timestamp": "2026-01-02"],
      ],
      "collections.json": [
        "collections": [
          ["id": "c", "name": "C", "description": "D", "tags": ["t"], "show_ids": ["a"]]
        ]
      ],
      "shows/ID.json": [
        "show_id": "a", "date": "1977-05-08", "band": "B", "venue": "V", "city": "C", "state": "NY",
        "country": "Utopia", "location_raw": "L", "url": "U", "setlist_status": "found",
        "setlist": [["set_name": "S", "songs": [["name": "X", "segue_into_next": true]]]],
        "lineup_status": "found", "lineup": [["name": "M", "instruments": "I"]],
        "recordings": ["r"], "recording_count": 3, "best_recording": "r", "avg_rating": 4.5,
        "total_high_ratings": 2, "total_low_ratings": 1, "show_time": "early",
      ],
      "recordings/IDENTIFIER.json": [
        "source_type": "SBD", "rating": 4.5, "raw_rating": 4.25, "review_count": 3,
        "confidence": 0.5, "high_ratings": 2, "low_ratings": 1, "taper": "T", "source": "S",
        "lineage": "L",
      ],
    ]
  }

  /// The value of a field that was read, in the words of the table; nil if the test does not know the field.
  private static func result(
    of field: String, in package: ConcertPackage
  ) -> String?? {
    let show = package.shows[0]
    let recording = package.recordings.first
    let collection = package.collections.first
    let set = show.setlist?.first
    func number(_ value: Double?) -> String? { value.map { $0 == 0 ? "0" : "\($0)" } }
    func list(_ count: Int?) -> String? { count.map { $0 == 0 ? "[]" : "some" } }
    switch field {
    case "package.version_type": return .some(package.imported.versionType)
    case "package.description": return .some(package.imported.description)
    // The build has a time.
    case "package.created": return .some(nil)
    case "build_info": return .some(package.imported.gitCommit)
    case "build_info.git_commit": return .some(package.imported.gitCommit)
    case "build_info.git_tag": return .some(package.imported.gitTag)
    case "build_info.build_timestamp": return .some(package.imported.buildTimestamp)
    case "collections": return .some(list(package.collections.count))
    case "collections[].description": return .some(collection?.description)
    case "collections[].tags": return .some(list(collection?.tags.count))
    case "collections[].show_ids": return .some(list(collection?.showIDs.count))
    case "venue": return .some(show.venue)
    case "city": return .some(show.city)
    case "state": return .some(show.state)
    case "country": return .some(show.country)
    case "location_raw": return .some(show.location)
    case "url": return .some(show.url)
    case "setlist_status": return .some(show.setlistStatus)
    case "lineup_status": return .some(show.lineupStatus)
    case "best_recording": return .some(show.bestRecording)
    case "show_time": return .some(show.showTime?.rawValue)
    case "setlist": return .some(list(show.setlist?.count))
    case "lineup": return .some(list(show.lineup?.count))
    case "setlist[].set_name": return .some(set?.name)
    case "setlist[].songs": return .some(list(set?.songs.count))
    case "setlist[].songs[].name": return .some(set?.songs.first?.name)
    case "setlist[].songs[].segue_into_next":
      return .some(set?.songs.first?.segue.map { "\($0)" })
    case "lineup[].name": return .some(show.lineup?.first?.name)
    case "lineup[].instruments": return .some(show.lineup?.first?.instruments)
    case "recordings": return .some(list(show.recordings.count))
    case "recording_count": return .some("\(show.recordingCount)")
    case "avg_rating": return .some(number(show.averageRating))
    case "total_high_ratings": return .some("\(show.totalReviews - 1)")
    case "total_low_ratings": return .some("\(show.totalReviews - 2)")
    case "source_type": return .some(recording?.sourceType)
    case "taper": return .some(recording?.taper)
    case "source": return .some(recording?.source)
    case "lineage": return .some(recording?.lineage)
    case "rating": return .some(number(recording?.rating))
    case "raw_rating": return .some(number(recording?.rawRating))
    case "confidence": return .some(number(recording?.confidence))
    case "review_count": return .some(recording.map { "\($0.reviewCount)" })
    case "high_ratings": return .some(recording.map { "\($0.highRatings)" })
    case "low_ratings": return .some(recording.map { "\($0.lowRatings)" })
    default: return nil
    }
  }

  @Test func eachFieldIsReadAsThePageSays() throws {
    let folder = try ScratchFolder()
    var tried = 0
    var seen: [String: Set<String>] = [:]
    for (file, field, cells) in try Self.table() {
      seen[file, default: []].insert(field)
      for (how, wanted) in zip(["missing", "null", "empty", "false"], cells) {
        tried += 1
        let name = "\(file) \(field) \(how)"
        let package = folder.file("\(tried)")
        try Self.write(file, field, how, to: package)
        do {
          let read = try PackageFolder(package).read()
          guard let found = Self.result(of: field, in: read) else {
            Issue.record("\(name) is not refused, and the test does not know what it becomes")
            continue
          }
          let expected: String? =
            switch wanted {
            case "unknown": nil
            case "kept": Self.kept(field, how)
            case "none": "[]"
            case "counted": "1"
            case "0": "0"
            case "package.created": "2026-01-01"
            default: wanted
            }
          #expect(wanted != "refused" && found == expected, "\(name) is \(found ?? "unknown")")
        } catch let error as DocumentError {
          #expect(wanted == "refused", "\(name): \(error)")
        }
      }
    }
    // No field is missing in the table.
    for (file, object) in Self.files {
      #expect(seen[file] == Set(Self.paths(of: object)), "\(file)")
    }
    #expect(tried > 150)
  }

  /// The empty value that stays.
  private static func kept(_ field: String, _ how: String) -> String {
    switch field {
    case "setlist", "lineup": "[]"
    case "setlist[].songs[].segue_into_next": "false"
    case "recording_count": "0"
    default: ""
    }
  }

  // MARK: The page

  private static func table() throws -> [(file: String, field: String, cells: [String])] {
    let page = try String(
      contentsOfFile: ScratchFolder.repository + "/docs/CONCERTS.md", encoding: .utf8)
    var rows: [(String, String, [String])] = []
    var file: String?
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst()
        .dropLast().map { $0.trimmingCharacters(in: .whitespaces) }
      if cells.count == 5, cells[0].hasPrefix("**`") {
        file = String(cells[0].dropFirst(3).dropLast(3))
      } else if cells.count == 5, let file {
        for field in cells[0].split(separator: ", ") {
          rows.append(
            (
              file, String(field).replacing("`", with: ""),
              cells[1...].map { $0.replacing("`", with: "") }
            ))
        }
      } else {
        file = nil
      }
    }
    return rows
  }

  private static func paths(of value: Any, _ path: String = "") -> [String] {
    if let object = value as? [String: Any] {
      return object.flatMap { key, value -> [String] in
        let path = path.isEmpty ? key : "\(path).\(key)"
        return [path] + paths(of: value, path)
      }
    }
    if let array = value as? [Any], array.first is [String: Any] {
      return paths(of: array[0], path + "[]")
    }
    return []
  }

  private static func write(
    _ file: String, _ field: String, _ how: String, to path: String
  ) throws {
    for folder in ["shows", "recordings"] {
      try FileManager.default.createDirectory(
        atPath: "\(path)/\(folder)", withIntermediateDirectories: true)
    }
    let steps = field.replacing("[]", with: ".0").split(separator: ".").map(String.init)
    for (name, object) in files {
      let value = name == file ? changed(object, steps, how) ?? object : object
      let place =
        name.replacing("shows/ID", with: "shows/a").replacing("IDENTIFIER", with: "r")
      try JSONSerialization.data(withJSONObject: value)
        .write(to: URL(fileURLWithPath: "\(path)/\(place)"))
    }
  }

  /// - Returns: nil if the value is to be left out.
  private static func changed(_ value: Any, _ steps: [String], _ how: String) -> Any? {
    guard let step = steps.first else {
      switch how {
      case "missing": return nil
      case "null": return NSNull()
      case "false": return false
      default:
        if value is [String: Any] { return [String: Any]() }
        if value is [Any] { return [Any]() }
        if value is String { return "" }
        return (value as? Bool) == true && !(value is Int) ? false : 0
      }
    }
    let rest = Array(steps.dropFirst())
    if var object = value as? [String: Any] {
      object[step] = object[step].flatMap { changed($0, rest, how) }
      return object
    }
    guard var array = value as? [Any], let first = changed(array[0], rest, how) else {
      return value
    }
    array[0] = first
    return array
  }
}
