import EngineCommands
import Foundation
import SoundLibrary

extension Identifiable where ID == UUID {
  /// The id as commands print it and take it.
  var lowercaseID: String { id.uuidString.lowercased() }
}

extension LibraryItemRow {
  func line(showsKind: Bool = false) -> String {
    let kind = showsKind ? "\(kind.rawValue)  " : ""
    return "\(lowercaseID)  \(kind)\(title)" + (subtitle.map { "  \($0)" } ?? "")
  }

  var json: JSONObject {
    [
      "id": lowercaseID, "kind": kind.rawValue, "title": title, "subtitle": subtitle,
      "duration": duration, "artworkUrl": artworkURL, "createdAt": createdAt.description,
      "updatedAt": updatedAt.description, "availability": availability.rawValue,
    ]
  }
}
