package import CatalogModel

/// The events that made a row what it is. A batch that changes a row and changes it back did not write it.
package struct RowWriters: Sendable {
  /// The event that wrote or removed the row last.
  package let last: EventEnvelope
  /// The event that made each column what it is, in column order; empty for a row that is gone.
  package let columns: [EventEnvelope]

  /// The event that made a column what it is; that of the row if the column is not known.
  package func event(of place: Int?) -> EventEnvelope {
    guard let place, columns.indices.contains(place) else { return last }
    return columns[place]
  }
}
