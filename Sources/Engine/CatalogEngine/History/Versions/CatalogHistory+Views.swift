import CatalogModel
import CatalogStore
import EventLog

extension CatalogHistory {
  /// Views over the history as SQL for other programs.
  package struct Views: Sendable {
    /// The beginning of each file with views.
    package static let mark = "-- Views over history.sqlite of a catalog"

    /// The statements, with what a person has to know about them as comments.
    package let sql: String
    /// The names of the views and full-text indexes.
    package let names: [String]
    /// The name of the table that names the moment.
    package let moment: String
    /// The last event that the history has.
    package let sequence: UInt64
  }

  /// Writes views over the history, up to the log's end if the history can be brought so far.
  ///
  /// They have the rows of any moment that the history has, and fail for all others. When it continues in other tables,
  /// they fail for the moments from then on, and have to be written again.
  ///
  /// - Parameters:
  ///   - advice: the command that writes the views again.
  ///   - note: called if the history is made.
  /// - Throws: `CatalogError` with `readOnly` if there is no history and none can be made.
  package func views(advice: String, _ note: (HistoryNote) -> Void) throws -> Views {
    let end = try log.requireEnd()
    guard let history = try openIfUsable(through: end.head.sequence, note) ?? openAsItIs() else {
      try requireAllEvents()
      throw CatalogError(
        .readOnly,
        "\(path) cannot be made: none is made in a folder that cannot be written; copy the catalog to one that can be written"
      )
    }
    let views = PlainHistoryViews(history.schema, history.generations, history.checkpoint)
    let text = """
      \(Views.mark) of kind "\(kind.name)": its tables as they were after event \(history.checkpoint.sequence).
      -- UPDATE \(views.moment) SET sequence = 19; moves them to another moment: the end of the batch that has this event.
      -- UPDATE \(views.moment) SET sequence = (SELECT max(last) FROM main.history_batch WHERE at <= '2026-10-16T12:00:00.000Z'); does it by a time.
      -- A view has no row ids. T_history has all versions of the rows of T up to the moment.
      -- If a statement fails because the views are older than the history: \(JSONExcerpt.printable(advice))


      """
    return Views(
      sql: text + views.statements.joined(separator: "\n") + "\n", names: views.names,
      moment: views.moment, sequence: history.checkpoint.sequence)
  }
}
