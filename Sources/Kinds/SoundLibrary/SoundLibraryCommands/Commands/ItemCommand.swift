import ArgumentParser
import CatalogModel
import CatalogStore
import EngineCommands
import Foundation
import SoundLibrary

struct ItemCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "item",
    abstract: "Show one item: its tags and their sources, its pack, whether it can be played.",
    discussion: "".examples(
      "\(ProgramName.current) item 1d413d40-4bef-5b08-b3df-3ac297fe9e77",
      "\(ProgramName.current) item 'Rainy Harbour'"))

  @OptionGroup var options: CatalogOptions

  @Argument(
    help: ArgumentHelp("The item's UUID, the beginning of it, or its title.", valueName: "id"),
    completion: LibraryCompletion.items)
  var item: [String]

  func run() async throws {
    try await options.readCatalog { catalog in
      let detail = try await catalog.library.fetchItemDetail(
        itemId: options.item(item, in: catalog))
      try Console.current.write(options.format, json: detail.json) { write(detail, to: $0) }
    }
  }

  /// What the availability alone does not say.
  private static func reason(_ status: PlaybackStatus) -> String {
    switch status {
    case .updateAvailable(let installed, let newest):
      ", version \(installed) installed, version \(newest) available"
    case .downloading(let bytes, let total):
      ", downloading, \(Count.bytes(bytes)) of \(Count.bytes(total))"
    case .failed(let error): ", the download failed: \(error)"
    case .requiresAppleMusic, .available, .notDownloaded, .fileMissing: ""
    }
  }

  private func write(_ detail: ItemDetail, to console: Console) {
    let item = detail.item
    console.write(item.title)
    func field(_ name: String, _ value: String?) {
      if let value {
        console.write("  " + name.padded(to: 18) + value)
      }
    }
    field("id", item.lowercaseID)
    field("kind", item.kind.rawValue + (detail.isVisible ? "" : ", hidden"))
    field("subtitle", item.subtitle)
    field("duration", item.duration.map { "\($0) s" })
    field("artwork", item.artworkURL)
    field("availability", item.availability.rawValue + Self.reason(detail.status))
    field("playlist", detail.playlistID)
    field("pack", detail.pack.map { "\($0.title), \($0.state.rawValue), \($0.lowercaseID)" })
    field("audio", detail.audio?.path)
    field("created", item.createdAt.description)
    field("updated", item.updatedAt.description)
    for dimension in detail.dimensions {
      for tag in dimension.tags {
        field(
          dimension.dimension.key, "\(tag.value.name)  (\(tag.sources.joined(separator: ", ")))")
      }
      for tag in dimension.suppressed {
        let sources = tag.sources.isEmpty ? "" : ", given by \(tag.sources.joined(separator: ", "))"
        field(dimension.dimension.key, "\(tag.value.name)  (suppressed\(sources))")
      }
    }
  }
}

extension ItemDetail {
  fileprivate var json: JSONObject {
    let tags = dimensions.map { dimension in
      let tags =
        dimension.tags.map { $0.json(isSuppressed: false) }
        + dimension.suppressed.map { $0.json(isSuppressed: true) }
      return (dimension.dimension.key, tags)
    }
    return [
      "item": item.json, "isVisible": isVisible,
      "tags": Dictionary(uniqueKeysWithValues: tags), "pack": pack?.json, "audio": audio?.json,
      "playlistId": playlistID,
    ]
  }
}

extension ItemDetail.Tag {
  fileprivate func json(isSuppressed: Bool) -> JSONObject {
    ["id": value.id, "name": value.name, "sources": sources, "suppressed": isSuppressed]
  }
}

extension ItemDetail.LocalAudio {
  fileprivate var json: JSONObject {
    [
      "path": path, "codec": codec, "sampleRate": sampleRate, "channels": channels,
      "loopable": isLoopable,
    ]
  }
}
