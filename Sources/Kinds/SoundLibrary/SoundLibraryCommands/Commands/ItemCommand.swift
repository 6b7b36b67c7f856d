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
      "catalogctl item 1d413d40-4bef-5b08-b3df-3ac297fe9e77"))

  @OptionGroup var options: CatalogOptions

  @Argument(
    help: ArgumentHelp("The item's UUID.", valueName: "id"), completion: LibraryCompletion.items)
  var item: EntityID

  func run() async throws {
    try await options.readCatalog { catalog in
      let console = Console.current
      let detail = try await catalog.library.fetchItemDetail(itemId: UUID(item))
      switch options.format {
      case .text: write(detail, to: console)
      case .json: try console.write(json: DetailJSON(detail))
      }
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
        console.write("  " + name.padding(toLength: 18, withPad: " ", startingAt: 0) + value)
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

private struct DetailJSON: Encodable {
  struct Tag: Encodable {
    let id: Int64
    let name: String
    let sources: [String]
    let suppressed: Bool
  }

  struct Audio: Encodable {
    let path: String?
    let codec: String?
    let sampleRate: Int?
    let channels: Int?
    let loopable: Bool
  }

  let item: ItemJSON
  let isVisible: Bool
  let tags: [String: [Tag]]
  let pack: PackJSON?
  let audio: Audio?
  let playlistId: String?

  init(_ detail: ItemDetail) {
    item = ItemJSON(detail.item)
    isVisible = detail.isVisible
    var tags: [String: [Tag]] = [:]
    for dimension in detail.dimensions {
      tags[dimension.dimension.key] =
        dimension.tags.map { Tag($0, suppressed: false) }
        + dimension.suppressed.map { Tag($0, suppressed: true) }
    }
    self.tags = tags
    pack = detail.pack.map(PackJSON.init)
    audio = detail.audio.map {
      Audio(
        path: $0.path, codec: $0.codec, sampleRate: $0.sampleRate, channels: $0.channels,
        loopable: $0.isLoopable)
    }
    playlistId = detail.playlistID
  }
}

extension DetailJSON.Tag {
  fileprivate init(_ tag: ItemDetail.Tag, suppressed: Bool) {
    self.init(
      id: tag.value.id, name: tag.value.name, sources: tag.sources, suppressed: suppressed)
  }
}
