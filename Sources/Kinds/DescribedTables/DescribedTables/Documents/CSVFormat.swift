package import CatalogModel

/// How a document of CSV is written.
package struct CSVFormat: Hashable, Sendable {
  package var encoding: TextEncoding
  /// The byte between two values.
  package var separator: UInt8
  /// The byte before and after a value that has separators or line ends; nil if no byte has this meaning.
  package var quote: UInt8?
  /// The byte before the fraction of a number.
  package var decimal: UInt8
  /// Whether the encoding was found out, and is neither named nor UTF-8 nor marked.
  package var isEncodingGuessed = false

  /// The separator for people: `;`, or `tab`.
  package var separatorName: String { Self.name(ofSeparator: separator) }

  static func name(ofSeparator byte: UInt8) -> String {
    byte == 0x09 ? "tab" : String(UnicodeScalar(byte))
  }

  /// The separators that are found out.
  static let separators: [UInt8] = [0x2C, 0x3B, 0x09, 0x7C]
}

/// The form of a document of CSV, by a caller or a description; the reader finds out what is nil.
package struct CSVOptions: Hashable, Sendable {
  package var encoding: TextEncoding?
  package var separator: UInt8?
  package var quote: UInt8?
  package var decimal: UInt8
  /// The meaning of an empty value in a column of texts.
  package var empty: DescribedDocument.CSV.Empty

  package init(
    encoding: TextEncoding? = nil, separator: UInt8? = nil, quote: UInt8? = 0x22,
    decimal: UInt8 = 0x2E, empty: DescribedDocument.CSV.Empty = .text
  ) {
    self.encoding = encoding
    self.separator = separator
    self.quote = quote
    self.decimal = decimal
    self.empty = empty
  }

  /// The options of a description.
  ///
  /// - Throws: `DocumentError` if it names what no document can have.
  package init(_ csv: DescribedDocument.CSV, file: String) throws(DocumentError) {
    func refused(_ text: String, _ message: String, _ advice: String) -> DocumentError {
      DocumentError(
        code: .invalidValue, file: file, value: "\"\(JSONExcerpt.printable(text))\"",
        message: message, advice: advice)
    }
    var encoding: TextEncoding?
    if let name = csv.encoding {
      encoding = TextEncoding(name: name)
      guard encoding != nil else {
        throw refused(
          name, "is not the name of an encoding",
          NearMiss.advice(for: name, among: TextEncoding.names))
      }
    }
    var separator: UInt8?
    if let text = csv.separator {
      separator = Self.separator(named: text)
      guard separator != nil else {
        throw refused(text, "is not a separator", "write one character of ASCII, or tab")
      }
    }
    let quote = Array(csv.quote.utf8)
    guard quote.count < 2, quote.allSatisfy({ 0x20 < $0 && $0 < 0x7F }) else {
      throw refused(csv.quote, "is not a quotation mark", "write one character of ASCII, or none")
    }
    self.init(
      encoding: encoding, separator: separator, quote: quote.first,
      decimal: csv.decimal == "," ? 0x2C : 0x2E, empty: csv.empty)
  }

  /// The byte of a separator as a person writes it: `;`, `tab`, `\t`.
  package static func separator(named text: String) -> UInt8? {
    if ["tab", "\\t", "\t"].contains(text.lowercased()) { return 0x09 }
    let bytes = Array(text.utf8)
    guard bytes.count == 1, bytes[0] > 0x1F, bytes[0] < 0x7F, bytes[0] != 0x22,
      !bytes[0].isASCIIAlphanumeric
    else { return nil }
    return bytes[0]
  }
}
