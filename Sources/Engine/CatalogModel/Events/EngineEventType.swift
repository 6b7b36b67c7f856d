/// The types of events that every kind of catalog has.
package enum EngineEventType: String, EventTypeName {
  case catalogCreated = "catalog.created"
}
