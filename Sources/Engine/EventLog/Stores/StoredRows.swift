import Support

/// A server whose batches can be read one by one, whatever state they are in.
package protocol StoredRows: BatchServer {
  /// Hands over the bytes of each batch as they are, in the order of their first events. A batch that the server itself cannot read
  /// is left out.
  ///
  /// - Returns: how many rows and pages the server cannot read.
  func forEachRow(_ body: (_ first: UInt64, _ bytes: [UInt8]) throws -> Void) throws -> Int
}

extension BatchStoreLog {
  /// Hands over what the store has as the segments of a folder, damaged batches as they are. A salvage of that folder finds what is
  /// good: a batch in which anything is damaged is in a segment of its own.
  ///
  /// - Parameter body: is given the name of a segment, and its bytes.
  /// - Returns: how many rows and pages the server cannot read; events of them may be missing without a gap, at the end.
  /// - Throws: `unavailable`; `io` if the store gives nothing but whole batches.
  package func forEachSegment(
    _ body: (_ name: String, _ bytes: [UInt8]) throws -> Void
  ) throws -> Int {
    guard let server = server as? any StoredRows else {
      throw EventLogError(
        .io,
        "the log in \(place) cannot be salvaged: its store gives nothing but whole batches; restore it from a copy",
        file: place)
    }
    let limits = LogLimits.standard
    var segment: (first: UInt64, next: UInt64, batches: Int, bytes: [UInt8])?
    func end() throws {
      if let ended = segment.take() { try body(LogFolder.name(ended.first), ended.bytes) }
    }
    let unread = try server.forEachRow { first, bytes in
      let batch = try? StoredBatch(bytes, in: place, from: first)
      let isFull = segment.map {
        $0.batches >= limits.openBatches || UInt64($0.bytes.count) > limits.longSegment
      }
      if segment?.next != first || isFull == true || batch == nil { try end() }
      segment = segment ?? (first, 0, 0, [])
      segment?.bytes += bytes
      segment?.batches += 1
      // Of a damaged batch nothing says which event follows.
      segment?.next = batch.map { $0.lastSequence + 1 } ?? 0
    }
    try end()
    return unread
  }
}
