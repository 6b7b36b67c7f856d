import CatalogStore
import GRDB

/// What repositories read through: the database, and the index that its reads share.
struct SoundReader: Sendable {
  private let rows: ProjectionReader
  private let indexes: IndexCache

  init(
    _ projection: ProjectionDatabase, _ indexes: IndexCache = IndexCache(threshold: .max)
  ) {
    self.init(ProjectionReader(projection), indexes)
  }

  init(_ rows: ProjectionReader, _ indexes: IndexCache) {
    self.rows = rows
    self.indexes = indexes
  }

  /// Reads from one snapshot of the database.
  func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await rows.read(body)
  }

  /// The same with the index at the state of the snapshot; nil if SQL is to answer.
  ///
  /// - Parameter parts: what the index must have beside tags.
  func read<Result: Sendable>(
    with parts: SoundIndex.Parts,
    _ body: @escaping @Sendable (Database, SoundIndex?) throws -> Result
  ) async throws -> Result {
    var waits = 0
    while true {
      if indexes.lacks(parts) {
        // Not by this task: where a person types on, its end would be the end of what others need, too.
        let making = Task.detached {
          try await read { _ = try indexes.access(of: $0, with: parts) }
        }
        try await making.value
      }
      let isPatient = waits < Self.greatestWaits
      let attempt: Attempt<Result> = try await read { database in
        switch try indexes.access(of: database, with: parts) {
        case .answer(let index): .answer(try body(database, index))
        case .isBeingMade: isPatient ? .isBeingMade : .answer(try body(database, nil))
        }
      }
      if case .answer(let result) = attempt { return result }
      // Without a connection: others read meanwhile.
      await indexes.waitForMaking()
      try Task.checkCancellation()
      waits += 1
    }
  }

  /// How often a read waits for an index that others make; where changes come that fast, SQL answers.
  private static let greatestWaits = 8

  private enum Attempt<Result: Sendable>: Sendable {
    case answer(Result)
    case isBeingMade
  }

  /// The value now and after each change of the database that changes it.
  func observe<Element: Equatable & Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Element
  ) -> CatalogObservation<Element> {
    rows.observe { try await read(body) }
  }

  /// The same with the index.
  func observe<Element: Equatable & Sendable>(
    with parts: SoundIndex.Parts,
    _ body: @escaping @Sendable (Database, SoundIndex?) throws -> Element
  ) -> CatalogObservation<Element> {
    rows.observe { try await read(with: parts, body) }
  }
}
