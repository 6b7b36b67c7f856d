import CatalogModel

/// A kind with events that change many rows, each for itself.
package protocol DivisibleKind: CatalogKind {
  /// The changes of an event one by one, each with the words that name it; none if they belong together.
  func parts(of event: Event) -> [(name: String, event: Event)]
}

extension DivisibleKind {
  /// Applies what an event that contradicts the rows says of other rows.
  ///
  /// - Returns: a conflict for each of its changes that contradicts the rows; nil if the event is not divisible.
  package func applyParts(
    of block: any EventBlock, at place: Int, to rows: some RowStore
  ) throws -> [ProjectionConflict]? {
    guard let block = block as? RecordBlock<Self>, case .event(let record) = block.entries[place],
      excess(of: record) == nil
    else { return nil }
    let parts = parts(of: record.event)
    guard parts.count > 1 else { return nil }
    return try parts.compactMap { name, event in
      var part = record
      part.event = event
      return try contradiction(part, rows).map {
        ProjectionConflict(
          sequence: record.sequence, type: type(of: record.event).rawValue,
          message: "\(name): \($0)")
      }
    }
  }
}
