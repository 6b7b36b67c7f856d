import ArgumentParser
import CatalogEngine
import EngineCommands
import Foundation
import TrackLibrary

struct TracksImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import tracks and playlists.",
    discussion: """
      Takes library.json, the XML of iTunes and Music, playlists in M3U, M3U8, PLS, XSPF and CSV, saved answers of the \
      Spotify Web API and of the Apple Music API, and folders of all these and of audio files, at any depth. Several are \
      one batch, and are applied in an order of their own: playlists find the tracks that another document describes. \
      Only what differs from the library is appended to the log; importing the same again appends nothing. A \
      library.json is refused whole if anything in it is wrong, and so is a file of no known format; of other documents, \
      entries that cannot be used are left out and listed, and so are files of a folder. An import in which a known \
      playlist loses all its tracks needs --force. Files may be compressed by gzip or zstd, and - is standard input, if its \
      first line says its format. The files stay as they are, but for --move. docs/TRACKS.md describes \
      the formats, and docs/SEEDS.md every key of library.json.
      """.showing(
        "A small library.json:",
        """
        {
          "tracks": [{
            "id": "5a0e7c1b-63d2-4c11-9c62-7c0b1d1f0a01",
            "title": "Lantern Waltz", "artist": "Ida Marlo",
            "duration": 214.5, "fileURL": "file:///Music/Lantern%20Waltz.mp3"
          }],
          "collections": [{
            "id": "5a0e7c1b-63d2-4c11-9c62-7c0b1d1f0b01", "name": "Evening",
            "trackIDs": ["5a0e7c1b-63d2-4c11-9c62-7c0b1d1f0a01"]
          }]
        }
        """
      ).examples(
        "\(ProgramName.current) tracks import library.json",
        "\(ProgramName.current) tracks import ~/Music ~/Playlists/*.m3u8",
        "\(ProgramName.current) tracks import evening.m3u8 --dry-run"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  @OptionGroup var trial: DryRunArguments
  @OptionGroup var reverted: RevertedArguments

  @Flag(
    name: .long,
    help: "Rename each file called library.json to library.json.backup once it is imported.")
  var move = false

  @Flag(name: .long, help: "Import also if a known playlist loses all its tracks.")
  var force = false

  @Flag(name: .long, help: .hidden)
  var keep = false

  @OptionGroup var time: EventTimeArguments

  @Argument(
    help: ArgumentHelp("Files and folders; - is standard input.", valueName: "path"),
    completion: .file())
  var paths: [String]

  func run() async throws {
    let warning = try time.warning(about: options)
    let report = try await options.changing(waiting, clock: time.clock) { opening, _ in
      let observe: @Sendable (Int, Int) -> Void = { done, total in
        opening.progress(CatalogProgress(phase: .reading, done: done, total: total))
      }
      return trial.dryRun
        ? try await TrackImporter.plan(
          paths, in: options.directory, options: opening, takesReverted: reverted.takeReverted,
          progress: observe)
        : try await importing(opening, observe)
    }
    if report.outcome == .unchanged { try report.requireNoOtherPackage() }
    try Console.current.write(options.format, json: report.json) {
      $0.write(report, isForced: force)
    }
    if let warning, [.imported, .appended].contains(report.outcome) {
      Console.current.error(warning)
    }
    try report.outcome.throwExitStatus()
  }
}

extension TracksImportCommand {
  private func importing(
    _ opening: OpeningOptions, _ observe: @escaping @Sendable (Int, Int) -> Void
  ) async throws -> TrackImportReport {
    do {
      return try await TrackImporter.apply(
        paths, to: options.directory, options: opening, allowsLosses: force,
        takesReverted: reverted.takeReverted, moves: move, progress: observe)
    } catch let lost as LostPlaylists {
      throw Refusal("\(lost); nothing was appended; --force imports it")
    }
  }
}

extension Console {
  fileprivate func write(_ report: TrackImportReport, isForced: Bool) {
    for document in report.documents {
      let imported = document.imported
      write(
        "\(document.path): \(imported.format): \(Count.of(imported.tracks, "track")), "
          + "\(Count.of(imported.collections, "playlist"))")
    }
    write(report.report)
    for remark in report.remarks { error(remark.description) }
    for lost in report.lostPlaylists {
      error(
        "\(lost.document): the playlist \"\(lost.name)\" "
          + "\(report.outcome == .planned ? "would lose" : "lost") all its tracks (\(lost.trackCount))"
          + (report.outcome == .planned && !isForced
            ? "; the import needs --force" + (lost.advice.map { "; \($0)" } ?? "") : ""))
    }
    for document in report.documents {
      if let backup = document.backup { write("\(document.path) is \(backup) now") }
    }
  }
}

extension TrackImportReport {
  /// - Throws: `DocumentError` for a folder in which nothing was found, and whose manifest is that of a package: the program's
  ///   error says of which one.
  fileprivate func requireNoOtherPackage() throws {
    let folder = report.documents.first { document in
      guard document.imported.tracks == 0, document.imported.collections == 0,
        let manifest = FileManager.default.contents(atPath: document.path + "/manifest.json"),
        let object = try? JSONSerialization.jsonObject(with: manifest) as? [String: Any]
      else { return false }
      return object["package"] != nil
    }
    guard let folder else { return }
    throw DocumentError(
      code: .fileIsDirectory, file: folder.path, message: "no file of this folder has tracks")
  }

  fileprivate var json: JSONObject {
    report.json([
      "remarks": remarks.map(\.description), "lostPlaylists": lostPlaylists.map(\.json),
    ]) { $0.json }
  }
}

extension LostPlaylist {
  fileprivate var json: JSONObject {
    [
      "id": id.description, "name": name, "tracks": trackCount, "document": document,
      "firstTrack": firstTrack,
    ]
  }
}

extension ImportedDocument {
  fileprivate var json: JSONObject {
    [
      "path": path, "format": imported.format, "name": imported.name, "sha256": imported.sha256,
      "tracks": imported.tracks, "collections": imported.collections,
      "identified": imported.identified, "backup": backup,
    ]
  }
}
