import CatalogEngine

extension ShowRepository {
  /// The shows that come after one, the nearest first.
  ///
  /// - Throws: `UnknownShow`.
  public func next(after show: String, limit: Int = 1) async throws -> [ShowLine] {
    try await neighbours(of: show, limit, isBackwards: false)
  }

  /// The shows that come before one, the nearest first.
  ///
  /// - Throws: `UnknownShow`.
  public func previous(before show: String, limit: Int = 1) async throws -> [ShowLine] {
    try await neighbours(of: show, limit, isBackwards: true)
  }

  private func neighbours(
    of id: String, _ limit: Int, isBackwards: Bool
  ) async throws -> [ShowLine] {
    try await catalog.read { rows in
      guard let show = try rows.row(of: Show.table, key: id) else { throw UnknownShow(id) }
      return try rows.page(of: Self.neighbours(of: show, isBackwards: isBackwards), limit: limit)
        .rows
    }
  }

  static func neighbours(of show: Show, isBackwards: Bool) -> KeysetList<ShowLine> {
    KeysetList(
      "shows \(isBackwards ? "before" : "after") \(show.showID)", as: ShowLine.shape,
      columns: ShowLine.columns, from: "shows",
      where:
        "(shows.date, shows.show_sequence, shows.show_id) \(isBackwards ? "<" : ">") (?, ?, ?)",
      [show.date, show.showSequence, show.showID], orderedBy: ShowLine.order,
      isDescending: isBackwards)
  }
}

/// A show that the archive does not have.
public struct UnknownShow: Error, Hashable, Sendable, CustomStringConvertible {
  public let id: String

  public init(_ id: String) {
    self.id = id
  }

  public var description: String { "there is no show \(id)" }
}
