import CatalogModel
import LibC

/// Finds the values of one row of CSV after another in a window of text (RFC 4180).
///
/// A quotation mark has its meaning at the beginning of a value only; elsewhere it is a character: `5" pipe`. Rows end with
/// LF, CR or CRLF. Lines without a byte are passed over.
///
/// Unsafe memory, because a document of a million rows has a hundred million bytes; `CSVReaderTests` compares what it reads
/// with Python's csv module.
final class CSVScanner {
  /// A value of the row: its place after the row's first byte, without its quotes.
  struct Cell: BitwiseCopyable {
    var start: Int32
    var count: Int32
    var isQuoted: Bool
    /// Whether two quotation marks in it are one.
    var hasEscapes: Bool
  }

  let window: TextWindow
  @exclusivity(unchecked) private var separator: UInt8
  private let quote: UInt8?
  @exclusivity(unchecked) private var kinds = UnsafeMutablePointer<Kind>.allocate(capacity: 256)
  @exclusivity(unchecked) private(set) var cells = UnsafeMutablePointer<Cell>.allocate(capacity: 64)
  @exclusivity(unchecked) private var capacity = 64
  @exclusivity(unchecked) private(set) var count = 0
  /// The line of the row's first byte, from 1.
  @exclusivity(unchecked) private(set) var line = 1
  /// The byte of the document at which the row begins.
  @exclusivity(unchecked) private(set) var offset = 0
  @exclusivity(unchecked) private var nextLine = 1
  @exclusivity(unchecked) private var length = 0
  /// Whether the row has bytes above 0x7F.
  @exclusivity(unchecked) private(set) var hasNonASCII = false
  /// Whether the row ended with the document, without a line end.
  @exclusivity(unchecked) private(set) var isUnterminated = false
  /// How many empty lines were passed over before the last row.
  @exclusivity(unchecked) private(set) var emptyLines = 0

  /// Whether a value in quotation marks was not closed when the last scan came to the end of what was read.
  @exclusivity(unchecked) private var isInQuotes = false

  /// The most bytes of a row. A quotation mark that is not closed makes the rest of the document one value.
  static let rowLimit = 64 << 20

  private enum Kind: UInt8 {
    case plain, separator, lineEnd, null, nonASCII
  }

  init(_ window: TextWindow, separator: UInt8, quote: UInt8?) {
    self.window = window
    self.separator = separator
    self.quote = quote
    setKinds()
  }

  deinit {
    kinds.deallocate()
    cells.deallocate()
  }

  private func setKinds() {
    kinds.update(repeating: .plain, count: 128)
    (kinds + 128).update(repeating: .nonASCII, count: 128)
    kinds[0] = .null
    kinds[0x0A] = .lineEnd
    kinds[0x0D] = .lineEnd
    kinds[Int(separator)] = .separator
  }

  /// The first byte of the row.
  var base: UnsafeMutableRawPointer { window.memory + window.start }

