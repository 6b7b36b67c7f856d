/// The types of events of one kind of catalog, an enum of their names: `case bookAdded = "book.added"`.
public protocol EventTypeName: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
  /// The version that is written. Older ones are read through upcasters.
  var version: Int64 { get }
}

extension EventTypeName {
  public var version: Int64 { 1 }
}
