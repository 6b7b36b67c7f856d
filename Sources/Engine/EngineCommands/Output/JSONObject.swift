import Foundation

/// An object of a command's JSON, as it is written. A member that is nil is left out.
///
/// ```swift
/// try Console.current.write(json: ["id": book.id.description, "title": book.title, "pages": book.pages] as JSONObject)
/// ```
public struct JSONObject: Encodable, ExpressibleByDictionaryLiteral {
  private var members: [(name: Name, value: any Encodable)]

  public init(dictionaryLiteral members: (String, (any Encodable)?)...) {
    self.members = members.compactMap { key, value in value.map { (Name(stringValue: key), $0) } }
  }

  init(_ members: [(String, any Encodable)]) {
    self.members = members.map { (Name(stringValue: $0.0), $0.1) }
  }

  /// The members of both.
  public static func + (object: JSONObject, more: JSONObject) -> JSONObject {
    var sum = object
    sum.members += more.members
    return sum
  }

  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Name.self)
    for (name, value) in members { try object.encode(value, forKey: name) }
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
      self.stringValue = stringValue
    }

    init?(intValue: Int) { nil }
  }
}

extension Console {
  /// Writes an answer in the form that was asked for.
  ///
  /// - Parameters:
  ///   - json: the answer for a program.
  ///   - text: writes it for a person.
  public func write(
    _ format: OutputFormat, json: @autoclosure () throws -> some Encodable,
    text: (Console) throws -> Void
  ) throws {
    switch format {
    case .text: try text(self)
    case .json: try write(json: json())
    }
  }

  /// Writes an answer that is one object, whose lists are parts of it, in the form that was asked for.
  ///
  /// - Parameters:
  ///   - whole: the answer for a program: one line with `jsonl`, and with `csv` one row if it has no list.
  ///   - text: writes it for a person.
  package func write(
    _ format: OutputFormat, whole: @autoclosure () throws -> JSONObject,
    text: (Console) throws -> Void
  ) throws {
    switch format {
    case .text: try text(self)
    case .json: try write(whole: whole())
    }
  }
}

extension Console {
  /// Writes an object in one line, which a program that waits for it receives at once.
  package func write(line object: JSONObject) throws {
    write(verbatim: try object.line)
  }
}

extension JSONObject {
  /// The object in one line, with its line feed.
  var line: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
  }
}
