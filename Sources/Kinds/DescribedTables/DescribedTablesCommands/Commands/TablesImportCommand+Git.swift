import CatalogEngine
import CatalogModel
import DescribedTables
import EngineCommands
import EventLog
import Projections
import Support
import Synchronization

/// The import of all versions of files in a git repository: `import TABLE=REPO:PATH --git`.
extension TablesImportCommand {
  func importVersions() async throws {
    let kind = try options.describedKind()
    let history = try GitHistory(git, documents, taken: taken(kind.description))
    let skipped = Set(try skip.map(history.repository.commit))
    let versions = history.versions.filter { !skipped.contains($0.commit) }
    let console = Console.current
    if history.repository.isShallow {
      console.error(
        "\(history.repository.path) is a shallow clone, without its older commits; `git fetch --unshallow` gets them"
      )
    }
    guard !trial.dryRun else { return try list(versions, of: history) }
    var report = GitImportReport(history)
    report.time = try TimedBatch.last(in: options.directory.store())?.time
    var stop: (any Error)?
    if !versions.isEmpty {
      do {
        try await take(versions, of: history, kind, &report)
      } catch {
        stop = error
        report.isStopped = true
      }
    }
    try console.write(options.format, json: report.json) { $0.writeEnd(of: report) }
    if report.backwards > 0 {
      console.error(
        "\(ProgramName.current): warning: \(Count.of(report.backwards, "version")) \(report.backwards == 1 ? "has a time" : "have times") before that of the batch before: a moment that is named by a time can mean a state with later events"
      )
    }
    if let stop { throw stop }
    try report.throwExitStatus()
  }

  /// Imports versions one after the other, each as a batch.
  private func take(
    _ versions: [GitHistory.Version], of history: GitHistory, _ kind: DescribedKind,
    _ report: inout GitImportReport
  ) async throws {
    let clock = VersionClock()
    let reader = try GitVersions(history)
    try await options.changing(waiting, clock: CatalogClock { clock.time }) { opening, progress in
      var opening = opening
      opening.readers = .one
      let catalog = try await ImportSeries(options.directory, kind, opening)
      defer { catalog.close() }
      for version in versions {
        clock.time = version.time
        do {
          let sources = try read(version, reader, catalog.kind.description, progress)
          guard !sources.isEmpty else { continue }
          let importer = try await importer(of: sources, at: version, catalog.kind, opening)
          let taken = try await catalog.apply(importer)
          progress.finish()
          report.add(taken, of: version)
          if options.format == .text { Console.current.write(taken, of: version.time) }
        } catch {
          progress.finish()
          let error = (error as? RemovalRefusal)?.error ?? error
          if skipRefused, error.isAboutDocument {
            report.skipped += 1
            for line in "\(error)".split(separator: "\n") {
              Console.current.error("passed over commit \(version.commit): \(line)")
            }
            continue
          }
          // Without versions between them, those that were passed over come first again.
          let skips = (skip + [version.commit]).map { "--skip \($0)" }.joined(separator: " ")
          Console.current.error(
            "\(ProgramName.current): stopped at commit \(version.commit) of \(version.time); the versions before it are in the log, and the next import begins with this one; \(skips) passes it over"
          )
          throw error
        }
      }
    }
  }

  /// The files that a version changes, as documents.
  private func read(
    _ version: GitHistory.Version, _ reader: GitVersions, _ description: KindDescription,
    _ progress: ProgressPrinter
  ) throws -> [ImportSource] {
    try reader.read(version).compactMap { file in
      guard let source = file.source else {
        progress.finish()
        Console.current.error("\(file.name): the commit deletes the file; the rows stay")
        return nil
      }
      return try self.source(of: documents[file.place], source, description)
    }
  }

  private func importer(
    of sources: [ImportSource], at version: GitHistory.Version, _ kind: DescribedKind,
    _ opening: OpeningOptions
  ) async throws -> TableImporter {
    let by = sources.count == 1 ? "git:\(sources[0].file.name)" : "git:\(version.commit)"
    return try await taking.importer(
      of: sources, kind, in: options.directory, opening, version: JSONExcerpt.printable(by))
  }

  /// The commits whose versions were taken last, by the log: those of the same file, which fill the same tables.
  private func taken(_ description: KindDescription) throws -> (Int, String) -> String? {
    let read = try TableCatalog.documentsRead(in: options.reader())
    let isKnown = { (table: String) in description.table(table) != nil }
    return { place, path in
      let path = NormalForm.nfc(path)
      let filled =
        documents[place].name.isEmpty ? nil : description.tables(filledBy: documents[place].name)
      return read.reversed().lazy.compactMap { document -> String? in
        guard let commit = document.commit, document.name.dropFirst(commit.utf8.count + 1) == path
        else { return nil }
        // A table that has another name since is the same table.
        let tables = document.tables.map(\.table).filter(isKnown)
        guard let filled, !tables.isEmpty else { return commit }
        return filled.contains(where: tables.contains) ? commit : nil
      }.first
    }
  }

  private func list(_ versions: [GitHistory.Version], of history: GitHistory) throws {
    let json: JSONObject = [
      "repository": history.repository.path, "commit": history.tip,
      "versions": versions.map {
        ["commit": $0.commit, "time": $0.time.description] as JSONObject
      },
    ]
    try Console.current.write(options.format, json: json) { console in
      for version in versions { console.write("\(version.time) commit \(version.commit)") }
      console.write(
        "nothing was appended: \(Count.of(versions.count, "version")) would be imported")
    }
    if !versions.isEmpty { throw Exit(status: .findings) }
  }
}

/// The time of the version that is imported.
private final class VersionClock: Sendable {
  private let state = Mutex(Timestamp(milliseconds: 0))

  var time: Timestamp {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

extension Error {
  /// Whether a document is refused for what it has, so that another version may be taken.
  fileprivate var isAboutDocument: Bool {
    self is DocumentError || self is DescriptionRefusal || self is ProjectionError
      || self is RemovalRefusal
  }
}

extension SourceRead {
  /// The commit of a version in git, whose name is `COMMIT:PATH`; nil if the document is another one.
  fileprivate var commit: String? {
    guard let id = name.split(separator: ":", maxSplits: 1).first,
      [40, 64].contains(id.utf8.count),
      name.utf8.count > id.utf8.count + 1, id.allSatisfy({ $0.isASCII && $0.isHexDigit })
    else { return nil }
    return String(id)
  }
}
