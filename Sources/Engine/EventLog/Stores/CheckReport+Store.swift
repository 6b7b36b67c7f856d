extension CheckReport {
  /// Reads every batch of a store that has no files. What comes after a damaged batch is not read.
  package init(of store: some LogStore, progress: (CheckProgress) -> Void) throws {
    var part = Segment(name: store.place, isSealed: false)
    do {
      // Of the end of the log. What comes before it is read, and may be damaged earlier.
      var damaged: EventLogError?
      do {
        guard let end = try store.end() else { throw EventLogError.noLog(store.place) }
        logID = end.logID
        head = .empty(end.logID)
      } catch let error as EventLogError where error.damage != nil {
        damaged = error
      }
      let cursor = try store.reading(after: nil, readsAhead: true)
      while let batch = try cursor.nextBatch() {
        while try cursor.nextLines() != nil {}
        part.count(batch)
        part.storedBytes += batch.storedLength ?? 0
        head = batch.head
        progress(CheckProgress(bytes: Int(part.storedBytes), totalBytes: Int(part.storedBytes)))
      }
      if let damaged { throw damaged }
    } catch let error as EventLogError {
      guard let problem = error.damage else { throw error }
      findings = [
        LogFinding(
          error: error, problem: problem, file: store.place, offset: 0,
          firstSequence: error.sequence, lastSequence: nil, isRestUnread: true)
      ]
    }
    segments = [part]
  }
}
