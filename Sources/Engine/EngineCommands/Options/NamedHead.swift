import ArgumentParser
import CatalogModel
import CatalogStore
import EventLog
import Foundation

/// A head as a person names it: the line that `head` prints, or a file with that line, with its JSON, or with a receipt;
/// `-` is standard input.
struct NamedHead {
  let head: LogHead
  /// The id of its log, if it says that.
  let logID: String?

  /// - Throws: `ValidationError` for a text that is none; `StoreError` for a file that has no head; `DocumentError` for one that cannot
  ///   be read.
  init(_ text: String) throws {
    if let head = Self.line(text) {
      (self.head, logID) = (head, nil)
      return
    }
    if text.first?.isWholeNumber == true, !FileManager.default.fileExists(atPath: text) {
      throw ValidationError(
        "\(text) is not a head: that is a sequence above 0 and a chain hash of 64 hex digits, as `\(ProgramName.current) head` "
          + "prints them, or a file with them")
    }
    let document = try TypedDocument(text, limit: Self.sizeLimit, isJSON: false)
    let content = String(decoding: document.bytes, as: UTF8.self)
    let object = JSONValue(text: content)
    guard let head = Self.line(content) ?? object.flatMap(Self.object) else {
      throw StoreError(
        .invalidRequest,
        "\(document.name): this has no head; write one with `\(ProgramName.current) head > FILE`, or a receipt with `\(ProgramName.current) "
          + "receipt > FILE`")
    }
    self.head = head
    logID =
      if case .string(let id)? = object?["log"]?["id"] ?? object?["logId"] { id } else { nil }
  }

  /// A receipt has a line for each table.
  private static let sizeLimit = 16 << 20

  /// Reads a sequence above 0 and a chain hash with a space or a colon between them.
  private static func line(_ text: String) -> LogHead? {
    inWords(text).flatMap { $0.sequence > 0 ? $0 : nil }
  }

  /// Reads a sequence and a chain hash with a space or a colon between them; a log without events has the sequence 0.
  static func inWords(_ text: String) -> LogHead? {
    let parts = text.split { $0.isWhitespace || $0 == ":" }
    guard parts.count == 2 else { return nil }
    return head(String(parts[0]), String(parts[1]))
  }

  /// Reads what `head --format json` prints, or a receipt.
  private static func object(_ value: JSONValue) -> LogHead? {
    let value = value["log"] ?? value
    guard case .number(let sequence)? = value["sequence"], case .string(let chain)? = value["chain"]
    else { return nil }
    return head(sequence, chain).flatMap { $0.sequence > 0 ? $0 : nil }
  }

  private static func head(_ sequence: String, _ chain: String) -> LogHead? {
    // As editors and other programs write it.
    let sequence = sequence.drop { $0 == "\u{FEFF}" }
    guard let sequence = UInt64(sequence),
      let chain = ChainHash(hex: chain.lowercased())
    else {
      return nil
    }
    return LogHead(sequence: sequence, chain: chain)
  }
}
