import CatalogStore
import Downloads
import DownloadsOverSystem
import EngineCommands
import EventLog
import Foundation
import SoundLibrary
import Synchronization

/// Runs downloads from the command line: progress, Ctrl-C, a line for each pack.
struct PackDownloads {
  private let catalog: SoundLibrary
  private let format: OutputFormat
  private let waiting: PackWaitOptions
  private let console = Console.current

  init(_ catalog: SoundLibrary, format: OutputFormat, _ waiting: PackWaitOptions) {
    self.catalog = catalog
    self.waiting = waiting
    self.format = format
  }

  private enum Outcome: Sendable {
    case done(PackDownloadResult)
    case nothing
    case stopped
    case failed(any Error)
  }

  /// - Parameter start: begins one download; nil if there is nothing to do.
  /// - Throws: `Exit` where not all of them came to a good end.
  func run(
    _ packs: [SelectedPack],
    _ start: (PackDownloadManager, SelectedPack) async throws -> PackDownload?
  ) async throws {
    let transport = SystemTransport()
    defer { transport.shutdown() }
    let manager = try PackDownloadManager(catalog, transport: transport, wait: waiting.duration)
    let interruption = Interruption { Task { await manager.interruptAll() } }
    defer { interruption.end() }
    let printer = DownloadPrinter(console, packs)

    var downloads: [(pack: SelectedPack, download: PackDownload?)] = []
    var outcomes: [(pack: SelectedPack, outcome: Outcome)] = []
    do {
      for pack in packs where !interruption.wasAsked {
        downloads.append((pack, try await start(manager, pack)))
      }
      // What was begun between the signal and its hearing.
      if interruption.wasAsked { await manager.interruptAll() }
      outcomes = await withTaskGroup(of: (Int, Outcome).self) { group in
        for (index, (pack, download)) in downloads.enumerated() {
          group.addTask {
            guard let download else { return (index, .nothing) }
            for await progress in download.progress { printer.show(progress) }
            return (index, await Self.outcome(of: download, pack))
          }
        }
        var ended: [(pack: SelectedPack, outcome: Outcome)] = []
        for await (index, outcome) in group {
          let pack = downloads[index].pack
          printer.end(pack.id)
          if format == .text { write(outcome, of: pack) }
          ended.append((pack, outcome))
        }
        return ended
      }
    } catch {
      await manager.interruptAll()
      printer.finish()
      throw error
    }
    printer.finish()
    if format == .json { try write(outcomes, in: packs) }
    if packs.isEmpty { console.error("0 packs: nothing to do") }
    let isGood = outcomes.allSatisfy { outcome in
      switch outcome.outcome {
      case .done, .nothing: true
      case .stopped, .failed: false
      }
    }
    if interruption.wasAsked, !isGood || outcomes.count < packs.count {
      console.error("\(ProgramName.current): stopped; run the same command again to resume")
      throw Exit(status: .interrupted)
    }
    guard isGood else { throw Exit(status: Self.status(after: outcomes.map(\.outcome))) }
  }

  /// Rows that are not what the log says are a finding, and a log that lacks events is damage, here as everywhere.
  private static func status(after outcomes: [Outcome]) -> ExitStatus {
    let isDamage = outcomes.contains { outcome in
      if case .failed(let error as EventLogError) = outcome { error.isDamage } else { false }
    }
    if isDamage { return .damaged }
    let isDrift = outcomes.contains { outcome in
      if case .failed(let error as StoreError) = outcome { error.code == .drifted } else { false }
    }
    return isDrift ? .findings : .error
  }

  private static func outcome(
    of download: PackDownload, _ pack: SelectedPack
  ) async -> Outcome {
    do {
      return .done(try await download.result())
    } catch is CancellationError {
      return .stopped
    } catch {
      return .failed(error)
    }
  }

  private func write(_ outcome: Outcome, of pack: SelectedPack) {
    let name = "\(pack.lowercaseID)  \(pack.title)"
    switch outcome {
    case .done(let result) where result.wasInstalled:
      console.write("\(name): version \(result.version) is already installed")
    case .done(let result):
      console.write(
        "\(name): version \(result.version) installed, \(Count.of(result.assets, "asset")), "
          + "\(Count.bytes(result.bytes)), \(Count.bytes(result.bytesReceived)) received")
    case .nothing: console.write("\(name): nothing to repair")
    case .stopped: console.error("\(ProgramName.current): \(name): stopped")
    case .failed(let error): console.failure("\(ProgramName.current): \(name): \(error)")
    }
  }

  private func write(
    _ outcomes: [(pack: SelectedPack, outcome: Outcome)], in order: [SelectedPack]
  ) throws {
    let rows = order.compactMap { pack in
      outcomes.first { $0.pack.id == pack.id }.map { json(of: $0.pack, $0.outcome) }
    }
    try console.write(json: rows)
  }

  private func json(of pack: SelectedPack, _ outcome: Outcome) -> JSONObject {
    let came: JSONObject =
      switch outcome {
      case .done(let result):
        [
          "outcome": result.wasInstalled ? "unchanged" : "installed", "version": result.version,
          "assets": result.assets, "bytes": result.bytes, "bytesReceived": result.bytesReceived,
        ]
      case .nothing: ["outcome": "unchanged"]
      case .stopped: ["outcome": "stopped"]
      case .failed(let error): ["outcome": "failed", "error": "\(error)"]
      }
    return ["packId": pack.lowercaseID] + came
  }
}
