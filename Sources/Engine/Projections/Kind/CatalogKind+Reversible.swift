/// A kind whose events can take operations back brings each row back by the event `rows.restored`, if it says nothing else.
extension CatalogKind where Event: ReversibleEvent {
  public func event(reverting operation: RevertedOperation) -> Event? {
    .reversal(.operation(operation))
  }

  public func wayBack(to rows: RestoredRows) -> WayBack<Event> {
    .events([.reversal(.rows(rows))])
  }
}
