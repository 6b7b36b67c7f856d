import CatalogModel
import Projections

extension ProjectionConflict {
  init(_ record: EventRecord, _ message: String) {
    self.init(sequence: record.sequence, type: record.event.type, message: message)
  }
}
