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
  package static let payload = Payload(
    Member("kind", \Self.kind), Member("layout", \.layout), Member("logId", \.logID),
    make: Self.init)

  public init(reading data: inout PayloadReader) throws(PayloadReader.Problem) {
    self = try Self.payload.read(&data)
  }

  public func write(to data: inout PayloadWriter) { Self.payload.write(self, to: &data) }
}