  /// The bytes of the row, with its line end.
  var rowBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: length) }

  /// The byte of the document at which a value begins.
  func offset(of cell: Cell) -> Int { offset + window.storedLength(Int(cell.start)) }

  /// Moves to the next row.
  ///
  /// - Returns: false at the end of the document.
  func next() throws(DocumentError) -> Bool {
    window.consume(length)
    length = 0
    while true {
      line = nextLine
      offset = window.offset
      switch try scan() {
      case .row: return true
      case .emptyLine:
        emptyLines += 1
        window.consume(length)
        length = 0
      case .incomplete:
        guard window.bytes.count <= Self.rowLimit else {
          throw failure(
            .fileTooLarge, at: 0, "the row that begins here has more than \(Self.rowLimit) bytes",
            advice: isInQuotes
              ? "close a quotation mark that is open, or say that the document has none"
              : "end rows with line ends: this does not look like a list in lines")
        }
        // At the end, the scan takes what is left for a row.
        _ = try window.more()
      case .end: return false
      }
    }
  }

  /// Reads rows with another separator from here on.
  func use(separator: UInt8) {
    self.separator = separator
    setKinds()
  }

  /// Passes over the first line, which is not CSV.
  func passOverFirstLine() {
    let bytes = window.bytes
    guard let end = bytes.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else { return }
    let isPair = bytes[end] == 0x0D && end + 1 < bytes.count && bytes[end + 1] == 0x0A
    window.consume(end + (isPair ? 2 : 1))
    nextLine += 1
  }

  private enum Outcome {
    case row, emptyLine, incomplete, end
  }

  private func scan() throws(DocumentError) -> Outcome {
    let start = UnsafePointer(base.assumingMemoryBound(to: UInt8.self))
    let end = window.end - window.start
    let isWhole = window.isAtEnd
    if end == 0 { return isWhole ? .end : .incomplete }
    count = 0
    hasNonASCII = false
    isUnterminated = false
    isInQuotes = false
    var lines = 1
    var index = 0
    while true {
      var cell = Cell(start: Int32(index), count: 0, isQuoted: false, hasEscapes: false)
      if let quote, index < end, start[index] == quote {
        cell.isQuoted = true
        cell.start += 1
        guard
          let close = try quotedEnd(start, index + 1, end, isWhole, &lines, &cell.hasEscapes)
        else {
          isInQuotes = true
          return .incomplete
        }
        cell.count = Int32(close) - cell.start
        index = close + 1
        if index < end, [.plain, .nonASCII, .null].contains(kinds[Int(start[index])]) {
          throw failure(
            .invalidValue, at: index, "text follows the quotation mark that closes a value",
            advice: "write two quotation marks for one in a value")
        }
      } else {
        index = plainEnd(start, index, end)
        cell.count = Int32(index) - cell.start
        if index < end, start[index] == 0 {
          throw failure(
            .invalidValue, at: index, "the document holds U+0000", advice: nullAdvice(start, end))
        }
      }
      add(cell)
      guard index < end else {
        guard isWhole else { return .incomplete }
        isUnterminated = true
        break
      }
      if start[index] == separator {
        index += 1
        continue
      }
      if start[index] == 0x0D {
        if index + 1 == end, !isWhole { return .incomplete }
        if index + 1 < end, start[index + 1] == 0x0A { index += 1 }
      }
      index += 1
      break
    }
    length = index
    nextLine = line + lines
    return count == 1 && cells[0].count == 0 && !cells[0].isQuoted ? .emptyLine : .row
  }

  /// The place of the first separator, line end or U+0000.
  @inline(__always)
  private func plainEnd(_ start: UnsafePointer<UInt8>, _ from: Int, _ end: Int) -> Int {
    var index = from
    let kinds = kinds
    while index < end {
      let kind = kinds[Int(start[index])]
      if kind != .plain {
        guard kind == .nonASCII else { break }
        hasNonASCII = true
      }
      index += 1
    }
    return index
  }

  /// The place of the quotation mark that closes a value; nil if more of the document is needed.
  private func quotedEnd(
    _ start: UnsafePointer<UInt8>, _ from: Int, _ end: Int, _ isWhole: Bool, _ lines: inout Int,
    _ hasEscapes: inout Bool
  ) throws(DocumentError) -> Int? {
    var index = from
    while index < end {
      let byte = start[index]
      if byte == quote {
        if index + 1 == end { return isWhole ? index : nil }
        guard start[index + 1] == quote else { return index }
        hasEscapes = true
        index += 1
      } else if byte == 0x0A || byte == 0x0D && (index + 1 == end || start[index + 1] != 0x0A) {
        lines += 1
      } else if byte >= 0x80 {
        hasNonASCII = true
      } else if byte == 0 {
        throw failure(
          .invalidValue, at: index, "the document holds U+0000", advice: nullAdvice(start, end))
      }
      index += 1
    }
    guard isWhole else { return nil }
    throw failure(
      .invalidValue, at: from - 1, "the document ends in a value whose quotation mark is open",
      advice: "it may have been cut short")
  }

  private func nullAdvice(_ start: UnsafePointer<UInt8>, _ end: Int) -> String {
    let sample = UnsafeBufferPointer(start: start, count: min(end, 4_096))
    let zeros = sample.count { $0 == 0 }
    return window.encoding == .utf8 && zeros * 3 > sample.count
      ? "it may be UTF-16: name its encoding" : "take it out"
  }

  private func add(_ cell: Cell) {
    if count == capacity {
      let larger = UnsafeMutablePointer<Cell>.allocate(capacity: capacity * 2)
      larger.update(from: cells, count: count)
      cells.deallocate()
      cells = larger
      capacity *= 2
    }
    cells[count] = cell
    count += 1
  }

  /// An error at a byte of the row.
  func failure(
    _ code: DocumentError.Code, at place: Int, _ message: String, advice: String?
  ) -> DocumentError {
    let before = UnsafeRawBufferPointer(start: base, count: place)
    let lines = before.count { $0 == 0x0A }
    return DocumentError(
      code: code, file: window.name, path: "line \(line + lines)",
      offset: window.offset + window.storedLength(place), message: message, advice: advice)
  }
}
