import CatalogEngine
import Synchronization

@testable import SoundLibrary

extension SeedImporter {
  /// The reports of a dry run of documents one after the other.
  static func planned(
    _ sources: SeedSource..., in directory: CatalogDirectory, options: SoundLibrary.Options
  ) async throws -> [SeedImportReport] {
    let reports = Reports()
    try await plan(sources, in: directory, options: options, retiresMissing: false) { report in
      reports.all.withLock { $0.append(report) }
    }
    return reports.all.withLock { $0 }
  }

  /// The reports of an import of documents one after the other.
  @discardableResult
  static func applied(
    _ sources: SeedSource..., to directory: CatalogDirectory, options: SoundLibrary.Options
  ) async throws -> [SeedImportReport] {
    let reports = Reports()
    try await apply(sources, to: directory, options: options, retiresMissing: false) { report in
      reports.all.withLock { $0.append(report) }
    }
    return reports.all.withLock { $0 }
  }

  private final class Reports: Sendable {
    let all = Mutex<[SeedImportReport]>([])
  }
}
