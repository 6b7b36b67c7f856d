/// Reads comma-separated values (RFC 4180). Semicolons and tabs part cells, too, if the first line has more of them.
enum CSVText {
  struct Row {
    var cells: [String]
    /// That on which it begins, from 1.
    var line: Int
  }

  /// The rows that have a cell which is not empty.
  static func rows(of text: String) -> [Row] {
    let bytes = Array(text.utf8)
    let delimiter = delimiter(of: bytes.prefix { $0 != 0x0A && $0 != 0x0D })
    var rows: [Row] = []
    var (cells, cell, line, start) = ([String](), [UInt8](), 1, 1)
    var (place, isQuoted) = (0, false)
    func endRow() {
      cells.append(String(decoding: cell, as: UTF8.self))
      if cells.contains(where: { !$0.isEmpty }) { rows.append(Row(cells: cells, line: start)) }
      (cells, cell) = ([], [])
    }
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      if byte == 0x0A { line += 1 }
      if byte == UInt8(ascii: "\"") {
        if isQuoted, place < bytes.count, bytes[place] == byte {
          cell.append(byte)
          place += 1
        } else if isQuoted || cell.isEmpty {
          isQuoted.toggle()
        } else {
          // In the middle of a cell without quotes it is itself.
          cell.append(byte)
        }
      } else if isQuoted {
        cell.append(byte)
      } else if byte == delimiter {
        cells.append(String(decoding: cell, as: UTF8.self))
        cell = []
      } else if byte == 0x0A || byte == 0x0D {
        endRow()
        start = line
      } else {
        cell.append(byte)
      }
    }
    endRow()
    return rows
  }

  private static func delimiter(of header: ArraySlice<UInt8>) -> UInt8 {
    func count(_ byte: UInt8) -> Int { header.count { $0 == byte } }
    let comma = UInt8(ascii: ",")
    return [UInt8(ascii: ";"), 0x09].filter { count($0) > count(comma) }
      .max { count($0) < count($1) } ?? comma
  }
}
