import CatalogModel
import Projections

extension ProjectionConflict {
  init(_ record: SoundEventRecord, _ message: String) {
    self.init(sequence: record.sequence, type: record.event.type, message: message)
  }
}
