import EngineCommands
import Foundation
import SoundLibrary

extension LibraryItemRow {
  var lowercaseID: String { id.uuidString.lowercased() }

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
