import CatalogModel
import DownloadsOverCurl
import Foundation
import SoundLibrary

/// The examples of README and docs, compiled. `Tools/check-pages` compares them line by line.
enum PageExamples {
  static func open() async throws {
    let catalog = try await SoundLibrary.open(URL.homeDirectory.appending(path: "Catalog"))
    try await catalog.importer.importIfNeeded()  // the starter seed, once

    let ominous = try await catalog.vocabulary.value(named: "Ominous", in: .moods)
    let page = try await catalog.library.fetchPage(
      kind: .atmosphere, filters: Filters(moodIDs: [ominous.id]), sort: .title, limit: 20)
    for item in page.items { print(item.title) }
    print("\(page.total) items")
  }

  static func observe(_ catalog: SoundLibrary) async throws {
    let found = try await catalog.library.searchItems(kind: nil, query: "vampires cas")
    for try await items in catalog.library.observeItems(kind: .atmosphere, filters: Filters()) {
      print(items.count)  // now, and after every change by any process
    }
    print(found.count)
  }

  static func download(_ catalog: SoundLibrary, pack: UUID) async throws {
    let manager = PackDownloadManager(catalog, transport: CurlTransport())
    try await manager.recover()  // at launch: finishes interrupted downloads
    let download = try await manager.startDownload(packId: pack)
    for await progress in download.progress {
      print(progress.bytesDownloaded, "of", progress.bytesTotal ?? 0)
    }
    let result = try await download.result()
    print("installed version \(result.version)")
  }
}
