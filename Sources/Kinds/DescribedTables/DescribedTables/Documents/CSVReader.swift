package import CatalogModel
import LibC

/// Reads a document of CSV row by row: its header, and then the values of each row.
///
/// ```swift
/// let reader = try CSVReader(SourceFile("products.csv"), CSVOptions())
/// while try reader.next() { … }
/// ```
/// `reader.header` has the names of its columns, which are in no certain order.
package final class CSVReader {
  /// The names of the columns, each of them once.
  package let header: [String]
  /// The line of the header.
  package let headerLine: Int
  package let format: CSVFormat
  private let scanner: CSVScanner
  @exclusivity(unchecked) private var unescaped: [UnsafeMutableRawBufferPointer?]
  /// Rows that were read.
  @exclusivity(unchecked) package private(set) var rows = 0

  /// Opens a document and reads its header.
  ///
  /// - Parameter names: names that the header is expected to have, by which the separator is found out.
  /// - Throws: `DocumentError` if the document cannot be read, or has no header, a name in it twice, or an empty one.
  package init(
    _ source: SourceFile, _ options: CSVOptions = CSVOptions(), expecting names: [String] = []
  ) throws(DocumentError) {
    let window = try TextWindow(source, encoding: options.encoding)
    let scanner = CSVScanner(window, separator: options.separator ?? 0x2C, quote: options.quote)
    // The whole sample is needed to choose a separator.
    while window.bytes.count < Self.sampleLength, try window.more() {}
    var separator = options.separator
    if let stated = Self.statedSeparator(window.bytes) {
      separator = separator ?? stated
      if separator == stated { scanner.passOverFirstLine() }
    }
    let chosen =
      separator
      ?? Self.separator(
        of: window.bytes, isWhole: window.isAtEnd, quote: options.quote, expecting: names)
    scanner.use(separator: chosen)
    self.scanner = scanner
    unescaped = []
    format = CSVFormat(
      encoding: window.encoding, separator: chosen, quote: options.quote, decimal: options.decimal)
    guard try scanner.next() else {
      throw DocumentError(
        code: .missingKey, file: source.name, message: "the document has no header",
        advice: "its first line names the columns")
    }
    try Self.requireNoConflict(scanner)
    headerLine = scanner.line
    header = try Self.names(scanner, format)
  }

  deinit {
    for buffer in unescaped { buffer?.deallocate() }
  }

  /// Moves to the next row.
  ///
  /// - Returns: false at the end of the document.
  /// - Throws: `DocumentError` if what follows cannot be told apart into rows and values.
  package func next() throws(DocumentError) -> Bool {
    guard try scanner.next() else { return false }
    try Self.requireNoConflict(scanner)
    rows += 1
    return true
  }

  /// Refuses the marks that git leaves in a file of a merge: in a document of one column they would be rows.
  private static func requireNoConflict(_ scanner: CSVScanner) throws(DocumentError) {
    let row = scanner.rowBytes
    guard let first = row.first, first == UInt8(ascii: "<") || first == UInt8(ascii: ">"),
      row.count > 7, row[7] == UInt8(ascii: " "), row[..<7].allSatisfy({ $0 == first })
    else { return }
    throw scanner.failure(
      .invalidValue, at: 0, "this line is a mark of a conflict that git could not merge",
      advice: "resolve the conflict in the file, then import it")
  }

  /// How many values the row has.
  package var count: Int { scanner.count }
  /// The line of the row's first byte, from 1.
  package var line: Int { scanner.line }
  /// Whether the row ended with the document, without a line end.
  package var isUnterminated: Bool { scanner.isUnterminated }
  /// How many empty lines were passed over so far.
  package var emptyLines: Int { scanner.emptyLines }
  /// The SHA-256 of the source, when the reader is at its end.
  package var sha256: String { scanner.window.sha256 }

  /// The byte of the document at which a value begins.
  package func offset(of place: Int) -> Int { scanner.offset(of: scanner.cells[place]) }

  /// The byte of the document at which the row begins.
  package var rowOffset: Int { scanner.offset }

  /// Whether a value is in quotation marks.
  package func isQuoted(_ place: Int) -> Bool { scanner.cells[place].isQuoted }

  /// The bytes of a value, valid until the next row.
  package func value(_ place: Int) -> UnsafeRawBufferPointer {
    let cell = scanner.cells[place]
    let bytes = UnsafeRawBufferPointer(
      start: scanner.base + Int(cell.start), count: Int(cell.count))
    return cell.hasEscapes ? unescape(bytes, place) : bytes
  }

  /// The first byte of the row that is not UTF-8, as a place in a value; nil if there is none.
  package func firstInvalidByte() -> (place: Int, byte: UInt8, offset: Int)? {
    guard scanner.hasNonASCII, format.encoding == .utf8 else { return nil }
    let row = UnsafeBufferPointer(
      start: UnsafePointer(scanner.base.assumingMemoryBound(to: UInt8.self)),
      count: scanner.rowBytes.count)
    var index = 0
    while index < row.count {
      if row[index] < 0x80 {
        index += 1
        continue
      }
      let length = JSONScan.utf8Length(in: row, at: index)
      guard length == 0 else {
        index += length
        continue
      }
      let place = (0..<count).last { Int(scanner.cells[$0].start) <= index } ?? 0
      return (place, row[index], scanner.offset + index)
    }
    return nil
  }

  private func unescape(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UnsafeRawBufferPointer {
    while unescaped.count <= place { unescaped.append(nil) }
    if (unescaped[place]?.count ?? 0) < bytes.count {
      unescaped[place]?.deallocate()
      unescaped[place] = .allocate(byteCount: bytes.count * 2, alignment: 16)
    }
    guard let room = unescaped[place], let quote = format.quote else { return bytes }
    var count = 0
    var index = 0
    while index < bytes.count {
      room[count] = bytes[index]
      count += 1
      index += bytes[index] == quote ? 2 : 1
    }
    return UnsafeRawBufferPointer(rebasing: room[..<count])
  }

  // MARK: Header

  private static func names(
    _ scanner: CSVScanner, _ format: CSVFormat
  ) throws(DocumentError) -> [String] {
    var names: [String] = []
    for place in 0..<scanner.count {
      let cell = scanner.cells[place]
      func refused(
        _ message: String, value: String? = nil, _ advice: String
      ) -> DocumentError {
        DocumentError(
          code: .invalidValue, file: scanner.window.name, path: "line \(scanner.line)",
          offset: scanner.offset(of: cell), value: value, message: message, advice: advice)
      }
      let bytes = UnsafeRawBufferPointer(
        start: scanner.base + Int(cell.start), count: Int(cell.count))
      guard var name = String(validating: bytes, as: UTF8.self) else {
        throw CSVReader.notUTF8(
          file: scanner.window.name, path: "line \(scanner.line)",
          offset: scanner.offset(of: cell))
      }
      if cell.hasEscapes { name = name.replacing("\"\"", with: "\"") }
      guard !TextRules.isBlank(name) else {
        throw refused(
          "column \(place + 1) of \(scanner.count) has no name in the header",
          "name it, or take the column out")
      }
      if let other = names.firstIndex(where: { $0.hasBytes(of: name) }) {
        throw refused(
          "is the name of column \(other + 1) and of column \(place + 1)",
          value: "\"\(JSONExcerpt.printable(name))\"", "give each column a name of its own")
      }
      names.append(name)
    }
    return names
  }

  static let notUTF8Message = "this is not UTF-8"

  /// The error of bytes that are not UTF-8.
  static func notUTF8(file: String, path: String, offset: Int) -> DocumentError {
    DocumentError(
      code: .invalidValue, file: file, path: path, offset: offset,
      message: notUTF8Message, advice: "name the document's encoding, as windows-1252")
  }

  // MARK: Separators

  private static let sampleLength = 1 << 16

  /// The separator of a first line `sep=;`, which some programs write for others.
  private static func statedSeparator(_ bytes: UnsafeRawBufferPointer) -> UInt8? {
    guard bytes.count > 5, bytes.starts(with: Array("sep=".utf8)),
      bytes[5] == 0x0A || bytes[5] == 0x0D
    else { return nil }
    return bytes[4]
  }

  /// The separator by which the first rows are most alike: it gives names that are expected, all rows as many values as
  /// the header, and as many values as possible.
  private static func separator(
    of bytes: UnsafeRawBufferPointer, isWhole: Bool, quote: UInt8?, expecting names: [String]
  ) -> UInt8 {
    let ranked = CSVFormat.separators.map { separator in
      let rows = sample(bytes, isWhole: isWhole, separator: separator, quote: quote)
      let header = rows.first ?? []
      let known = header.count { name in names.contains { $0.utf8.elementsEqual(name) } }
      let alike = header.count > 1 && rows.allSatisfy { $0.count == header.count }
      return (separator, known, alike, header.count)
    }
    let best = ranked.enumerated().max { left, right in
      let (_, leftKnown, leftAlike, leftCount) = left.element
      let (_, rightKnown, rightAlike, rightCount) = right.element
      if leftKnown != rightKnown { return leftKnown < rightKnown }
      if leftAlike != rightAlike { return rightAlike }
      if leftCount != rightCount { return leftCount < rightCount }
      return left.offset > right.offset
    }
    return best?.element.0 ?? 0x2C
  }

  /// The values of the first rows.
  private static func sample(
    _ bytes: UnsafeRawBufferPointer, isWhole: Bool, separator: UInt8, quote: UInt8?
  ) -> [[ArraySlice<UInt8>]] {
    let bytes = Array(bytes.prefix(sampleLength))
    var rows: [[ArraySlice<UInt8>]] = []
    var row: [ArraySlice<UInt8>] = []
    var index = 0
    while index < bytes.count, rows.count < 50 {
      var end = index
      if bytes[index] == quote {
        end += 1
        while end < bytes.count,
          bytes[end] != quote || end + 1 < bytes.count && bytes[end + 1] == quote
        {
          end += bytes[end] == quote ? 2 : 1
        }
      }
      while end < bytes.count, bytes[end] != separator, bytes[end] != 0x0A, bytes[end] != 0x0D {
        end += 1
      }
      var value = bytes[min(index, end)..<min(end, bytes.count)]
      if value.count > 1, value.first == quote, value.last == quote {
        value = value.dropFirst().dropLast()
      }
      row.append(value)
      // The last row of a sample may be cut.
      if end >= bytes.count { return isWhole || rows.isEmpty ? rows + [row] : rows }
      if bytes[end] != separator {
        if row.count > 1 || row[0].count > 0 { rows.append(row) }
        row = []
      }
      index = end + 1
    }
    return rows
  }
}
