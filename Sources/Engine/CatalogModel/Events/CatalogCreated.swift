/// `catalog.created`: the first event of every log.
public struct CatalogCreated: Hashable, Sendable {
  public var kind: String
  public var layout: Int64
  public var logID: EntityID

  public init(kind: String, layout: Int64, logID: EntityID) {
    self.kind = kind
    self.layout = layout
    self.logID = logID
  }
}

extension CatalogCreated {
  public init(reading data: inout PayloadReader) throws(PayloadReader.Problem) {
    self.init(
      kind: try data.string("kind"), layout: try data.int64("layout"), logID: try data.id("logId"))
  }

  public func write(to data: inout PayloadWriter) {
    data.string("kind", kind)
    data.integer("layout", layout)
    data.id("logId", logID)
  }
}
