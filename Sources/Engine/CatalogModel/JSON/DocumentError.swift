/// Why a document from outside (a seed, a manifest) was refused.
///
/// A document is refused whole, before anything is written. `description` has one sentence for each fault, which a
/// person can act on:
/// `starter.json: $.music[3].id: "xyz" is not a UUID (byte 10233); write it as xxxxxxxx-…`.
///
/// The error is the document's first fault; `furtherFaults` has those after it.
public struct DocumentError: Error, Hashable, Sendable {
  /// What is wrong, for programs. Raw values are stable.
  public enum Code: String, CaseIterable, Hashable, Sendable {
    case fileMissing
    case fileIsDirectory
    case fileNotRegular
    case fileUnreadable
    case fileTooLarge
    /// The file holds no byte at all.
    case fileEmpty
    /// The bytes are no JSON (RFC 8259), or JSON of a sort that is refused: invalid UTF-8, lone
    /// surrogates, U+0000, a byte order mark, deeper than `JSONReader.depthLimit`.
    case invalidJSON
    case duplicateKey
    case unsupportedFormat
    case wrongType
    case missingKey
    case unknownKey
    /// Of the right type, but outside of what is allowed.
    case invalidValue
    /// An id or a name that may stand only once stands twice.
    case duplicateValue
    /// Right in itself, but it contradicts what the catalog holds.
    case conflict
  }

  public var code: Code
  /// The file's name as the caller gave it.
  public var file: String
  /// `$.packs[3].items[12].title`; nil for a file that could not be read or is no JSON.
  public var path: String?
  /// Byte offset of the offending key or value, or of the byte where the JSON goes wrong. From 0.
  public var offset: Int?
  /// Line of `offset`, from 1.
  public var line: Int?
  /// Column of `offset` in bytes, from 1.
  public var column: Int?
  /// The offending text as it stands in the document, cut to `JSONExcerpt.limit` characters, with
  /// everything unprintable escaped. Nil where something is missing.
  public var value: String?
  /// What is wrong with it.
  public var message: String
  /// What to do about it.
  public var advice: String?
  /// The faults after this one, in the document's order: together at most `listLimit`, of a description of tables a thousand. They
  /// have none themselves.
  public var furtherFaults: [DocumentError] = []
  /// How many faults there are that are not listed.
  public var unlistedFaults = 0

  /// A document's first ten faults are listed, and the others counted.
  public static let listLimit = 10

  /// How many faults the document has.
  public var faultCount: Int { 1 + furtherFaults.count + unlistedFaults }

  /// - Parameters:
  ///   - file: the file's name as the caller gave it.
  ///   - path: the place in the document: `$.books[3].title`.
  ///   - offset: bytes from the beginning, from 0; `line` and `column` are from 1.
  ///   - value: the offending text, made safe to show by `JSONExcerpt.printable`.
  ///   - message: what is wrong; continues `value` if there is one: "is not a UUID".
  ///   - advice: what to do about it: "write it as xxxxxxxx-…".
  public init(
    code: Code, file: String, path: String? = nil, offset: Int? = nil, line: Int? = nil,
    column: Int? = nil, value: String? = nil, message: String, advice: String? = nil
  ) {
    self.code = code
    self.file = file
    self.path = path
    self.offset = offset
    self.line = line
    self.column = column
    self.value = value
    self.message = message
    self.advice = advice
  }

  /// Completes what the reader knew with what the whole document tells: path, line, excerpt.
  package init(_ error: JSONError, in bytes: UnsafeRawBufferPointer, file: String) {
    let offset = min(max(error.offset, 0), bytes.count)
    let position = JSONPosition(offset: offset, in: bytes)
    self.init(
      code: error.code, file: file,
      path: error.code == .invalidJSON ? nil : JSONPath.text(at: offset, in: bytes),
      offset: offset, line: position.line, column: position.column,
      value: error.showsValue ? JSONExcerpt.text(at: offset, in: bytes) : nil,
      message: error.message, advice: error.advice)
  }
}

extension DocumentError {
  /// All faults of a document that was read to its end.
  package init(_ faults: DocumentFaults, in bytes: UnsafeRawBufferPointer, file: String) {
    let listed = faults.first.map { DocumentError($0, in: bytes, file: file) }
    self = listed[0]
    furtherFaults = Array(listed.dropFirst())
    unlistedFaults = faults.count - listed.count
  }

  /// The faults of a document that is several files, or of several documents.
  ///
  /// - Parameter limit: the most faults that are listed.
  /// - Returns: nil if there are none.
  public init?(joining errors: [DocumentError], listing limit: Int = DocumentError.listLimit) {
    var listed: [DocumentError] = []
    for error in errors {
      listed.append(error.alone)
      listed += error.furtherFaults
      if listed.count >= limit { break }
    }
    guard let first = listed.first else { return nil }
    self = first
    furtherFaults = Array(listed.prefix(limit).dropFirst())
    unlistedFaults = errors.reduce(0) { $0 + $1.faultCount } - 1 - furtherFaults.count
  }

  /// Adds faults that were found later.
  package mutating func append(_ error: DocumentError) {
    self = DocumentError(joining: [self, error]) ?? self
  }

  /// Each fault that is listed.
  package var all: [DocumentError] { [alone] + furtherFaults }

  /// The first fault, without the others.
  package var alone: DocumentError {
    var error = self
    error.furtherFaults = []
    error.unlistedFaults = 0
    return error
  }

  /// The first fault, and how many others there are: for events and other places that have one line.
  package var oneLine: String {
    faultCount == 1 ? sentence : "\(sentence) (and \(faultCount - 1) more)"
  }

  private var sentence: String {
    var text = "\(file): "
    if let path { text += "\(path): " }
    if let value { text += "\(value) " }
    text += message
    if let offset {
      text += " (byte \(offset)"
      if path == nil, let line, let column { text += ", line \(line), column \(column)" }
      text += ")"
    }
    if let advice { text += "; \(advice)" }
    return text
  }
}

extension DocumentError: CustomStringConvertible {
  /// A line for each fault that is listed; if there are others, a last line: `and 3 more`.
  public var description: String { lines.joined(separator: "\n") }

  package var lines: [String] {
    let listed = [sentence] + furtherFaults.map(\.sentence)
    return unlistedFaults > 0 ? listed + ["and \(unlistedFaults) more"] : listed
  }
}
