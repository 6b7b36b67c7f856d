package import CatalogModel

/// Reads lines of the log.
///
/// A line in canonical form takes the fast path, `CanonicalLineReader`. Anything that it does not
/// recognise, it hands over without a verdict: the slow path, through `JSONValue`, reads any JSON
/// of the same content, lifts old versions, and alone raises errors. The two agree wherever both
/// read a line.
///
/// A decoder keeps what neighbouring events share (`by`, `source`), so use one for many lines.
package struct SoundEventDecoder {
  private let upcasters: Upcasters
  private var shared = CanonicalLineReader.Shared()

  package init(upcasters: Upcasters = SoundEvent.upcasters) {
    self.upcasters = upcasters
  }

  /// Reads one line, without its newline.
  ///
  /// - Parameter sequence: The number that the event must have.
  /// - Throws: `EventDecodingError`.
  package mutating func decode(
    line: UnsafeRawBufferPointer, expecting sequence: UInt64
  ) throws(EventDecodingError) -> SoundEventRecord {
    if let record = CanonicalLineReader.read(line, shared: &shared), record.sequence == sequence {
      return record
    }
    return try decodeAnyForm(line: line, expecting: sequence)
  }

  package mutating func decode(
    line: [UInt8], expecting sequence: UInt64
  ) throws(EventDecodingError) -> SoundEventRecord {
    // `withUnsafeBytes` has no typed throws on every platform that this builds for.
    let result = line.withUnsafeBytes { bytes in
      Result { () throws(EventDecodingError) in try decode(line: bytes, expecting: sequence) }
    }
    return try result.get()
  }

  /// The slow path: any valid JSON of the right content, any version that can be lifted.
  func decodeAnyForm(
    line: UnsafeRawBufferPointer, expecting sequence: UInt64
  ) throws(EventDecodingError) -> SoundEventRecord {
    let parsed = try EventLine(line: line, expecting: sequence)
    return try parsed.record(upcasters) { (type: EventType, data) throws(PayloadReader.Problem) in
      try type.read(from: &data)
    }
  }

  /// The one item that the event of a canonical line is about; nil if there is none, or the line has another form. A reader
  /// that follows another item need not decode it.
  mutating func item(of line: UnsafeRawBufferPointer) -> EntityID? {
    CanonicalLineReader.item(line, shared: &shared)
  }
}
