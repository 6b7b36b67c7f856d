import CatalogModel
import LibC

/// The part of a document that is in memory, as UTF-8: from the first byte that was not consumed on.
///
/// A reader looks at the bytes from `start` to `end`, calls `more` if they do not suffice, and consumes what it read.
/// `more` may move them.
final class TextWindow {
  private let stored: SourceBytes
  private let source: PlainBytes
  let name: String
  let encoding: TextEncoding
  private var decoder: TextDecoder?
  @exclusivity(unchecked) private(set) var memory: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var capacity = 1 << 20
  @exclusivity(unchecked) private(set) var start = 0
  @exclusivity(unchecked) private(set) var end = 0
  @exclusivity(unchecked) private(set) var isAtEnd = false
  /// The byte of the document that is at `start`.
  @exclusivity(unchecked) private(set) var offset = 0
  /// Whether the document begins with a byte order mark.
  let hasMark: Bool
  private var piece: UnsafeMutableRawBufferPointer?

  private static let pieceLength = 1 << 17

  /// - Parameter encoding: nil if it is UTF-8, or the one of a byte order mark.
  init(_ source: SourceFile, encoding named: TextEncoding?) throws(DocumentError) {
    stored = try SourceBytes(source)
    self.source = try stored.plain(source.compression)
    name = source.name
    memory = .allocate(byteCount: capacity, alignment: 16)
    var length = 0
    // A pipe of a decompressor may give less than a mark at first.
    while length < 4 {
      let room = UnsafeMutableRawBufferPointer(start: memory + length, count: 4 - length)
      let read = try self.source.read(into: room)
      if read == 0 { break }
      length += read
    }
    let beginning = UnsafeRawBufferPointer(start: memory, count: length)
    let mark = TextEncoding.mark(beginning)
    let isMarked =
      mark.map { named == nil || named == $0.encoding || $0.encoding != .utf8 } ?? false
    encoding = isMarked ? mark?.encoding ?? .utf8 : named ?? .utf8
    hasMark = isMarked
    let skipped = isMarked ? mark?.length ?? 0 : 0
    offset = skipped
    if encoding == .utf8 {
      start = skipped
      end = length
    } else {
      let rest = Array(beginning[skipped...])
      decoder = TextDecoder(encoding, after: skipped)
      piece = .allocate(byteCount: Self.pieceLength, alignment: 16)
      try rest.withUnsafeBytes { rest -> Result<Void, DocumentError> in
        Result { () throws(DocumentError) in try decode(rest, isLast: false) }
      }.get()
    }
  }

  deinit {
    memory.deallocate()
    piece?.deallocate()
  }

  /// The SHA-256 of the source's bytes, when the window is at its end.
  var sha256: String { stored.sha256 }

  /// The bytes that were not consumed.
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory + start, count: end - start)
  }

  /// Passes over the first bytes.
  func consume(_ count: Int) {
    offset += encoding == .utf8 ? count : storedLength(count)
    start += count
  }

  /// How many bytes of the document the first bytes of the window are.
  func storedLength(_ count: Int) -> Int {
    encoding.storedLength(of: UnsafeRawBufferPointer(start: memory + start, count: count))
  }

  /// Reads more of the document.
  ///
  /// - Returns: false at its end.
  func more() throws(DocumentError) -> Bool {
    guard !isAtEnd else { return false }
    let needed = Self.pieceLength * (decoder == nil ? 1 : TextDecoder.expansion) + 64
    if capacity - end < needed { makeRoom(for: needed) }
    guard let piece else {
      let room = UnsafeMutableRawBufferPointer(start: memory + end, count: capacity - end)
      let length = try source.read(into: room)
      end += length
      isAtEnd = length == 0
      return !isAtEnd
    }
    let length = try source.read(into: piece)
    isAtEnd = length == 0
    try decode(UnsafeRawBufferPointer(rebasing: piece[..<length]), isLast: isAtEnd)
    return !isAtEnd
  }

  private func makeRoom(for needed: Int) {
    let count = end - start
    if count <= capacity / 2, capacity - count >= needed {
      memmove(memory, memory + start, count)
    } else {
      capacity = max(capacity * 2, count + needed)
      let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
      memcpy(larger, memory + start, count)
      memory.deallocate()
      memory = larger
    }
    (start, end) = (0, count)
  }

  private func decode(_ bytes: UnsafeRawBufferPointer, isLast: Bool) throws(DocumentError) {
    do throws(TextDecoder.Fault) {
      end += try decoder?.decode(bytes, isLast: isLast, into: memory + end) ?? 0
    } catch {
      throw DocumentError(
        code: .invalidValue, file: name, offset: error.offset, message: error.message,
        advice: error.advice)
    }
  }
}

extension SourceFile {
  /// Finds the encoding of a text that is not UTF-8: windows-1252 if each byte has a character there, and the text has no
  /// character of several bytes in UTF-8, which would be rare by chance.
  ///
  /// - Returns: nil if it is neither.
  func guessedEncoding() throws(DocumentError) -> TextEncoding? {
    let plain = try SourceBytes(self).plain(compression)
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { room.deallocate() }
    var sequences = 0
    var others = 0
    var offset = 0
    while case let length = try plain.read(into: room), length > 0 {
      let bytes = UnsafeBufferPointer(
        start: UnsafePointer(room.baseAddress?.assumingMemoryBound(to: UInt8.self)), count: length)
      if let zero = bytes.firstIndex(of: 0) {
        throw DocumentError(
          code: .invalidValue, file: name, offset: offset + zero,
          message: "this is not a text: it is not UTF-8, and has a byte that is 0",
          advice: "save the table as CSV or JSON in UTF-8")
      }
      offset += length
      var index = 0
      while index < length {
        let byte = bytes[index]
        if byte >= 0x80 {
          guard TextEncoding.windows1252(byte) != nil else { return nil }
          let sequence = JSONScan.utf8Length(in: bytes, at: index)
          if sequence > 0 { sequences += 1 } else { others += 1 }
          index += max(sequence, 1)
        } else {
          index += 1
        }
      }
    }
    return others > sequences ? .windows1252 : nil
  }
}
