/// A line of the log in any form: its envelope, and its payload still as JSON.
package struct EventLine {
  let sequence: UInt64
  package let at: Timestamp
  package let type: String
  let version: Int64
  package let operation: EntityID
  package let by: String
  package let data: JSONValue

  package init(
    line: UnsafeRawBufferPointer, expecting sequence: UInt64
  ) throws(EventDecodingError) {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue.parse(line)
    } catch {
      throw EventDecodingError(
        code: .invalidJSON, sequence: sequence,
        path: error.code == .invalidJSON ? nil : JSONPath.text(at: error.offset, in: line),
        offset: error.offset,
        message: error.showsValue
          ? JSONExcerpt.text(at: error.offset, in: line) + " " + error.message : error.message,
        excerpt: JSONExcerpt.printable(line))
    }
    let found: UInt64
    do throws(PayloadReader.Problem) {
      var reader = try PayloadReader(value, path: "$")
      found = try reader.uint64("seq")
      self.at = try reader.timestamp("at")
      self.type = try reader.string("type")
      self.version = try reader.int64("v")
      self.operation = try reader.id("op")
      self.by = try reader.string("by")
      self.data = try reader.take("data")
      self.sequence = sequence
      try reader.finish()
    } catch {
      var type: String?
      if case .string(let text) = value["type"] { type = text }
      throw EventDecodingError(
        code: .malformedEnvelope, sequence: sequence, type: type, path: error.path,
        message: error.message, excerpt: JSONExcerpt.printable(line))
    }
    guard found == sequence else {
      throw error(.wrongSequence, "the line has number \(found)", path: "$.seq")
    }
  }

  /// The event, with its payload lifted to the newest version of its type.
  ///
  /// - Parameters:
  ///   - known: the type of a name; nil if there is none.
  ///   - read: makes an event of a payload in the newest version.
  package func record<EventType: EventTypeName, Event>(
    _ upcasters: Upcasters,
    known: (String) -> EventType? = { EventType(rawValue: $0) },
    _ read: (EventType, inout PayloadReader) throws(PayloadReader.Problem) -> Event
  ) throws(EventDecodingError) -> Recorded<Event> {
    guard let type = known(type) else {
      throw error(.unknownType, "this release does not know this type of event")
    }
    guard version <= type.version else {
      throw error(.unknownVersion, "this release knows the type up to version \(type.version)")
    }
    let lifted: JSONValue?
    do {
      lifted = try upcasters.lift(data, of: type, from: version)
    } catch {
      throw self.error(
        .upcastFailed, "the payload cannot be converted to the newest version", cause: error)
    }
    guard let lifted else {
      throw error(.unknownVersion, "there is no upcaster for this version")
    }
    do throws(PayloadReader.Problem) {
      var data = try PayloadReader(lifted, path: "$.data")
      let event = try read(type, &data)
      try data.finish()
      return Recorded(
        sequence: sequence, at: at, operation: operation, by: by, event: event)
    } catch {
      throw self.error(.malformedPayload, error.message, path: error.path)
    }
  }

  /// Whether it is the event by which the engine began the log.
  package var isBeginning: Bool { type == EngineEventType.catalogCreated.rawValue }

  /// What the event says, where it is `catalog.created`.
  package func created() throws(EventDecodingError) -> Recorded<CatalogCreated> {
    try record(Upcasters()) { (_: EngineEventType, data) throws(PayloadReader.Problem) in
      try CatalogCreated(reading: &data)
    }
  }

  private func error(
    _ code: EventDecodingError.Code, _ message: String, path: String? = nil,
    cause: (any Error)? = nil
  ) -> EventDecodingError {
    EventDecodingError(
      code: code, sequence: sequence, type: type, version: version, path: path, message: message,
      excerpt: JSONExcerpt.printable(data.description), cause: cause)
  }
}

extension PayloadReader {
  fileprivate mutating func timestamp(_ key: String) throws(Problem) -> Timestamp {
    let text = try string(key)
    guard let time = Timestamp(text) else {
      throw Problem(
        path: "$.\(key)", message: "\"\(JSONExcerpt.printable(text))\" is not an ISO 8601 time")
    }
    return time
  }
}
