/// The envelope of a line in any form, with its payload still as JSON.
struct EventEnvelope {
  let sequence: UInt64
  let at: Timestamp
  let type: String
  let version: Int64
  let operation: EntityID
  let by: String
  let data: JSONValue

  init(
    line: UnsafeRawBufferPointer, expecting sequence: UInt64
  ) throws(EventDecodingError) {
    let excerpt = JSONExcerpt.printable(line)
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
        excerpt: excerpt)
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
        message: error.message, excerpt: excerpt)
    }
    guard found == sequence else {
      throw error(.wrongSequence, "the line has number \(found)", path: "$.seq")
    }
  }

  func error(
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
        path: "$.\(key)", message: "\"\(JSONExcerpt.printable(text))\" is no ISO 8601 time")
    }
    return time
  }
}
