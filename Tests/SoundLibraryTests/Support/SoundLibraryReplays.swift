import CatalogModel
import EventLog
import Projections

@testable import CatalogEngine
@testable import SoundLibrary

extension EventLogReader {
  /// The log as one of a sound library.
  var soundLibrary: CatalogLog { CatalogLog(self, SoundLibraryKind()) }
}

extension EventReplay {
  /// Hands over the next batch event by event.
  func nextRecords(_ body: (SoundEventRecord) throws -> Void) throws -> BatchInfo? {
    try nextBatch { try SoundLibraryBlock.of($0).records[$1].forEach(body) }
  }
}

extension ReplayAhead {
  /// Hands over the next batch event by event.
  func nextRecords(_ body: (SoundEventRecord) throws -> Void) throws -> BatchInfo? {
    try nextBatch { try SoundLibraryBlock.of($0).records[$1].forEach(body) }
  }
}

extension SoundLibrary {
  /// As the command does.
  static func rebuild(_ directory: CatalogDirectory, options: Options) async throws {
    try await Blocking.run {
      try OpenedCatalog.rebuild(directory, SoundLibraryKind(), options: options.opening)
    }
  }
}
